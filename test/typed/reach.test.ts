import { describe, expect, it } from "vitest"
import { partWithin, reachBeyond } from "../../src/typed/reach.js"
import { set, show } from "../fieldpath/notation.js"
import { thing } from "./notation.js"

describe("reachBeyond", () => {
  it.each([
    ["a field that the other lacks", "s n", "n", "s"],
    ["the highest field without members of the other", "in.in.s", "s", "in"],
    ["a deeper field where the other has a member beside it", "in.in.s", "in.in.n", "in.in.s"],
    ["a field of an item, with its keys", "list[k=a].v", "list[k=a].k", "list[k=a].k list[k=a].v"],
    ["a whole item that the other lacks", "list[k=a] list[k=a].k", "list[k=b]", "list[k=a]"],
    ["a member with everything below it", "maps.a maps.a.x", "maps.a.y", "maps.a"],
    ["nothing where the other has everything", "s", "s n", ""],
  ])("is %s", (_, given, other, reach) => {
    expect(show(reachBeyond(set(given).difference(set(other)), set(other)))).toBe(show(set(reach)))
  })
})

describe("partWithin", () => {
  const value = { s: "a", in: { s: "b", n: 1 }, list: [{ k: "a", v: 1 }, { k: "b" }], frozen: { x: "1", y: "2" } }

  it.each([
    ["a field", "s", { s: "a" }],
    ["a field of a struct", "in.n", { in: { n: 1 } }],
    ["a whole item", "list[k=a]", { list: [{ k: "a", v: 1 }] }],
    ["a part of an item", "list[k=a].k list[k=b].v", { list: [{ k: "a" }, {}] }],
    ["an atomic struct as a whole", "frozen.x", { frozen: { x: "1", y: "2" } }],
    ["nothing that the value lacks", "b list[k=z]", { list: [] }],
  ])("takes %s", (_, reach, part) => {
    expect(partWithin(thing, value, set(reach))).toEqual(part)
  })

  it("finds items in long lists", () => {
    const list = Array.from({ length: 40 }, (_, i) => ({ k: `k${i}` }))
    const reach = set(Array.from({ length: 20 }, (_, i) => `list[k=k${2 * i}]`).join(" "))
    expect(partWithin(thing, { list }, reach)).toEqual({ list: list.filter((_, i) => i % 2 === 0) })
  })
})
