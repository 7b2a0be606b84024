import { describe, expect, it } from "vitest"
import { entryOf, setOfEntries, sortEntries, uniteSets } from "../../src/fieldpath/builder.js"
import { fieldElement, indexElement } from "../../src/fieldpath/create-element.js"
import { compareElements } from "../../src/fieldpath/element.js"
import { Entry, FieldSet, leafEntry } from "../../src/fieldpath/set.js"
import { set, show } from "./notation.js"

const a = fieldElement("a")

describe("entryOf", () => {
  it("returns the shared leaf entry if nothing is below it", () => {
    expect(entryOf(a, true, FieldSet.empty)).toBe(leafEntry(a))
  })

  it("returns null for neither a member nor children", () => {
    expect(entryOf(a, false, FieldSet.empty)).toBeNull()
  })

  it.each([true, false])("keeps the children, member: %s", member => {
    const below = set("x")
    expect(entryOf(a, member, below)).toEqual(new Entry(a, member, below))
    expect(entryOf(a, member, below)?.children).toBe(below)
  })
})

describe("setOfEntries", () => {
  it("returns the shared empty set for no entries", () => {
    expect(setOfEntries([])).toBe(FieldSet.empty)
  })

  it("sorts by element, whatever its kind", () => {
    const elements = [indexElement(0), fieldElement("\u{1f600}"), fieldElement("b"), fieldElement("\uffff"), a]
    expect(show(setOfEntries(elements.map(leafEntry)))).toBe("a b \uffff \u{1f600} [0]")
  })
})

describe("uniteSets", () => {
  it.each([
    [[], ""],
    [["a"], "a"],
    [["a.b", "c", "a", "c b", "d"], "a b c d a.b"],
  ])("%j", (texts, united) => {
    expect(show(uniteSets(texts.map(set)))).toBe(united)
  })

  it("returns the set itself if there is only one", () => {
    const only = set("a")
    expect(uniteSets([only])).toBe(only)
  })
})

describe("sortEntries", () => {
  const numbered = (order: readonly number[]) => order.map(i => leafEntry(indexElement(i)))
  const sequence = (length: number) => Array.from({ length }, (_, i) => i)

  it.each([
    ["none", []],
    ["one", [0]],
    ["a few in reverse", sequence(5).reverse()],
    ["many in order", sequence(100)],
    ["many in reverse", sequence(100).reverse()],
    ["many in order, except that the last comes first", [...sequence(100).map(i => i + 1), 0]],
    ["many with neighbours swapped", sequence(100).map(i => i ^ 1)],
    ["many in disorder", sequence(101).map(i => (i * 37) % 101)],
    [
      "many in order, then many in reverse",
      [
        ...sequence(50),
        ...sequence(50)
          .reverse()
          .map(i => i + 25),
      ],
    ],
  ])("sorts %s", (_, order) => {
    const entries = numbered(order)
    sortEntries(entries)
    const expected = numbered([...order].sort((x, y) => x - y))
    expect(entries.map((entry, i) => compareElements(entry.element, (expected[i] as Entry).element))).toEqual(
      order.map(() => 0),
    )
  })
})
