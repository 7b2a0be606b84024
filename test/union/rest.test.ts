/** Applies are idempotent: the same configuration again changes nothing, and nobody owns fields that do not exist. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { valueAt } from "../../src/fieldpath/lookup.js"
import { equalManagers, type Managers } from "../../src/fieldpath/managers.js"
import { formatPath } from "../../src/fieldpath/path.js"
import type { UpdateResult } from "../../src/merge/request.js"
import { Updater } from "../../src/merge/updater.js"
import type { Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { type UnionPolicyName, unionPolicies } from "../../src/union/policy.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import { runs } from "../support/budget.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { nearlySettled, object, schema, typeOf } from "./arbitraries.js"

const names = Object.keys(unionPolicies) as UnionPolicyName[]

/** Objects and configurations, some of which contradict themselves. `me` has applied others before. */
const scene = fc.record({
  from: schema,
  before: fc.array(
    fc.record({
      verb: fc.constantFrom("apply" as const, "update" as const),
      manager: fc.constantFrom("ctl", "me", "other"),
      unions: fc.constantFrom("off" as const, undefined),
      value: fc.oneof(object, nearlySettled),
    }),
    { maxLength: 4 },
  ),
  config: fc.oneof(object, nearlySettled).map(value => deepFreeze({ ...(filled(value, 0) as MapValue), name: "mine" })),
  force: fc.boolean(),
})

/**
 * Configurations without empty maps and lists, and without nulls in their place. If others own part of such a place, pruning or settling may
 * replace an empty map by null or the other way around, as pruning does upstream, and the next apply replaces it again.
 */
function filled(value: Value, depth: number): Value {
  if (isList(value)) return value.map(item => filled(item, depth + 1))
  if (!isMap(value)) return value
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const below = filled(item, depth + 1)
    const empty =
      below === null
        ? key === "b"
        : isMap(below)
          ? Object.keys(below).length === 0
          : isList(below) && below.length === 0
    if (!empty) return [[key, below] as const]
    return key === "b" ? [[key, depth === 0 ? { a: 1 } : { x: 1 }] as const] : []
  })
  return Object.fromEntries(entries)
}

/** The steps before the applies in question. Refused steps are skipped. */
function stage(
  updater: Updater,
  type: Type,
  steps: readonly (typeof scene extends fc.Arbitrary<infer Scene extends { before: unknown }>
    ? Scene["before"]
    : never)[number][],
): { object: TypedValue; managers: Managers } {
  let state: { object: TypedValue; managers: Managers } = {
    object: TypedValue.of(null, type),
    managers: new Map(),
  }
  for (const { verb, manager, unions, value } of steps) {
    const request = { manager, apiVersion: "v1", managers: state.managers, force: true, ...(unions && { unions }) }
    state = unlessRefused(() => updater[verb](state.object, TypedValue.of(value, type), request)) ?? state
  }
  return state
}

function unlessRefused(run: () => UpdateResult): UpdateResult | null {
  try {
    return run()
  } catch (error) {
    if (error instanceof StructuredMergeError) return null
    throw error
  }
}

describe.each(names)("%s", policy => {
  const updater = new Updater({ unions: policy, validateUnions: false })

  it("is idempotent after one apply, which leaves nobody with fields that do not exist", () => {
    fc.assert(
      fc.property(scene, ({ from, before, config, force }) => {
        const type = typeOf(from)
        const { object: live, managers } = stage(updater, type, before)
        const apply = (object: TypedValue, owners: Managers) =>
          updater.apply(object, TypedValue.of(config, type), {
            manager: "me",
            apiVersion: "v1",
            managers: owners,
            force,
          })
        const once = unlessRefused(() => apply(live, managers))
        if (once === null) return
        const owned = Array.from(once.managers.get("me")?.set ?? [])
        expect(owned.filter(path => valueAt(once.object.value, path) === undefined).map(formatPath)).toEqual([])
        const twice = apply(once.object, once.managers)
        expect(twice.object.value).toEqual(once.object.value)
        expect(Array.from(twice.managers, ([name, { set }]) => [name, `${set}`])).toEqual(
          Array.from(once.managers, ([name, { set }]) => [name, `${set}`]),
        )
        expect(equalManagers(twice.managers, once.managers)).toBe(true)
        expect(twice).toMatchObject({ changed: false, unions: [] })
      }),
      runs(300),
    )
  })
})
