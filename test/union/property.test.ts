/** Laws of union normalization, on random unions and objects, for every policy. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { valueAt } from "../../src/fieldpath/lookup.js"
import type { Managers } from "../../src/fieldpath/managers.js"
import { formatPath, type Path, pathOf } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { Updater } from "../../src/merge/updater.js"
import type { Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { normalizeUnions, normalizeUnionsApply } from "../../src/union/normalize.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { type UnionChange, unionFieldPath } from "../../src/union/report.js"
import { validateUnions } from "../../src/union/validate.js"
import { isList, isMap, type Value } from "../../src/value/value.js"
import { runs } from "../support/budget.js"
import { exclusive, members, object, schema, step, typeOf } from "./arbitraries.js"
import { unlessRefused } from "./story.js"

const names = Object.keys(unionPolicies) as UnionPolicyName[]
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

/** Returns `value` with the edits of a report. */
function replay(value: Value, changes: readonly UnionChange[], carried: Value, config: Value = null): Value {
  const out = structuredClone(value)
  for (const change of changes) {
    const map = valueAt(out, change.path) as Record<string, Value>
    for (const { field, item } of change.cleared) {
      if (item !== undefined) {
        const list = map.items as Value[]
        list.splice(list.indexOf(valueAt(map, item) as Value), 1)
        continue
      }
      // A null that is applied along with the member does not count as a member, and comes back with the next apply.
      if (valueAt(config, unionFieldPath(change, field)) === null) map[field] = null
      else delete map[field]
    }
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
  const nullsStay = unionPolicies[policy].applyBasis === "merged-vs-live"

  it("normalizes an update idempotently, and reports every edit", () => {
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
      runs(150),
    )
  })

  it("normalizes an apply idempotently, and reports every edit", () => {
    fc.assert(
      fc.property(schema, object, object, (from, before, config) => {
        const type = typeOf(from)
        const live = TypedValue.of(before, type)
        const applied = TypedValue.of(config, type)
        const merged = live.merge(applied)
        const settled = unlessRefused(() => normalizeUnionsApply(applied, merged, { policy, live }))
        if (settled === null) return
        expect(settled.object.value).toEqual(replay(merged.value, settled.unions, before, nullsStay ? config : null))
        const again = normalizeUnionsApply(applied, settled.object, { policy, live })
        expect(withoutUnset(again.object.value)).toEqual(withoutUnset(settled.object.value))
      }),
      runs(150),
    )
  })

  it("gives written discriminators to the actor or the owners of their members, and reports the owners of cleared members", () => {
    fc.assert(
      fc.property(schema, object, object, fc.boolean(), (from, first, second, force) => {
        const type = typeOf(from)
        const updater = new Updater({ unions: policy, validateUnions: false })
        const nobody: Managers = new Map()
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
        const owns = (manager: string, path: Path) => result.managers.get(manager)?.set.has(path) === true
        for (const change of result.unions) {
          const { discriminator } = change
          if (discriminator?.implied === true) {
            const path = unionFieldPath(change, discriminator.field)
            const member = unionFieldPath(change, discriminator.because ?? "")
            const owned = mine.has(path) || ownersBelow(result.managers, member).every(name => owns(name, path))
            expect([formatPath(path), owned]).toEqual([formatPath(path), true])
          }
          for (const { field, owners } of change.cleared) {
            expect(owners).toEqual(ownersBelow(start.managers, unionFieldPath(change, field)))
          }
        }
      }),
      runs(150),
    )
  })
})

function ownersBelow(managers: Managers, path: Path): string[] {
  const owns = (set: FieldSet) => [...set].some(owned => formatPath(owned.slice(0, path.length)) === formatPath(path))
  return Array.from(managers).flatMap(([manager, { set }]) => (owns(set) ? [manager] : []))
}

/** Returns the outcome of a story. With `forget`, only the values of objects are known, not that they are valid. */
function tell(
  policy: UnionPolicyName,
  type: Type,
  steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[],
  forget: boolean,
): unknown {
  const typed = (value: Value) => (forget ? TypedValue.unvalidated(value, type) : TypedValue.of(value, type))
  const updater = new Updater({ unions: policy, validateUnions: false })
  let live = typed(null)
  let managers: Managers = new Map()
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

describe.each(names)("the knowledge about settled unions, with %s", policy => {
  it("changes no result", () => {
    fc.assert(
      fc.property(schema, fc.array(step, { minLength: 2, maxLength: 4 }), (from, steps) => {
        const type = typeOf(from)
        expect(tell(policy, type, steps, false)).toEqual(tell(policy, type, steps, true))
      }),
      runs(300),
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
        if (type.map?.unions.length === 2) {
          const items = exclusive.filter(name => valueAt(root, pathOf("items", { name })) !== undefined)
          expect(items.length).toBeLessThan(2)
        }
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
