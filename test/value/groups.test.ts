import { describe, expect, it } from "vitest"
import { addToGroup, DisjointGroups, groupBy } from "../../src/value/groups.js"

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

describe("DisjointGroups", () => {
  it("joins whole groups", () => {
    const groups = new DisjointGroups<number>()
    groups.join([1, 2, 3])
    groups.join([5, 6])
    groups.join([3])
    expect([1, 2, 3].map(item => groups.of(item) === groups.of(1))).toEqual([true, true, true])
    expect([4, 5].map(item => groups.of(item) === groups.of(1))).toEqual([false, false])
    groups.join([6, 2])
    groups.join([])
    expect(new Set([1, 2, 3, 5, 6].map(item => groups.of(item))).size).toBe(1)
    expect(groups.of(4)).toBe(4)
  })
})
