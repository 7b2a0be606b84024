// Laws that hold for unions under default options, for every story and every source of unions:
//
// - An apply without force takes no field from another manager, and changes none that another manager owns.
// - Nothing invalid is stored. Only what was stored before unions were on may stay invalid, as long as no request touches its union.
import { hasCode } from "../../../src/errors.js"
import { valueAt } from "../../../src/fieldpath/lookup.js"
import { formatPath } from "../../../src/fieldpath/path.js"
import { FieldSet } from "../../../src/fieldpath/set.js"
import { FieldManager } from "../../../src/managedfields/field-manager.js"
import type { FoundKind } from "../../../src/managedfields/types/object-types.js"
import { readShares } from "../../../src/tools/ownership/owners.js"
import { compileSchema } from "../../../src/typed/type.js"
import { TypedValue } from "../../../src/typed/typed-value.js"
import { unionPolicies } from "../../../src/union/policy.js"
import { validateUnions } from "../../../src/union/validate.js"
import { equalValues } from "../../../src/value/equal.js"
import { isMap, type MapValue, type Value } from "../../../src/value/value.js"
import { Random } from "../../fuzz/random.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { type SourceName, sourceNames, type World, worldOf } from "./sources.js"

export interface Verdict {
  /** The outcomes of requests, by source. */
  readonly outcomes: Record<SourceName, Record<"stored" | "conflict" | "invalid", number>>
  readonly broken: string[]
}

/** Checks the laws on `count` stories from the `first` on. */
export async function checkLaws(seed: number, first: number, count: number): Promise<Verdict> {
  const none = () => ({ stored: 0, conflict: 0, invalid: 0 })
  const outcomes = Object.fromEntries(sourceNames.map(name => [name, none()])) as Verdict["outcomes"]
  const verdict: Verdict = { outcomes, broken: [] }
  const worlds = new Map<string, World>()
  for (let number = first; number < first + count; number++) {
    const source = sourceNames[number % sourceNames.length] as SourceName
    // Several stories share their types, since reading types takes longer than a story.
    const shared = `${source} ${Math.floor(number / 160)}`
    const world = worlds.get(shared) ?? (await worldOf(new Random(seed, shared, 0), source))
    worlds.set(shared, world)
    const report = (problem: string) =>
      verdict.broken.push(`story ${number} of seed ${seed}, ${source} ${JSON.stringify(world.shape.union)}: ${problem}`)
    new Story(new Random(seed, "unions", number), world, verdict.outcomes[source], report).run()
  }
  return verdict
}

const managers = ["P", "Q", "R"] as const

class Story {
  private live: MapValue | undefined
  private readonly fields: FieldManager
  private readonly before: FieldManager

  constructor(
    private readonly random: Random,
    private readonly world: World,
    private readonly outcomes: Record<"stored" | "conflict" | "invalid", number>,
    private readonly report: (problem: string) => void,
  ) {
    const clock = () => new Date(0)
    this.fields = new FieldManager({ types: world.types, clock })
    this.before = new FieldManager({ types: world.types, clock, unions: "off" })
  }

  run(): void {
    // Some objects were stored before unions were on.
    if (this.random.chance(0.15)) {
      this.live = this.before.apply<MapValue>(undefined, this.objectOf(0.4), { manager: "P" }).object
    }
    for (let step = this.random.between(3, 7); step > 0; step--) this.step()
  }

  private step(): void {
    const { random, live } = this
    const manager = random.pick(managers)
    const verb = random.weighted([
      [6, "apply"],
      [2, "force"],
      [3, "update"],
    ] as const)
    const asked = verb === "update" && live !== undefined ? this.changed(live) : this.objectOf(0.25)
    const what = `${manager} ${verb} ${JSON.stringify(asked)} over ${JSON.stringify(live)}`
    let next: MapValue
    try {
      next =
        verb === "update"
          ? this.fields.update<MapValue>(live, asked, { manager }).object
          : this.fields.apply<MapValue>(live, asked, { manager, force: verb === "force" }).object
    } catch (error) {
      if (!hasCode(error)) this.report(`${what}: ${String(error)}`)
      this.outcomes[hasCode(error, "conflict") ? "conflict" : "invalid"]++
      return
    }
    this.outcomes.stored++
    const broken = [...this.invalid(next), ...(verb === "apply" ? this.taken(manager, asked, next) : [])]
    for (const problem of broken) this.report(`${what} stored ${JSON.stringify(next)}: ${problem}`)
    this.live = next
  }

