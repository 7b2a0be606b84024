import {
  compileSchema,
  type Schema,
  type Type,
  TypedValue,
  type ValidationOptions,
  type Value,
} from "../../src/index.js"
import type { Plan } from "../fixtures/plan-types.js"

export function typeOfObject(plan: Plan, name: string): Type {
  const { schema, type } = fixtureOf(plan, name)
  return compileSchema(plan.schemas[schema] as Schema).type(type)
}

/** Returns a copy of the object that shares nothing with other copies. */
function freshValue(plan: Plan, name: string): Value {
  return JSON.parse(fixtureOf(plan, name).json) as Value
}

export function freshObject(plan: Plan, name: string, options: ValidationOptions = {}): TypedValue {
  return TypedValue.of(freshValue(plan, name), typeOfObject(plan, name), options)
}

function fixtureOf(plan: Plan, name: string): Plan["objects"][string] {
  const fixture = plan.objects[name]
  if (fixture === undefined) throw new Error(`no object ${name}`)
  return fixture
}

/** Returns JSON text with sorted keys, to compare the results of two programs. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
