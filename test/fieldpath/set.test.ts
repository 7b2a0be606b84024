import { deepStrictEqual } from "node:assert"
import { isDeepStrictEqual } from "node:util"
import { describe, expect, it } from "vitest"
import { StructuredMergeError } from "../../src/errors.js"
import { fieldElement, keyElement, valueElement } from "../../src/fieldpath/create-element.js"
import { invalidElement, type PathElement } from "../../src/fieldpath/element.js"
import { formatFieldsV1, parseFieldsV1 } from "../../src/fieldpath/fieldsv1/text.js"
import { comparePaths, type Path } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { deducedType } from "../../src/typed/deduced.js"
import { reconcileFieldSet } from "../../src/typed/reconcile.js"
import { maxDepth } from "../../src/value/depth.js"
import { fillTables } from "../support/fill-tables.js"
import { element, path, set, show } from "./notation.js"

describe("FieldSet.of", () => {
  it("accepts paths in any order, more than once", () => {
    expect(FieldSet.of(["b", "a.c", "a", "a.c"].map(path)).equals(set("a a.c b"))).toBe(true)
  })

  it("does not add parents", () => {
    const made = FieldSet.of([path("a.b.c")])
    expect([made.has(path("a")), made.has(path("a.b")), made.size]).toEqual([false, false, 1])
  })

  it.each([10, 3_000])("accepts %i paths, whether equal elements are the same object or not", size => {
    const paths = Array.from(
      { length: size },
      (_, i): Path => [keyElement({ k: i % 10 }), valueElement((i * 7) % size)],
    )
    const made = FieldSet.of(paths.toReversed())
    expect(made.entries).toHaveLength(10)
    expect(made.size).toBe(size)
    expect(paths.every(path => made.has(path))).toBe(true)
    expect(made.equals(FieldSet.of(paths.toSorted(comparePaths)))).toBe(true)
  })

  it("ignores the root", () => {
    expect(FieldSet.of([[]])).toBe(FieldSet.empty)
    expect(show(FieldSet.of([path("a"), []]))).toBe("a")
  })

  it("accepts any iterable, and does not change it", () => {
    const paths = Object.freeze(["c", "b.x", "a"].map(path))
    expect(show(FieldSet.of(paths))).toBe("a c b.x")
    expect(show(FieldSet.of(new Set(paths).values()))).toBe("a c b.x")
  })

  it("is empty without paths, and so is `new FieldSet()`, which the declarations allow", () => {
    expect(FieldSet.of([])).toBe(FieldSet.empty)
    expect(new FieldSet().entries).toEqual([])
  })

  it("refuses paths that nest too deep", () => {
    const deep = (length: number): Path => new Array<PathElement>(length).fill(fieldElement("a"))
    expect(FieldSet.of([deep(maxDepth)]).size).toBe(1)
    expect(() => FieldSet.of([path("a"), deep(maxDepth + 1)])).toThrow(StructuredMergeError)
  })
})

// a, b and what the operation makes of them, all in the notation for sets.
type Row = [title: string, a: string, b: string, result: string]

const unions: Row[] = [
  ["nothing and nothing", "", "", ""],
  ["nothing and a set", "", "a", "a"],
  ["disjoint members", "a c", "b", "a b c"],
  ["the same members", "a b", "a b", "a b"],
  ["a member and one below it", "a", "a.b", "a a.b"],
  ["members below one parent", "a.b a.d", "a.c", "a.b a.c a.d"],
  ["elements of every kind", "f[k=1] f[0]", "f[=1] f.x", "f.x f[k=1] f[=1] f[0]"],
  ["names in the order of UTF-8", "\u{1f600}", "\uffff", "\uffff \u{1f600}"],
]

const intersections: Row[] = [
  ["nothing and a set", "", "a", ""],
  ["a set and nothing", "a", "", ""],
  ["disjoint members", "a", "b", ""],
  ["some of the same members", "a b c", "b c d", "b c"],
  ["a member and one below it", "a", "a.b", ""],
  ["a member on one side, children on both", "a a.b", "a.b a.c", "a.b"],
  ["children without one in common", "a.b", "a.c", ""],
  ["a set with keys and its part", "l[k=1].x l[k=2]", "l[k=1].x l[k=1]", "l[k=1].x"],
]

