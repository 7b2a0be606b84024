import { expect, it } from "vitest"
import { counted, escapePattern, listAnd, listOr, wildcardPattern } from "../../src/value/words.js"

it("lists words in a sentence", () => {
  const lists = [[], ["a"], ["a", "b"], ["a", "b", "c"]]
  expect(lists.map(listAnd)).toEqual(["", "a", "a and b", "a, b and c"])
  expect(lists.map(listOr)).toEqual(["", "a", "a or b", "a, b or c"])
})

it("counts things", () => {
  expect([0, 1, 2].map(number => counted(number, "field"))).toEqual(["0 fields", "1 field", "2 fields"])
  expect([1, 2].map(number => counted(number, "entry", "entries"))).toEqual(["1 entry", "2 entries"])
})

it("escapes every character with a meaning in regular expressions", () => {
  const text = "a\\^$.*+?()[]{}|b"
  expect(new RegExp(`^${escapePattern(text)}$`, "u").test(text)).toBe(true)
})

it("matches names with stars", () => {
  const pattern = wildcardPattern("kube-*.x*")
  const names = ["kube-a.x", "kube-.xyz", "kube-a\n.x", "kube-ax", "akube-.x"]
  expect(names.filter(name => pattern.test(name))).toEqual(["kube-a.x", "kube-.xyz", "kube-a\n.x"])
})
