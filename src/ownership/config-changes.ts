// Which parts of a configuration have to change so that it leaves a field to its owner, or agrees with what is there.
import { fieldElement, type PathElement } from "../fieldpath/element.js"
import { stepsTo, valueAt } from "../fieldpath/lookup.js"
import { equalPaths, type Path } from "../fieldpath/path.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import type { CompiledUnion } from "../schema/compiled-union.js"
import { textAt } from "../schema/group-version-kind.js"
import { compileSchema, type Type } from "../typed/type.js"
import { memberPath } from "../union/finding.js"
import { outermost, type ValueChange, valueAtSteps, withChanges } from "../value/change.js"
import { compareStrings } from "../value/compare.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { below, type Share } from "./owners.js"

/** What is known of an apply. */
export interface Scene {
  readonly config: MapValue
  readonly live: MapValue | undefined
  /** Who owns what of the live object. */
  readonly shares: readonly Share[]
  /** The identifier of the applier. */
  readonly applier: string
  readonly types: TypeFinder
}

/** A value to be configured at a path. */
export interface Adopted {
  readonly path: Path
  readonly value: Value
}

/**
 * The changes that take `cut` out of the configuration and give the paths of `adopted` their values. What is cut goes with the item
 * whose key it is, with the discriminator or the members of its union, and with the maps, lists and items of which nothing is left.
 */
export function changesOfConfig(
  scene: Scene,
  cut: readonly Path[],
  adopted: readonly Adopted[],
): readonly ValueChange[] {
  const { config } = scene
  const paths: Path[] = []
  for (const path of cut) {
    const whole = withoutKeyStep(path)
    for (const one of [whole, ...unionPartners(scene, whole)])
      if (!paths.some(known => equalPaths(known, one))) paths.push(one)
  }
  let changes = changesFor(config, paths, adopted)
  for (;;) {
    const emptied = emptiedPath(scene, paths, changes)
    if (emptied === undefined) return changes
    paths.push(emptied)
    for (const partner of unionPartners(scene, emptied)) paths.push(partner)
    changes = changesFor(config, paths, adopted)
  }
}

function changesFor(config: MapValue, cut: readonly Path[], adopted: readonly Adopted[]): readonly ValueChange[] {
  const changes: ValueChange[] = []
  for (const path of cut) {
    const steps = stepsTo(config, path)
    if (steps !== undefined && steps.length > 0) changes.push({ steps, value: undefined })
  }
  for (const { path, value } of adopted) {
    const steps = stepsTo(config, path)
    if (steps !== undefined && steps.length > 0) changes.push({ steps, value })
  }
  return outermost(changes)
}

/** An item can't be without its keys: where one is meant, the item is. */
function withoutKeyStep(path: Path): Path {
  const [above, last] = path.slice(-2)
  const isKey = above?.kind === "key" && last?.kind === "field" && above.fields.some(({ name }) => name === last.name)
  return isKey ? path.slice(0, -1) : path
}

/** A map, list or item above what is cut that the changes leave nothing of, the innermost; undefined where there is none. */
function emptiedPath(scene: Scene, cut: readonly Path[], changes: readonly ValueChange[]): Path | undefined {
  const after = withChanges(scene.config, changes)
  if (after === undefined) return undefined
  for (const path of cut) {
    if (stepsTo(scene.config, path) === undefined) continue
    for (let length = path.length - 1; length > 0; length--) {
      const above = path.slice(0, length)
      if (cut.some(known => equalPaths(known, above))) break
      const left = valueAt(after, above)
      if (left === undefined) continue
      if (isNothing(scene, above, left)) return above
      break
    }
  }
  return undefined
}

/**
 * Whether what is left says nothing any more. What the object would lose, as nobody else owns it, stays: it holds what others own.
 * An item is lost with a key too: then nothing tells what others own in it.
 */
function isNothing(scene: Scene, path: Path, left: Value): boolean {
  const last = path[path.length - 1] as PathElement
  const keys = last.kind === "key" ? last.fields.map(({ name }) => name) : []
  const isHollow = isList(left) ? left.length === 0 : isMap(left) && Object.keys(left).every(key => keys.includes(key))
  if (!isHollow) return false
  const { live, shares, applier } = scene
  if (live === undefined || valueAt(live, path) === undefined) return true
  const identity = [path, ...keys.map(key => [...path, fieldElement(key)])]
  return !identity.some(part => isSoleOwner(shares, applier, part))
}

/** Whether the applier owns the path and nobody else does, so that it goes when the applier leaves it out. */
function isSoleOwner(shares: readonly Share[], applier: string, path: Path): boolean {
  const owners = shares.filter(({ set }) => set.has(path))
  return owners.some(({ id }) => id === applier) && owners.every(({ id }) => id === applier)
}

/** What has to go with a field because of a union: its members with a discriminator, the discriminator with a member. */
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
      if (valueAt(scene.config, partner) === undefined) continue
      if (!ownsAlone(scene, partner)) partners.push(partner)
    }
  }
  return partners
}

/** Whether leaving it out would take it from the object, as the applier alone owns it. */
function ownsAlone({ live, shares, applier }: Scene, path: Path): boolean {
  if (live === undefined || valueAt(live, path) === undefined) return false
  const owning = shares.filter(({ set }) => set.has(path) || !below(set, path).isEmpty())
  return owning.some(({ id }) => id === applier) && owning.every(({ id }) => id === applier)
}

/** The discriminator and the members that the configuration has of the unions with this member. */
export function unionFields(scene: Scene, struct: Path, member: string): Path[] {
  const unions = unionsAt(scene, struct).filter(({ members }) => members.includes(member))
  const fields = unions.flatMap((union): Path[] => [
    ...(union.discriminator === undefined ? [] : [[fieldElement(union.discriminator)]]),
    ...union.members.map(name => memberPath(union, name)),
  ])
  return fields.map(field => [...struct, ...field]).filter(path => valueAt(scene.config, path) !== undefined)
}

function unionsAt({ types, config }: Scene, struct: Path): readonly CompiledUnion[] {
  const found = types.find(textAt(config, "apiVersion"), textAt(config, "kind"))
  let type: Type | undefined = found && compileSchema(found.schema).type(found.typeName)
  for (const element of struct) {
    if (element.kind === "field") type = type?.map?.fields.get(element.name)?.type ?? type?.map?.rest
    else type = type?.list?.item
  }
  return type?.map?.oneOfs ?? []
}

/** One step of a JSON Patch (RFC 6902). */
export interface JsonPatchOperation {
  /** What is done at the path. */
  readonly op: "remove" | "replace"
  /** A JSON pointer (RFC 6901). */
  readonly path: string
  /** What is put there; absent where it is removed. */
  readonly value?: Value
}

/** The changes as a JSON Patch, one step after the other: the last items first, so that the indexes of those before hold. */
export function jsonPatch(config: MapValue, changes: readonly ValueChange[]): JsonPatchOperation[] {
  return changes
    .filter(({ steps }) => valueAtSteps(config, steps) !== undefined)
    .toSorted((a, b) => lastFirst(a, b))
    .map(({ steps, value }) => ({
      op: value === undefined ? "remove" : "replace",
      path: jsonPointer(steps),
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

/** The steps as a JSON pointer. */
export function jsonPointer(steps: readonly (string | number)[]): string {
  return steps.map(step => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")
}
