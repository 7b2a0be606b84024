// Edits the configuration of an apply so that it leaves fields to their owners, or agrees with the live object.

import { fieldElement } from "../../fieldpath/create-element.js"
import type { PathElement } from "../../fieldpath/element.js"
import { areInLine, type Path } from "../../fieldpath/path.js"
import type { JsonPatchOperation } from "../../managedfields/entries/upgrade.js"
import type { CompiledUnion } from "../../schema/compiled-union.js"
import type { Type } from "../../typed/type.js"
import { memberPath } from "../../union/union-decision.js"
import { outermost, type Steps, type ValueChange, valueAtSteps } from "../../value/change.js"
import { compareStrings } from "../../value/compare.js"
import { formatPointer } from "../../value/pointer.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { Scene } from "./scene.js"

/** A value to write to the configuration at a path. */
export interface Adopted {
  readonly path: Path
  readonly value: Value
}

/**
 * Returns the changes that cut the paths in `cut` from the configuration and set the paths in `adopted` to their values. Cutting a key cuts
 * its item. Cutting a field also cuts the discriminator or the members of its union. Maps, lists and items that end up empty are cut too.
 */
export function changesOfConfig(
  scene: Scene,
  cut: readonly Path[],
  adopted: readonly Adopted[],
): readonly ValueChange[] {
  const cutting = new Cutting(scene)
  for (const path of cut) {
    const whole = withoutKeyStep(path)
    cutting.cut(whole)
    for (const partner of unionPartners(scene, whole)) cutting.cut(partner)
  }
  cutting.cutEmptied()
  const changes = [...cutting.changes]
  for (const { path, value } of adopted) {
    const steps = scene.configured.stepsTo(path)
    if (steps !== undefined && steps.length > 0) changes.push({ steps, value })
  }
  return outermost(changes)
}

/** Returns the path. If it leads to a key, returns the path to its item, because an item can't exist without its keys. */
function withoutKeyStep(path: Path): Path {
  const [above, last] = path.slice(-2)
  const isKey = above?.kind === "key" && last?.kind === "field" && above.fields.some(({ name }) => name === last.name)
  return isKey ? path.slice(0, -1) : path
}

/** A part of the configuration. `inside` holds the parts directly below it that are cut, or that contain a cut part. */
interface Part {
  readonly path: Path
  readonly steps: Steps
  readonly above: Part | undefined
  readonly inside: Map<string | number, Part>
  isCut: boolean
}

/** Cuts paths from a configuration, then the parts that this leaves empty. */
class Cutting {
  readonly changes: ValueChange[] = []
  private readonly scene: Scene
  private readonly root: Part = { path: [], steps: [], above: undefined, inside: new Map(), isCut: false }
  /** The parts that lose something directly inside them, indexed by their number of steps. */
  private readonly bySteps: Set<Part>[] = []

  constructor(scene: Scene) {
    this.scene = scene
  }

  /** Cuts the path, if the configuration has it. */
  cut(path: Path): void {
    const steps = this.scene.configured.stepsTo(path)
    if (steps === undefined || steps.length === 0) return
    let part = this.root
    steps.forEach((step, i) => {
      const known = part.inside.get(step)
      const next = known ?? {
        ...{ path: path.slice(0, i + 1), steps: steps.slice(0, i + 1), above: part },
        ...{ inside: new Map<string | number, Part>(), isCut: false },
      }
      part.inside.set(step, next)
      part = next
    })
    if (part.isCut) return
    part.isCut = true
    this.changes.push({ steps, value: undefined })
    const { above } = part
    if (above === undefined) return
    const parts = this.bySteps[above.steps.length] ?? new Set()
    this.bySteps[above.steps.length] = parts.add(above)
  }

  /** Cuts maps, lists and items that are left empty, innermost first. The configuration itself is never cut. */
  cutEmptied(): void {
    for (let count = this.bySteps.length - 1; count > 0; count--) {
      for (const part of this.bySteps[count] ?? []) {
        if (isGone(part) || !this.isNothing(part)) continue
        this.cut(part.path)
        for (const partner of unionPartners(this.scene, part.path)) this.cut(partner)
      }
    }
  }

