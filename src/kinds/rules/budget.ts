// Limits the estimated costs of a definition's rules: of each expression, and of all expressions of a schema together.

import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { restOf } from "../structural/schema.js"
import { times } from "./estimate.js"
import { type Declared, limitOf, mostBytes } from "./types.js"

/** The greatest estimates that a server allows for one expression, and for those of a schema. */
export const mostOfExpression = 10_000_000
const mostOfSchema = 100_000_000

/** The estimate for an expression, with the path of the expression in the schema. */
export interface RuleCost {
  readonly path: string
  readonly cost: number
}

/** Returns how often the parts of a schema occur in an object; undefined if nothing limits that. `count` is how often the schema itself occurs. */
export function countOfParts(schema: MapValue, count: number | undefined): number | undefined {
  const isMap = own(schema, "type") === "object" && restOf(schema) !== undefined
  const keyword = isMap ? "maxProperties" : own(schema, "type") === "array" ? "maxItems" : undefined
  if (keyword === undefined || count === undefined) return count
  const limit = limitOf(schema, keyword)
  return limit === undefined ? undefined : times(count, limit)
}

/** Returns the cost of an expression that is evaluated `count` times; undefined if only the size of a request limits that. */
export function costOfAll(cost: number, count: number | undefined, { least }: Declared): number {
  return times(cost, count ?? Math.floor(mostBytes / (least + 1)))
}

/** Words an estimate that is too great. */
export function overBudget(what: string, cost: number, limit: number): string {
  const factor = cost / limit
  const shown = factor > 100 ? "more than 100" : factor.toFixed(factor < 1.5 ? 6 : 1)
  return `${what} exceeds budget by factor of ${shown}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}

/** Returns the problems of rules that cost too much together: one for each of the most expensive, and one for the schema, whose path is "". */
export function totalProblems(costs: readonly RuleCost[]): { readonly path: string; readonly message: string }[] {
  const total = costs.reduce((sum, { cost }) => sum + cost, 0)
  if (total <= mostOfSchema) return []
  const expensive = costs.filter(({ cost }) => cost >= mostOfSchema / 100).toSorted((a, b) => b.cost - a.cost)
  const contributed = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
  const whole = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema"
  return [
    ...expensive.slice(0, 4).map(({ path }) => ({ path, message: contributed })),
    { path: "", message: overBudget(whole, total, mostOfSchema) },
  ]
}
