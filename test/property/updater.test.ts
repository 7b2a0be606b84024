import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { equalManagers, type Managers } from "../../src/fieldpath/managers.js"
import type { FieldSet } from "../../src/fieldpath/set.js"
import { ConflictError } from "../../src/merge/conflict.js"
import { prune } from "../../src/merge/prune.js"
import type { UpdateResult } from "../../src/merge/request.js"
import { Updater } from "../../src/merge/updater.js"
import { sameInEveryVersion, Versions } from "../../src/merge/versions.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { identicalValues } from "../../src/value/equal.js"
import { runs } from "../support/budget.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { arbitraryTypedValues } from "./arbitraries.js"

const updater = new Updater()
const none: Managers = new Map()

/** An object and its owners. */
interface State {
  readonly object: TypedValue
  readonly managers: Managers
}

interface Step {
  readonly op: "apply" | "force" | "update"
  readonly manager: string
}

const arbitrarySteps = fc.array(
  fc.record<Step>({ op: fc.constantFrom("apply", "force", "update"), manager: fc.constantFrom("a", "b", "c") }),
  { minLength: 4, maxLength: 4 },
)

function take(state: State, { op, manager }: Step, object: TypedValue): UpdateResult {
  const request = { manager, apiVersion: "v1", managers: state.managers, force: op === "force" }
  const result =
    op === "update" ? updater.update(state.object, object, request) : updater.apply(state.object, object, request)
  deepFreeze(result.object.value)
  for (const { set } of result.managers.values()) deepFreeze(set)
  return result
}

/** Returns the state after the step, or the state before it if there is a conflict. */
function takeOrLeave(state: State, step: Step, object: TypedValue): State {
  try {
    return take(state, step, object)
  } catch (error) {
    if (error instanceof ConflictError) return state
    throw error
  }
}

/** A law about the last of some random steps: the state before it, the step, and its object. */
function law(name: string, check: (before: State, step: Step, object: TypedValue) => void): void {
  it(name, () => {
    const property = fc.property(arbitraryTypedValues(4), arbitrarySteps, ({ type, values }, steps) => {
      let state: State = { object: TypedValue.of(null, type), managers: none }
      const objects = values.map(value => TypedValue.of(value, type))
      for (const [i, step] of steps.slice(0, -1).entries()) state = takeOrLeave(state, step, objects[i] as TypedValue)
      check(state, steps[3] as Step, objects[3] as TypedValue)
    })
    fc.assert(property, runs(80))
  })
}

function setOf(managers: Managers, manager: string): FieldSet | undefined {
  return managers.get(manager)?.set
}

describe("an apply", () => {
  law("gives the manager just what the configuration specifies", (before, { manager }, config) => {
    const { managers } = take(before, { op: "force", manager }, config)
    const specified = config.toFieldSet()
    if (specified.isEmpty()) expect(managers.has(manager)).toBe(false)
    else expect(managers.get(manager)).toMatchObject({ apiVersion: "v1", applied: true })
    expect(setOf(managers, manager)?.equals(specified) ?? true).toBe(true)
  })

  law(
    "of a manager's first configuration, done again, changes nothing and gives the live object",
    (before, _, config) => {
      const step: Step = { op: "force", manager: "new" }
      const once = take(before, step, config)
      const twice = take(once, step, config)
      expect(twice.object).toBe(once.object)
      expect(twice.changed).toBe(false)
      expect(equalManagers(once.managers, twice.managers)).toBe(true)
    },
  )

  // Pruning replaces an emptied map by null. The configuration may then put {} there.
  law("of any configuration settles after the second time", (before, { manager }, config) => {
    const step: Step = { op: "force", manager }
    const twice = take(take(before, step, config), step, config)
    const again = take(twice, { op: "apply", manager }, config)
    expect([again.object === twice.object, again.changed]).toEqual([true, false])
    expect(equalManagers(again.managers, twice.managers)).toBe(true)
  })

  law("by force never meets a conflict, and is the same as one that meets none", (before, { manager }, config) => {
    const forced = take(before, { op: "force", manager }, config)
    const unforced = takeOrLeave(before, { op: "apply", manager }, config)
    if (unforced === before) return
    expect(identicalValues(unforced.object.value, forced.object.value)).toBe(true)
    expect(equalManagers(unforced.managers, forced.managers)).toBe(true)
  })

  law("that meets a conflict names owners and what they own, and changes nothing", (before, { manager }, config) => {
    try {
      take(before, { op: "apply", manager }, config)
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error
      expect(error.conflicts.length).toBeGreaterThan(0)
      for (const conflict of error.conflicts) {
        expect(conflict.manager).not.toBe(manager)
        expect(setOf(before.managers, conflict.manager)?.has(conflict.path)).toBe(true)
      }
    }
  })

  law("leaves others no field that it changed", (before, { manager }, config) => {
    const after = take(before, { op: "force", manager }, config)
    expectTaken(before, after, manager)
  })

  law("tells whether it changed anything", (before, { manager }, config) => {
    const after = take(before, { op: "force", manager }, config)
    expect(after.changed).toBe(after.object !== before.object)
  })
})

