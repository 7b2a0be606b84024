import {
  ConflictError,
  type Converter,
  formatFieldsV1,
  type Managers,
  noManagers,
  type Type,
  TypedValue,
  Updater,
} from "../../src/index.js"
import type { Plan, StoryCase } from "../fixtures/plan-types.js"
import { freshObject, sortedJson, typeOfObject } from "./objects.js"
import type { Runnable } from "./runnable.js"

/** All versions are the same, but the Updater does not know that, and calls the converter each time. */
const converter: Converter = { convert: object => object }

interface Step {
  readonly verb: "apply" | "update"
  readonly object: TypedValue
  readonly request: { readonly manager: string; readonly apiVersion: string; readonly force: boolean }
  readonly conflict: boolean
}

interface State {
  readonly live: TypedValue
  readonly managers: Managers
}

/** Objects are parsed before the clock starts, one for each step. The story starts without an object each time. */
export function storyCase(plan: Plan, { steps, returnInputOnNoop, unions }: StoryCase): Runnable {
  const type = typeOfObject(plan, (steps[0] as StoryCase["steps"][number]).object)
  const prepared = steps.map(({ verb, object, manager, apiVersion, force, conflict }): Step => {
    const typed = freshObject(plan, object, { allowDuplicates: verb === "update" })
    return { verb, object: typed, request: { manager, apiVersion, force }, conflict }
  })
  const run = () => tell(type, new Updater({ converter, returnInputOnNoop, unions }), prepared)
  return { run, answer: () => describe(run()) }
}

function tell(type: Type, updater: Updater, steps: readonly Step[]): State {
  let live = TypedValue.of(null, type)
  let managers = noManagers
  for (const { verb, object, request, conflict } of steps) {
    if (conflict) {
      expectConflict(() => updater.apply(live, object, { ...request, managers }))
      continue
    }
    const result = updater[verb](live, object, { ...request, managers })
    live = result.object
    managers = result.managers
  }
  return { live, managers }
}

function expectConflict(run: () => void): void {
  try {
    run()
  } catch (error) {
    if (error instanceof ConflictError) return
    throw error
  }
  throw new Error("expected a conflict")
}

function describe({ live, managers }: State): string {
  const owners: Record<string, unknown> = {}
  for (const [manager, { set, apiVersion, applied }] of managers) {
    owners[manager] = { apiVersion, applied, fields: formatFieldsV1(set) }
  }
  return sortedJson({ object: live.value, owners })
}
