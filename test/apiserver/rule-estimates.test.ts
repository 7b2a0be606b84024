/** The estimated costs of rules, for which a server refuses definitions. */
import { beforeAll, expect, it } from "vitest"
import { totalProblems } from "../../src/kinds/rules/budget.js"
import { rulesOf } from "../../src/kinds/rules/compile.js"
import { loadCel } from "../../src/kinds/rules/library.js"
import type { MapValue } from "../../src/value/value.js"

beforeAll(loadCel)

const text: MapValue = { type: "string", maxLength: 10 }
const texts: MapValue = { type: "array", maxItems: 5, items: text }

function estimates(schema: MapValue, ...rules: string[]): readonly number[] | undefined {
  const validations = rules.map(rule => ({ rule }))
  return rulesOf({ ...schema, "x-kubernetes-validations": validations }, { part: true })?.costs.map(({ cost }) => cost)
}

it.each([
  [{ type: "integer" }, "self == oldSelf", 2],
  [{ type: "integer" }, "self > 0 ? self < 100 : true", 4],
  [{ type: "number" }, "double(int(self)) == self", 4],
  [{ type: "boolean" }, "self || !oldSelf", 3],
  [text, "self == oldSelf", 6],
  [text, "self.startsWith('a')", 2],
  [text, "self.matches('^[a-c]*$')", 11],
  [text, "self in ['a', 'b', 'c', 'd']", 15],
  [text, "self.replace('ab', 'abc').size() < 3", 11],
  [texts, "self.all(x, x != 'z')", 27],
  [texts, "self.exists(x, x == 'z')", 32],
  [texts, "self.filter(x, true).size() < 3", 79],
  [texts, "self.isSorted()", 26],
  [{ type: "object", maxProperties: 5, additionalProperties: text }, "'a' in self", 2],
  [{ type: "object", properties: { a: text } }, "!has(self.a) || self.a != ''", 4],
])("of a %j by %s", (schema, rule, cost) => {
  expect(estimates(schema, rule)).toEqual([cost])
})

it("are multiplied by the greatest number of items", () => {
  const rule = { "x-kubernetes-validations": [{ rule: "self == self" }] }
  const within = (list: MapValue) =>
    rulesOf({ type: "object", properties: { list } }, { part: true })?.costs.map(({ cost }) => cost)
  expect(within({ type: "array", maxItems: 7, items: { ...text, ...rule } })).toEqual([42])
  // Without a limit, the size of a request limits the number.
  expect(within({ type: "array", items: { ...text, ...rule } })).toEqual([6 * 1_048_576])
})

it("are limited for each schema together", () => {
  expect(totalProblems([{ path: "a", cost: 99_999_999 }])).toEqual([])
  const costs = [2e6, 9e7, 1e6 - 1, 5e6, 3e6, 4e6].map((cost, i) => ({ path: `${i}`, cost }))
  expect(totalProblems(costs).map(({ path }) => path)).toEqual(["1", "3", "5", "4", ""])
})