  /**
   * Whether nothing is left in the part. A part that the object would lose, because nobody else owns it, stays: it may contain fields that
   * others own. An item is also lost if it loses one of its keys.
   */
  private isNothing({ path, steps, inside }: Part): boolean {
    const last = path[path.length - 1] as PathElement
    const keys = last.kind === "key" ? last.fields.map(({ name }) => name) : []
    const value = valueAtSteps(this.scene.config, steps)
    const others = [...inside].filter(([step, { isCut }]) => isCut && !keys.includes(String(step))).length
    const left = isList(value) ? value.length : isMap(value) ? this.scene.sizeOf(value, keys) : undefined
    if (left !== others) return false
    if (this.scene.liveAt(path) === undefined) return true
    const identity = [path, ...keys.map(key => [...path, fieldElement(key)])]
    return !identity.some(part => this.scene.isSoleOwner(part))
  }
}

function isGone(part: Part | undefined): boolean {
  return part !== undefined && (part.isCut || isGone(part.above))
}

/**
 * Returns the fields to cut along with a field because of a union: the members along with the discriminator, the discriminator along with a
 * member.
 */
function unionPartners(scene: Scene, path: Path): Path[] {
  const last = path[path.length - 1]
  if (last?.kind !== "field") return []
  const struct = path.slice(0, -1)
  const partners: Path[] = []
  for (const union of unionsAt(scene, struct)) {
    const isDiscriminator = union.discriminator === last.name
    if (!isDiscriminator && !union.members.includes(last.name)) continue
    const names = isDiscriminator ? union.members : union.discriminator === undefined ? [] : [union.discriminator]
    for (const name of names) {
      const partner = [...struct, fieldElement(name)]
      if (scene.configured.valueAt(partner) === undefined) continue
      if (scene.liveAt(partner) === undefined || !scene.ownsAlone(partner)) partners.push(partner)
    }
  }
  return partners
}

/** Returns the discriminator and the members, as far as the configuration has them, of each union with this member. */
export function unionFields(scene: Scene, struct: Path, member: string): Path[] {
  const unions = unionsAt(scene, struct).filter(({ members }) => members.includes(member))
  return unions
    .flatMap(fieldsOf)
    .map(field => [...struct, ...field])
    .filter(path => scene.configured.valueAt(path) !== undefined)
}

/** Returns the discriminator and the members of the union. */
function fieldsOf(union: CompiledUnion): Path[] {
  const { discriminator, members } = union
  return [
    ...(discriminator === undefined ? [] : [[fieldElement(discriminator)]]),
    ...members.map(name => memberPath(union, name)),
  ]
}

function unionsAt({ type: root }: Scene, struct: Path): readonly CompiledUnion[] {
  let type: Type | undefined = root
  for (const element of struct) type = typeBelow(type, element)
  return type?.map?.compiledUnions ?? []
}

function typeBelow(type: Type | undefined, element: PathElement): Type | undefined {
  if (element.kind !== "field") return type?.list?.item
  return type?.map?.fields.get(element.name)?.type ?? type?.map?.rest
}

/** Returns the outermost struct with a union that involves the path; undefined if no union does. */
export function unionAbove({ type: root }: Scene, path: Path): Path | undefined {
  let type: Type | undefined = root
  for (let i = 0; i < path.length; i++) {
    const unions = type?.map?.compiledUnions ?? []
    if (unions.some(union => fieldsOf(union).some(field => areInLine(field, path.slice(i))))) return path.slice(0, i)
    type = typeBelow(type, path[i] as PathElement)
  }
  return undefined
}

/** Returns the changes as a JSON Patch. Later items come first, so that the indexes of earlier items stay valid. */
export function jsonPatch(config: MapValue, changes: readonly ValueChange[]): JsonPatchOperation[] {
  return changes
    .filter(({ steps }) => valueAtSteps(config, steps) !== undefined)
    .toSorted((a, b) => lastFirst(a, b))
    .map(({ steps, value }) => ({
      op: value === undefined ? "remove" : "replace",
      path: formatPointer(steps),
      ...(value !== undefined && { value }),
    }))
}

function lastFirst(a: ValueChange, b: ValueChange): number {
  for (let i = 0; i < a.steps.length && i < b.steps.length; i++) {
    const [x, y] = [a.steps[i], b.steps[i]]
    if (x === y) continue
    return typeof x === "number" && typeof y === "number" ? y - x : compareStrings(String(x), String(y))
  }
  return 0
}