const differences: Row[] = [
  ["nothing less a set", "", "a", ""],
  ["a set less nothing", "a", "", "a"],
  ["a set less itself", "a b.c", "a b.c", ""],
  ["a set less others", "a", "b c.d", "a"],
  ["a set less some members", "a b c", "b", "a c"],
  ["a member less one below it", "a", "a.b", "a"],
  ["one below a member less the member", "a.b", "a", "a.b"],
  ["a member and one below it less the member", "a a.b", "a", "a.b"],
  ["a member and one below it less the one below", "a a.b", "a.b", "a"],
  ["the last below a parent", "a.b c", "a.b", "c"],
  ["members after the last one of the other set", "a b c d", "a", "b c d"],
]

const recursiveDifferences: Row[] = [
  ["a set less nothing", "a", "", "a"],
  ["a member less one below it", "a", "a.b", "a"],
  ["one below a member less the member", "a.b", "a", ""],
  ["all below a member", "a a.b a.b.c a.d e", "a", "e"],
  ["all below a nested member", "a a.b a.b.c a.d", "a.b", "a a.d"],
  ["below an element that is not a member, nothing is removed", "a a.b a.c", "a.b.x", "a a.b a.c"],
  ["an item of a list and its fields", "l[k=1] l[k=1].x l[k=2].x", "l[k=1]", "l[k=2].x"],
]

describe.each([
  ["union", unions, (a: FieldSet, b: FieldSet) => a.union(b)],
  ["intersection", intersections, (a: FieldSet, b: FieldSet) => a.intersection(b)],
  ["difference", differences, (a: FieldSet, b: FieldSet) => a.difference(b)],
  ["recursiveDifference", recursiveDifferences, (a: FieldSet, b: FieldSet) => a.recursiveDifference(b)],
] as const)("%s of", (_, rows, compute) => {
  it.each(rows)("%s", (_, a, b, result) => {
    expect(show(compute(set(a), set(b)))).toBe(show(set(result)))
    expect(compute(set(a), set(b)).equals(set(result))).toBe(true)
  })
})

describe("union and intersection", () => {
  it.each([...unions, ...intersections])("do not depend on the order of the operands: %s", (_, a, b) => {
    expect(
      set(a)
        .union(set(b))
        .equals(set(b).union(set(a))),
    ).toBe(true)
    expect(
      set(a)
        .intersection(set(b))
        .equals(set(b).intersection(set(a))),
    ).toBe(true)
  })
})