describe("an update", () => {
  law("stores the object as it is given", (before, { manager }, next) => {
    expect(take(before, { op: "update", manager }, next).object).toBe(next)
  })

  law("gives the manager what changed, beside what it owned", (before, { manager }, next) => {
    const { managers } = take(before, { op: "update", manager }, next)
    const { modified, added, removed } = before.object.compare(next)
    const owned = setOf(before.managers, manager)
    const expected = (owned === undefined ? added : owned.difference(removed).union(added)).union(modified)
    expect(setOf(managers, manager)?.equals(expected) ?? expected.isEmpty()).toBe(true)
  })

  law("leaves others no field that it changed", (before, { manager }, next) => {
    expectTaken(before, take(before, { op: "update", manager }, next), manager)
  })

  law("with the live object changes no owner", (before, _) => {
    const { managers, changed } = take(before, { op: "update", manager: "new" }, before.object)
    expect(changed).toBe(false)
    expect(equalManagers(managers, before.managers)).toBe(true)
  })
})

/** Checks that all other managers own the same fields as before, without changed ones, and that managers without fields are gone. */
function expectTaken(before: State, after: State, manager: string): void {
  const { modified, added, removed } = before.object.compare(after.object)
  for (const [other, { set, apiVersion, applied }] of before.managers) {
    if (other === manager) continue
    const left = set.difference(modified).difference(added).difference(removed)
    expect(setOf(after.managers, other)?.equals(left) ?? left.isEmpty()).toBe(true)
    if (!left.isEmpty()) expect(after.managers.get(other)).toMatchObject({ apiVersion, applied })
  }
  expect([...after.managers.keys()].filter(name => name !== manager && !before.managers.has(name))).toEqual([])
}

describe("pruning", () => {
  it("gives the same whether it looks into the whole object or only where the configuration leaves out fields", () => {
    const property = fc.property(arbitraryTypedValues(4), arbitrarySteps, ({ type, values }, steps) => {
      let state: State = { object: TypedValue.of(null, type), managers: none }
      const objects = values.map(value => TypedValue.of(value, type))
      for (const [i, step] of steps.slice(0, -1).entries()) state = takeOrLeave(state, step, objects[i] as TypedValue)
      const config = objects[3] as TypedValue
      const { set, hasEmptyMembers, hasBareItems } = config.specified()
      const { merged, emptyMeetsEmptyList } = state.object.mergeWith(config, true)
      if (hasBareItems || (hasEmptyMembers && emptyMeetsEmptyList)) return
      const managers = new Map(state.managers).set("a", { set, apiVersion: "v1", applied: true })
      const last = state.managers.get("a")
      const [whole, narrowed] = [null, set].map(applied =>
        prune({ versions: new Versions(sameInEveryVersion), merged, managers, last, apiVersion: "v1", applied }),
      )
      expect(narrowed?.value).toEqual(whole?.value)
    })
    fc.assert(property, runs(300))
  })
})
