/** Laws of union normalization, on random unions and objects, for every policy. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { StructuredMergeError, UnionError } from "../../src/errors.js"
import { valueAt } from "../../src/fieldpath/lookup.js"
import { equalManagers, type ManagedFields } from "../../src/fieldpath/managers.js"
import { formatPath, type Path } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { Updater } from "../../src/merge/updater.js"
import type { Schema } from "../../src/schema/schema.js"
import type { UnionDef } from "../../src/typed/compiled-union.js"
import { compileSchema, type Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { normalizeUnions, normalizeUnionsApply } from "../../src/union/normalize.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { type UnionChange, unionFieldPath } from "../../src/union/report.js"
import { validateUnions } from "../../src/union/validate.js"
import { isList, isMap, type Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

const names = Object.keys(unionPolicies) as UnionPolicyName[]
const members = ["a", "b", "constructor"] as const

/** Members of every kind: one of numbers, one of structs with the same unions, one with a name to stumble over. */
const unionDef: fc.Arbitrary<UnionDef> = fc.record(
  {
    discriminator: fc.constant("t"),
    deduceInvalidDiscriminator: fc.boolean(),
    cardinality: fc.constantFrom("exactlyOne" as const, "atMostOne" as const),
    emptyValues: fc.constant(["None"]),
    fields: fc.tuple(fc.constantFrom("A", "a"), fc.boolean(), fc.boolean()).map(([value, optional, zeroIsUnset]) => [
      { fieldName: "a", discriminatorValue: value, zeroIsUnset },
      { fieldName: "b", discriminatorValue: "B", optional },
      { fieldName: "constructor", discriminatorValue: "C" },
    ]),
  },
  { requiredKeys: ["fields"] },
)

const schema: fc.Arbitrary<Schema> = fc.tuple(unionDef, unionDef).map(([first, second]) =>
  deepFreeze({
    types: [
      { name: "root", map: { fields: [...fieldsOf("part"), ...rootFields], unions: [first] } },
      { name: "part", map: { fields: fieldsOf("leaf"), unions: [second] } },
      { name: "leaf", map: { fields: [{ name: "x", type: { scalar: "numeric" } }] } },
    ],
  } satisfies Schema),
)

function fieldsOf(below: string) {
  return [
    { name: "t", type: { scalar: "string" as const } },
    { name: "a", type: { scalar: "numeric" as const } },
    { name: "b", type: { namedType: below } },
    { name: "constructor", type: { scalar: "string" as const } },
    { name: "name", type: { scalar: "string" as const } },
  ]
}

const rootFields = [
  {
    name: "items",
    type: {
      list: { elementType: { namedType: "part" }, elementRelationship: "associative" as const, keys: ["name"] },
    },
  },
  { name: "values", type: { map: { elementType: { namedType: "part" } } } },
]

function struct(below: fc.Arbitrary<Value>): fc.Arbitrary<Record<string, Value>> {
  return fc.record(
    {
      t: fc.constantFrom("A", "B", "C", "a", "None", "other", "", null),
      a: fc.constantFrom(0, 1, null),
      b: fc.oneof({ weight: 4, arbitrary: below }, fc.constant(null)),
      constructor: fc.constantFrom("", "x"),
    },
    { requiredKeys: [] },
  )
}

const leaf = fc.record({ x: fc.nat(2) }, { requiredKeys: [] }) as fc.Arbitrary<Value>
const part = struct(leaf)
const object: fc.Arbitrary<Value> = fc
  .tuple(
    struct(part),
    fc.uniqueArray(fc.constantFrom("i", "j", "k"), { maxLength: 3 }),
    fc.array(part, { minLength: 3, maxLength: 3 }),
    fc.dictionary(fc.constantFrom("u", "v", "__proto__"), part, { maxKeys: 2 }),
    fc.boolean(),
  )
  .map(([own, keys, items, values, more]) =>
    deepFreeze(more ? { ...own, items: keys.map((name, i) => ({ ...items[i], name })), values } : own),
  )

function typeOf(from: Schema): Type {
  return compileSchema(from).type("root")
}

/** What `run` returns, or null where the policy refuses. */
function unlessRefused<T>(run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    if (error instanceof UnionError) return null
    throw error
  }
}

/** Members that count as absent go only along with others: whether they do may be another question the second time. */
function withoutUnset(value: Value): Value {
  if (isList(value)) return value.map(withoutUnset)
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) =>
      item === null || item === 0 ? [] : [[key, withoutUnset(item)] as const],
    ),
  )
}