describe("sharing", () => {
  const a = set("a a.b c.d e[k=1].x")
  const part = set("a.b e[k=1].x")
  const other = set("z")
  const more = set("c.d c.e")

  it.each([
    ["union with nothing", () => a.union(FieldSet.empty), a],
    ["union of nothing", () => FieldSet.empty.union(a), a],
    ["union with itself", () => a.union(a), a],
    ["union with a part", () => a.union(part), a],
    ["union with an intersection of itself", () => a.intersection(part).union(a), a],
    ["union with a set that has more below the same", () => more.difference(set("c.e")).union(more), more],
    ["union with a set that has less below the same", () => more.union(set("c.d")), more],
    ["union with an equal set", () => a.union(set("a a.b c.d e[k=1].x")), a],
    ["intersection with itself", () => a.intersection(a), a],
    ["intersection of a part", () => part.intersection(a), part],
    ["intersection of disjoint sets", () => a.intersection(other), FieldSet.empty],
    ["difference with a disjoint set", () => a.difference(other), a],
    ["difference with nothing", () => a.difference(FieldSet.empty), a],
    ["difference with itself", () => a.difference(a), FieldSet.empty],
    ["difference with an equal set", () => part.difference(set("a.b e[k=1].x")), FieldSet.empty],
    ["recursive difference with a disjoint set", () => a.recursiveDifference(other), a],
    ["recursive difference with all that is above", () => part.recursiveDifference(set("a e")), FieldSet.empty],
    ["inserting a member", () => a.insert(path("c.d")), a],
    ["inserting the root", () => a.insert([]), a],
    ["leaves of a set of leaves", () => part.leaves(), part],
    ["what is below an absent element", () => a.withPrefix(element("q")), FieldSet.empty],
  ])("%s is an operand itself or the shared empty set", (_, compute, result) => {
    expect(compute()).toBe(result)
  })

  it("includes the sets of items with the same fields", () => {
    const [a, b, c] = ["a", "b", "c"].map(element) as [PathElement, PathElement, PathElement]
    const fields = [[a, b], [a, b], [a], [a, b, c]]
    const items = FieldSet.of(fields.flatMap((own, k) => own.map(field => [keyElement({ k }), field])))
    const below = fields.map((_, k) => items.withPrefix(keyElement({ k })))
    expect(below.map(show)).toEqual(["a b", "a b", "a", "a b c"])
    expect(below[1]).toBe(below[0])
  })

  it("includes subtrees that an operation does not reach", () => {
    const below = a.withPrefix(element("e"))
    for (const made of [
      a.union(other),
      a.difference(set("a.b")),
      a.intersection(set("e[k=1].x c.d")),
      a.insert(path("q")),
    ]) {
      expect(made.withPrefix(element("e"))).toBe(below)
    }
  })
})

describe("has", () => {
  const some = set("a a.b.c l[k=1,p=TCP].x s[=1] s[=x] i[0]")
  it.each([
    ["a", true],
    ["a.b", false],
    ["a.b.c", true],
    ["a.b.c.d", false],
    ["b", false],
    ["l[k=1,p=TCP]", false],
    ["l[p=TCP,k=1].x", true],
    ["l[k=1].x", false],
    ["s[=1]", true],
    ["s[=1.0]", true],
    ['s[="1"]', false],
    ["i[0]", true],
    ["i[=0]", false],
    ["", false],
  ])("%j: %s", (text, expected) => {
    expect(some.has(path(text))).toBe(expected)
  })

  it("finds a bigint by a number of the same value, and vice versa", () => {
    const numbers = FieldSet.of([[valueElement(1)], [keyElement({ k: 2n })]])
    expect([numbers.has([valueElement(1n)]), numbers.has([keyElement({ k: 2 })])]).toEqual([true, true])
  })

  it("finds every member among many", () => {
    const names = Array.from({ length: 500 }, (_, i) => `n${i}`)
    const many = set(names.join(" "))
    expect(names.filter(name => !many.has(path(name)))).toEqual([])
    expect(many.has(path("n500"))).toBe(false)
  })
})

describe("insert", () => {
  it.each([
    ["", "a.b", "a.b"],
    ["a", "a.b", "a a.b"],
    ["a.b", "a", "a a.b"],
    ["b", "a", "a b"],
    ["l[k=1]", "l[k=0].x", "l[k=1] l[k=0].x"],
  ])("into %j of %s", (before, inserted, after) => {
    const given = set(before)
    expect(given.insert(path(inserted)).equals(set(after))).toBe(true)
    expect(show(given)).toBe(show(set(before)))
  })
})

describe("size and isEmpty", () => {
  it.each([
    ["", 0],
    ["a", 1],
    ["a.b.c", 1],
    ["a a.b a.b.c d[=1]", 4],
  ])("of %j: %i", (text, size) => {
    expect([set(text).size, set(text).isEmpty()]).toEqual([size, size === 0])
  })
})

describe("withPrefix", () => {
  const some = set("a a.b l[k=1] l[k=1].x l[k=1].y.z")
  it.each([
    ["a", "b"],
    ["l", "[k=1] [k=1].x [k=1].y.z"],
    ["b", ""],
    ["[0]", ""],
  ])("%s leaves %j", (prefix, rest) => {
    expect(show(some.withPrefix(element(prefix)))).toBe(rest)
  })
})

