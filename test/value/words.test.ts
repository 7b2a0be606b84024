import { expect, it } from "vitest"
import { listAnd, listOr } from "../../src/value/words.js"

it("lists words in a sentence", () => {
  const lists = [[], ["a"], ["a", "b"], ["a", "b", "c"]]
  expect(lists.map(listAnd)).toEqual(["", "a", "a and b", "a, b and c"])
  expect(lists.map(listOr)).toEqual(["", "a", "a or b", "a, b or c"])
})