/** `value` with the edits that a report tells of. */
function replay(value: Value, changes: readonly UnionChange[], carried: Value): Value {
  const out = structuredClone(value)
  for (const change of changes) {
    const map = valueAt(out, change.path) as Record<string, Value>
    for (const { field } of change.cleared) delete map[field]
    const { discriminator } = change
    if (discriminator?.implied === true) map[discriminator.field] = discriminator.to as Value
    if (change.carried !== undefined) {
      const member = valueAt(carried, unionFieldPath(change, change.carried))
      map[change.carried] = structuredClone(member) as Value
    }
  }
  return out
}

describe.each(names)("%s", policy => {
  it("normalizes an update once and for all, and tells of every edit", () => {
    fc.assert(
      fc.property(schema, object, object, (from, before, after) => {
        const type = typeOf(from)
        const old = TypedValue.of(before, type)
        const next = TypedValue.of(after, type)
        const settled = unlessRefused(() => normalizeUnions(old, next, { policy }))
        if (settled === null) return
        expect(settled.object.value).toEqual(replay(after, settled.unions, before))
        expect(settled.object === next).toBe(settled.unions.length === 0)
        const again = normalizeUnions(old, settled.object, { policy })
        expect(withoutUnset(again.object.value)).toEqual(withoutUnset(settled.object.value))
      }),
      { numRuns: 150 },
    )
  })

  it("normalizes an apply once and for all, and tells of every edit", () => {
    fc.assert(
      fc.property(schema, object, object, (from, before, config) => {
        const type = typeOf(from)
        const live = TypedValue.of(before, type)
        const applied = TypedValue.of(config, type)
        const merged = live.merge(applied)
        const settled = unlessRefused(() => normalizeUnionsApply(applied, merged, { policy, live }))
        if (settled === null) return
        expect(settled.object.value).toEqual(replay(merged.value, settled.unions, before))
        const again = normalizeUnionsApply(applied, settled.object, { policy, live })
        expect(withoutUnset(again.object.value)).toEqual(withoutUnset(settled.object.value))
      }),
      { numRuns: 150 },
    )
  })

  it("gives the actor what the engine wrote, tells whom it took members from, and is stable", () => {
    fc.assert(
      fc.property(schema, object, object, fc.boolean(), (from, first, second, force) => {
        const type = typeOf(from)
        const updater = new Updater({ unions: policy })
        const nobody: ManagedFields = new Map()
        const start = unlessRefused(() =>
          updater.update(TypedValue.of(null, type), TypedValue.of(first, type), {
            manager: "ctl",
            apiVersion: "v1",
            managers: nobody,
          }),
        )
        if (start === null) return
        const request = { manager: "me", apiVersion: "v1", managers: start.managers, force }
        const config = TypedValue.of(second, type)
        let result: ReturnType<Updater["apply"]>
        try {
          result = updater.apply(start.object, config, request)
        } catch (error) {
          expect(error).toBeInstanceOf(StructuredMergeError)
          return
        }
        const mine = result.managers.get("me")?.set ?? FieldSet.empty
        for (const change of result.unions) {
          const { discriminator } = change
          if (discriminator?.implied === true) {
            const path = unionFieldPath(change, discriminator.field)
            expect([formatPath(path), mine.has(path)]).toEqual([formatPath(path), true])
          }
          for (const { field, owners } of change.cleared) {
            expect(owners).toEqual(ownersBelow(start.managers, unionFieldPath(change, field)))
          }
        }
        // The others take a configuration that contradicts itself, and decide anew what it means each time.
        if (!["off", "v4", "extended"].includes(policy)) return
        const again = updater.apply(result.object, config, { ...request, managers: result.managers })
        expect(again.object.value).toEqual(result.object.value)
        expect(equalManagers(again.managers, result.managers)).toBe(true)
      }),
      { numRuns: 150 },
    )
  })
})

function ownersBelow(managers: ManagedFields, path: Path): string[] {
  const owns = (set: FieldSet) => [...set].some(owned => formatPath(owned.slice(0, path.length)) === formatPath(path))
  return Array.from(managers).flatMap(([manager, { set }]) => (owns(set) ? [manager] : []))
}

