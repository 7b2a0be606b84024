import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fieldElement } from "../../src/fieldpath/create-element.js"
import { compareElements, equalElements, formatFieldsV1Key, type PathElement } from "../../src/fieldpath/element.js"
import { parseFieldsV1Key } from "../../src/fieldpath/fieldsv1/key.js"
import { formatFieldsV1, parseFieldsV1 } from "../../src/fieldpath/fieldsv1/text.js"
import { fieldSetFromValue } from "../../src/fieldpath/from-value.js"
import { excludeFilter, includeFilter } from "../../src/fieldpath/matcher.js"
import { parsePath } from "../../src/fieldpath/parse-path.js"
import { comparePaths, equalPaths, formatPath, type Path } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { formatValue } from "../../src/value/format.js"
import type { Value } from "../../src/value/value.js"
import { runs } from "../support/budget.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { arbitraryElement, arbitraryPath, arbitrarySet, arbitraryValue } from "./arbitraries.js"

/** Sets of members must obey the laws of sets. These are the members as plain lists. */
function members(set: FieldSet): Path[] {
  return [...set]
}

function isIn(path: Path, paths: readonly Path[]): boolean {
  return paths.some(other => equalPaths(path, other))
}

function isBelow(path: Path, paths: readonly Path[]): boolean {
  return path.some((_, i) => isIn(path.slice(0, i + 1), paths))
}

function laws(name: string, law: (a: FieldSet, b: FieldSet, c: FieldSet) => void): void {
  it(name, () => {
    fc.assert(fc.property(arbitrarySet, arbitrarySet, arbitrarySet, law), runs(150))
  })
}

function same(a: FieldSet, b: FieldSet): void {
  expect(a.equals(b)).toBe(true)
  expect(formatFieldsV1(a)).toBe(formatFieldsV1(b))
}

describe("the algebra of sets", () => {
  laws("has the members that a plain list would have", (a, b) => {
    const [inA, inB] = [members(a), members(b)]
    const expected: [FieldSet, Path[]][] = [
      [a.union(b), [...inA, ...inB.filter(path => !isIn(path, inA))]],
      [a.intersection(b), inA.filter(path => isIn(path, inB))],
      [a.difference(b), inA.filter(path => !isIn(path, inB))],
      [a.recursiveDifference(b), inA.filter(path => !isBelow(path, inB))],
      [
        a.leaves(),
        inA.filter(
          path => !inA.some(other => other.length > path.length && equalPaths(path, other.slice(0, path.length))),
        ),
      ],
    ]
    for (const [set, paths] of expected) {
      same(set, FieldSet.of(paths))
      expect(set.size).toBe(paths.length)
      expect(set.isEmpty()).toBe(paths.length === 0)
      expect(paths.every(path => set.has(path))).toBe(true)
    }
  })

  laws("is commutative and associative", (a, b, c) => {
    same(a.union(b), b.union(a))
    same(a.intersection(b), b.intersection(a))
    same(a.union(b).union(c), a.union(b.union(c)))
    same(a.intersection(b).intersection(c), a.intersection(b.intersection(c)))
  })

  laws("distributes and absorbs", (a, b, c) => {
    same(a.intersection(b.union(c)), a.intersection(b).union(a.intersection(c)))
    same(a.union(b.intersection(c)), a.union(b).intersection(a.union(c)))
    same(a.union(a.intersection(b)), a)
    same(a.intersection(a.union(b)), a)
  })

  laws("takes sets apart and puts them together again", (a, b, c) => {
    same(a.difference(b).union(a.intersection(b)), a)
    same(a.difference(b).union(b.difference(a)).union(a.intersection(b)), a.union(b))
    same(a.difference(b).difference(c), a.difference(b.union(c)))
    expect(a.difference(b).intersection(b).isEmpty()).toBe(true)
    same(a.recursiveDifference(b).difference(b), a.recursiveDifference(b))
  })

  laws("gives an operand itself where that is the result", (a, b) => {
    const both = deepFreeze(a.union(b))
    expect(a.union(a)).toBe(a)
    expect(both.union(a)).toBe(both)
    expect(both.union(b)).toBe(both)
    expect(a.union(FieldSet.empty)).toBe(a)
    expect(FieldSet.empty.union(a)).toBe(a)
    expect(a.intersection(both)).toBe(a)
    expect(a.difference(b).difference(b)).toEqual(a.difference(b))
    const rest = deepFreeze(a.difference(b))
    expect(rest.difference(b)).toBe(rest)
    expect(a.difference(a)).toBe(FieldSet.empty)
    const leaves = deepFreeze(a.leaves())
    expect(leaves.leaves()).toBe(leaves)
  })

  laws("knows when sets are equal", (a, b) => {
    expect(a.equals(b)).toBe(a.difference(b).isEmpty() && b.difference(a).isEmpty())
    expect(a.equals(FieldSet.of(members(a).reverse()))).toBe(true)
  })
})