  /** Returns the problems of the object that it did not have before. */
  private invalid(next: MapValue): string[] {
    const { schema, typeName } = this.world.types.find(this.world.apiVersion, this.world.kind) as FoundKind
    const typed = (object: MapValue) => TypedValue.unvalidated(object, compileSchema(schema).type(typeName))
    const errors = validateUnions(this.live && typed(this.live), typed(next), { policy: unionPolicies.extended })
    return errors.map(({ message }) => message)
  }

  /**
   * Returns the fields that other managers lost to an apply, or own with another value. An item of a list goes with its applier, even if others own
   * something in it, but that is so without unions too.
   */
  private taken(manager: string, asked: MapValue, next: MapValue): string[] {
    const { live } = this
    if (live === undefined) return []
    const [before, after] = [ownersIn(live), ownersIn(next)]
    const plain = ownersIn(this.before.apply(live, asked, { manager, force: true }).object)
    const found: string[] = []
    for (const [id, set] of before) {
      if (id.includes(`"manager":"${manager}","operation":"Apply"`)) continue
      const kept = set.intersection(plain.get(id) ?? FieldSet.empty)
      for (const path of kept.difference(after.get(id) ?? FieldSet.empty)) found.push(`${id} lost ${formatPath(path)}`)
      for (const path of kept.leaves()) {
        const [was, is] = [valueAt(live, path), valueAt(next, path)]
        if (typeof was !== "object" && was !== undefined && (is === undefined || !equalValues(was, is))) {
          found.push(`${id} owns ${formatPath(path)}, which changed`)
        }
      }
    }
    return found
  }

  /** A random object of the kind; each field is there with this probability. */
  private objectOf(density: number): MapValue {
    const { random, world } = this
    const names = random.chance(0.4) ? random.sample(["i", "j"], 2) : []
    const items = Object.fromEntries(names.map(name => [name, this.struct(density)]))
    return deepFreeze(world.object(this.struct(density), items))
  }

  private struct(density: number): MapValue {
    const { random, world } = this
    const { members, parts, content, union } = world.shape
    const out: Record<string, Value> = {}
    const value = (): Value => content ?? random.between(1, 2)
    for (const { name, holds } of members) {
      if (!random.chance(density)) continue
      if (random.chance(0.06)) out[name] = null
      else if (holds === "number") out[name] = value()
      else
        out[name] = Object.fromEntries(
          random.sample(parts, random.between(0, parts.length)).map(part => [part, value()]),
        )
    }
    if (union.discriminator !== undefined && random.chance(0.4)) {
      const values = (union.fields ?? []).map(({ discriminatorValue = "" }) => discriminatorValue)
      const [member] = members.filter(({ name }) => out[name] !== undefined)
      const fitting = union.fields?.find(({ fieldName }) => fieldName === member?.name)?.discriminatorValue
      if (fitting !== undefined && random.chance(0.6)) out[union.discriminator] = fitting
      else
        out[union.discriminator] = random.pick<Value>([
          ...values,
          ...values,
          ...(union.emptyValues ?? []),
          "",
          "Z",
          null,
        ])
    }
    if (random.chance(0.3)) out.other = random.pick(["u", "v"])
    return out
  }

  /** The live object with some fields of another one, or the other one in its place. */
  private changed(live: MapValue): MapValue {
    const { random } = this
    const other = this.objectOf(0.3)
    const merged = random.chance(0.6) ? mixed(random, live, other) : other
    return deepFreeze({ ...(merged as MapValue), metadata: live.metadata as Value })
  }
}

/** Every field of both, the second one's first, without some. */
function mixed(random: Random, a: Value, b: Value): Value {
  if (!isMap(a) || !isMap(b)) return b
  const out: Record<string, Value> = {}
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [left, right] = [a[key], b[key]]
    const needed = key === "apiVersion" || key === "kind"
    if (left === undefined || right === undefined) {
      if (needed || random.chance(0.8)) out[key] = (left ?? right) as Value
    } else out[key] = mixed(random, left, right)
  }
  return out
}

function ownersIn(object: MapValue): Map<string, FieldSet> {
  return new Map(readShares(object).map(({ id, set }) => [id, set]))
}