describe("leaves", () => {
  it.each([
    ["", ""],
    ["a b", "a b"],
    ["a a.b", "a.b"],
    ["a a.b a.b.c d", "d a.b.c"],
    ["l[k=1] l[k=1].k l[k=2]", "l[k=2] l[k=1].k"],
  ])("of %j are %j", (all, leaves) => {
    expect(show(set(all).leaves())).toBe(leaves)
  })
})

describe("equals", () => {
  it.each([
    ["", "", true],
    ["a b", "b a", true],
    ["a", "a.b", false],
    ["a a.b", "a.b", false],
    ["a a.b", "a", false],
    ["a.b", "a.c", false],
    ["a", "a b", false],
    ["l[a=1,b=2]", "l[b=2,a=1]", true],
    ["l[k=1]", 'l[k="1"]', false],
    ["l[0]", "l[=0]", false],
  ])("%j and %j: %s", (a, b, equal) => {
    expect([set(a).equals(set(b)), set(b).equals(set(a))]).toEqual([equal, equal])
  })
})

describe("deep equality", () => {
  const texts = ["a", "a.b", "a a.b", "a a.c", "l[k=x]", "l[k=x].y", "l[a=x,b=1]", "l[a=x,b=2]", "l[=x]", "l[0]"]

  it("does not depend on the earlier use of the sets", () => {
    const used = texts.map(set)
    for (const each of used) {
      formatFieldsV1(each)
      reconcileFieldSet(deducedType(), each)
    }
    fillTables()
    const made = texts.map(set)
    expect(made[0]?.entries[0]?.element).not.toBe(used[0]?.entries[0]?.element)
    deepStrictEqual(made, used)
    expect(made).toStrictEqual(used)
    const read = made.map(each => parseFieldsV1(formatFieldsV1(each)))
    deepStrictEqual(read, used)
  })

  it("distinguishes different sets", () => {
    for (const a of texts) for (const b of texts) expect(isDeepStrictEqual(set(a), set(b))).toBe(a === b)
  })
})

describe("JSON", () => {
  it.each(["", "a", "a a.b l[k=x] l[k=x].y", "l[port=80,protocol=TCP] l[=x] l[0].a"])("of %j is its FieldsV1", text => {
    expect(JSON.stringify(set(text))).toBe(formatFieldsV1(set(text)))
  })

  it("is written even for items that have no path", () => {
    expect(JSON.stringify(FieldSet.of([[fieldElement("l"), invalidElement]]))).toBe(
      '{"f:l":{"{{invalid path element}}":{}}}',
    )
  })
})

describe("iterating", () => {
  const some = set("b a a.z a.b.c a.b l[k=2].x l[k=1] c.d")
  const inOrder = "a b a.b a.z a.b.c c.d l[k=1] l[k=2].x"

  it("visits the members of a level before what is below it, sorted", () => {
    expect(show(some)).toBe(inOrder)
  })

  it("passes the same path to each call of forEach, and a new path to each round of for-of", () => {
    const reused = new Set<Path>()
    some.forEach(visited => reused.add(visited))
    expect(reused.size).toBe(1)
    expect(new Set(some).size).toBe(some.size)
  })

  it("yields paths that make the same set again", () => {
    expect(FieldSet.of(some).equals(some)).toBe(true)
    expect([...some].sort(comparePaths)).toEqual([...FieldSet.of(some)].sort(comparePaths))
  })

  it("prints one path per line", () => {
    expect(String(set("a.b a l[k=x]"))).toBe('.a\n.a.b\n.l[k="x"]')
    expect(String(FieldSet.empty)).toBe("")
  })
})

// Sets made by the notation are frozen.
describe("frozen sets", () => {
  it("survive every operation", () => {
    const a = set("a a.b c[k=1].x d")
    const b = set("a.b c[k=1] e")
    const before = [show(a), show(b)]
    for (const x of [a, b]) {
      for (const y of [a, b]) {
        x.union(y).intersection(x).difference(y).recursiveDifference(x)
        x.insert(path("q.r")).leaves().equals(y)
      }
    }
    expect([show(a), show(b)]).toEqual(before)
  })
})