/** Structs that have one member, or none, and say so; now and then one that has not, or does not. */
const agreed: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ t: "B", b: {} }) },
  { weight: 3, arbitrary: fc.constant({ t: "A", a: 1 }) },
  { weight: 2, arbitrary: fc.constant({ t: "C", constructor: "x" }) },
  { weight: 2, arbitrary: fc.constantFrom({}, { t: "None" }, { b: {} }) },
  { weight: 1, arbitrary: struct(fc.constant({})) },
)
const nearlySettled: fc.Arbitrary<Value> = fc
  .tuple(agreed, fc.array(agreed, { maxLength: 2 }), fc.dictionary(fc.constantFrom("u", "v"), agreed, { maxKeys: 2 }))
  .map(([own, items, values]) => {
    const named = items.map((item, i) => ({ ...(item as Record<string, Value>), name: `${i}` }))
    return deepFreeze({ ...(own as Record<string, Value>), items: named, values })
  })
const step = fc.record({
  verb: fc.constantFrom("apply" as const, "update" as const),
  manager: fc.constantFrom("ctl", "me"),
  force: fc.boolean(),
  value: nearlySettled,
})

/** What a story comes to. With `forget`, nothing is known of objects but their values. */
function tell(
  policy: UnionPolicyName,
  type: Type,
  steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
  forget: boolean,
): unknown {
  const typed = (value: Value) => (forget ? TypedValue.unvalidated(value, type) : TypedValue.of(value, type))
  const updater = new Updater({ unions: policy })
  let live = typed(null)
  let managers: ManagedFields = new Map()
  return steps.map(({ verb, manager, force, value }) => {
    try {
      const result = updater[verb](live, typed(value), { manager, apiVersion: "v1", managers, force })
      live = forget ? typed(result.object.value) : result.object
      managers = result.managers
      const owners = Array.from(managers, ([name, { set, applied }]) => [name, applied, `${set}`])
      return [live.value, owners, result.changed, result.unions]
    } catch (error) {
      if (error instanceof StructuredMergeError) return error.message
      throw error
    }
  })
}

describe.each(names)("what is known of unions that are settled, with %s", policy => {
  it("changes no result", () => {
    fc.assert(
      fc.property(schema, fc.array(step, { minLength: 2, maxLength: 4 }), (from, steps) => {
        const type = typeOf(from)
        expect(tell(policy, type, steps, false)).toEqual(tell(policy, type, steps, true))
      }),
      { numRuns: 300 },
    )
  })
})

describe("across policies", () => {
  it("v4 keeps nothing that was not there, but for discriminators", () => {
    fc.assert(
      fc.property(schema, object, object, (from, before, after) => {
        const type = typeOf(from)
        const next = TypedValue.of(after, type)
        const settled = unlessRefused(() => normalizeUnions(TypedValue.of(before, type), next))
        if (settled === null) return
        const { added, modified } = next.compare(settled.object)
        for (const path of added.union(modified)) {
          const last = path[path.length - 1]
          const gone = valueAt(settled.object.value, path) === undefined || last?.kind !== "field"
          expect([formatPath(path), gone || last.name === "t" || members.some(name => name === last.name)]).toEqual([
            formatPath(path),
            true,
          ])
        }
      }),
    )
  })

  it("kep-2022 and its validation never let two members pass", () => {
    fc.assert(
      fc.property(schema, object, object, (from, before, after) => {
        const type = typeOf(from)
        const old = TypedValue.of(before, type)
        const { object: settled } = normalizeUnions(old, TypedValue.of(after, type), { policy: "kep-2022" })
        if (validateUnions(undefined, settled, { style: "kep-2022" }).length > 0) return
        const root = settled.value as Record<string, Value>
        const zeroIsUnset = type.map?.unions[0]?.fields?.[0] as { zeroIsUnset?: boolean } | undefined
        const set = members.filter(name => {
          const value = Object.hasOwn(root, name) ? root[name] : undefined
          return (
            value !== undefined && value !== null && !(name === "a" && value === 0 && zeroIsUnset?.zeroIsUnset === true)
          )
        })
        expect(set.length).toBeLessThan(2)
      }),
    )
  })

  it("off is the object as it was given", () => {
    fc.assert(
      fc.property(schema, object, object, (from, before, after) => {
        const type = typeOf(from)
        const next = TypedValue.of(after, type)
        expect(normalizeUnions(TypedValue.of(before, type), next, { policy: "off" }).object).toBe(next)
      }),
    )
  })
})
