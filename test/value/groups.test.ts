import { describe, expect, it } from "vitest"
import { addToGroup, groupBy } from "../../src/value/groups.js"

describe("groupBy", () => {
  it("keeps items with the same key together, in the order of their first items", () => {
    const words = ["pear", "apple", "fig", "plum", "kiwi"]
    expect([...groupBy(words, word => word.length)]).toEqual([
      [4, ["pear", "plum", "kiwi"]],
      [5, ["apple"]],
      [3, ["fig"]],
    ])
    expect(groupBy([], () => 1).size).toBe(0)
  })
})

describe("addToGroup", () => {
  it("adds to the group of an equal key only", () => {
    const groups = new Map<unknown, number[]>()
    const key = {}
    addToGroup(groups, key, 1)
    addToGroup(groups, {}, 2)
    addToGroup(groups, key, 3)
    expect([...groups.values()]).toEqual([[1, 3], [2]])
  })
})