describe("a set", () => {
  it("gets a path by insert, and nothing else", () => {
    fc.assert(
      fc.property(arbitrarySet, arbitraryPath, (set, path) => {
        const inserted = deepFreeze(set.insert(path))
        expect(inserted.has(path)).toBe(true)
        expect(inserted.size).toBe(set.size + (set.has(path) ? 0 : 1))
        expect(inserted.insert(path)).toBe(inserted)
        same(inserted, FieldSet.of([...set, path]))
      }),
      runs(100),
    )
  })

  it("is made of what is below each of its elements", () => {
    fc.assert(
      fc.property(arbitrarySet, set => {
        for (const path of set) {
          const [first, ...rest] = path
          if (first !== undefined && rest.length > 0) expect(set.withPrefix(first).has(rest)).toBe(true)
        }
      }),
      runs(100),
    )
  })

  it("has its members sorted at every level", () => {
    fc.assert(
      fc.property(arbitrarySet, set => {
        const { entries } = set
        for (let i = 1; i < entries.length; i++) {
          const [before, after] = [entries[i - 1], entries[i]]
          if (before && after) expect(compareElements(before.element, after.element)).toBe(-1)
        }
        expect(members(set).toSorted(comparePaths).length).toBe(set.size)
      }),
      runs(100),
    )
  })

  it("is what a filter of everything keeps, and nothing of it what one of itself leaves", () => {
    fc.assert(
      fc.property(arbitrarySet, arbitrarySet, (a, b) => {
        expect(excludeFilter(FieldSet.empty).filter(a)).toBe(a)
        expect(includeFilter().filter(a)).toBe(a)
        same(excludeFilter(b).filter(a), a.recursiveDifference(b))
        expect(
          includeFilter(...members(a))
            .filter(b)
            .difference(b)
            .isEmpty(),
        ).toBe(true)
      }),
      runs(100),
    )
  })
})

describe("paths as text", () => {
  /** Prints the notation of a failing case. */
  function plain(element: PathElement): boolean {
    const isText = (value: Value) => typeof value === "string" && !/\p{Surrogate}/u.test(value)
    const isScalar = (value: Value) => isText(value) || (typeof value !== "object" && typeof value !== "string")
    switch (element.kind) {
      case "field":
        return /^[^.[]+$/s.test(element.name)
      case "key":
        return element.fields.every(({ name, value }) => /^[^\]["=,][^=]*$/s.test(name) && isScalar(value))
      default:
        return element.kind === "index" || isScalar(element.value)
    }
  }

  it("are read again", () => {
    fc.assert(
      fc.property(fc.array(arbitraryElement.filter(plain)), path => {
        const back = parsePath(formatPath(path))
        expect(equalPaths(back, path)).toBe(true)
        expect(formatPath(back)).toBe(formatPath(path))
      }),
      runs(300),
    )
  })

  it("name any field in quotes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), name => {
        expect(parsePath(`[${formatValue(name)}]`)).toEqual([fieldElement(name)])
      }),
      runs(200),
    )
  })
})

describe("FieldsV1", () => {
  /** Integers beyond the safe range are written in full, but read as floats, as the reference reads them. */
  function survives(element: PathElement): boolean {
    if (element.kind === "value") return typeof element.value !== "bigint"
    return element.kind !== "key" || element.fields.every(({ value }) => typeof value !== "bigint")
  }

  it("gives a path element back", () => {
    fc.assert(
      fc.property(arbitraryElement.filter(survives), element => {
        const back = parseFieldsV1Key(formatFieldsV1Key(element))
        expect(back !== undefined && equalElements(back, element)).toBe(true)
        if (back !== undefined) expect(formatFieldsV1Key(back)).toBe(formatFieldsV1Key(element))
      }),
      runs(150),
    )
  })

  it("gives a set back", () => {
    fc.assert(
      fc.property(fc.array(arbitraryPath.filter(path => path.every(survives))), paths => {
        const set = deepFreeze(FieldSet.of(paths))
        same(parseFieldsV1(formatFieldsV1(set)), set)
        same(parseFieldsV1(JSON.stringify(JSON.parse(formatFieldsV1(set)), null, 2)), set)
      }),
      runs(150),
    )
  })

  it("gives a set back that was read before, whatever its numbers", () => {
    fc.assert(
      fc.property(arbitrarySet, set => {
        const read = parseFieldsV1(formatFieldsV1(set))
        same(parseFieldsV1(formatFieldsV1(read)), read)
      }),
      runs(150),
    )
  })

  it("gives the leaves of a value back", () => {
    fc.assert(
      fc.property(arbitraryValue, value => {
        const set = fieldSetFromValue(value)
        same(set.leaves(), set)
        const read = parseFieldsV1(formatFieldsV1(set))
        same(parseFieldsV1(formatFieldsV1(read)), read)
      }),
      runs(100),
    )
  })
})
