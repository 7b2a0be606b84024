import { describe, expect, it } from "vitest"
import { fieldElement, indexElement, keyElement, valueElement } from "../../src/fieldpath/create-element.js"
import {
  comparePaths,
  equalPaths,
  formatPath,
  itemsAt,
  type PathPart,
  pathOf,
  rootPath,
} from "../../src/fieldpath/path.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { path } from "./notation.js"

describe("pathOf", () => {
  it("accepts names, indexes, keys and elements as steps", () => {
    const keys = deepFreeze({ protocol: "TCP", port: 80 })
    const made = pathOf("spec", "ports", keys, "args", 0, valueElement("x"), fieldElement("y"))
    expect(formatPath(made)).toBe('.spec.ports[port=80,protocol="TCP"].args[0][="x"].y')
  })

  it("returns the root for no steps", () => {
    expect(pathOf()).toEqual([])
  })

  const misuse: [title: string, part: PathPart, error: Error][] = [
    ["keys that are empty", {}, new RangeError("keys of a path element must not be empty")],
    ["a fraction as index", 1.5, new RangeError("index of a path element must be an integer, got 1.5")],
    [
      "true",
      true as unknown as PathPart,
      new TypeError("a step of a path must be a name, an index, keys or an element, got true"),
    ],
    [
      "null",
      null as unknown as PathPart,
      new TypeError("a step of a path must be a name, an index, keys or an element, got null"),
    ],
    ["NaN as index", Number.NaN, new RangeError("index of a path element must be an integer, got NaN")],
  ]
  it.each(misuse)("refuses %s", (_, part, error) => {
    expect(() => pathOf("a", part)).toThrow(error)
  })
})

describe("itemsAt", () => {
  const items = ["a", "a.b", "a.b", "a.b.c", "b[k=1]", "b[k=1]", "b[k=1]", "c"].map((text, i) => ({
    path: path(text),
    i,
  }))

  it.each([
    ["", []],
    ["a", [0]],
    ["a.b", [1, 2]],
    ["a.b.c", [3]],
    ["a.c", []],
    ["b", []],
    ["b[k=1]", [4, 5, 6]],
    ["c", [7]],
    ["d", []],
  ])("finds all at %j", (text, found) => {
    expect(itemsAt(items, path(text)).map(({ i }) => i)).toEqual(found)
    expect(itemsAt([], path(text))).toEqual([])
  })
})

describe("formatPath", () => {
  it.each([
    ["", ""],
    ["a.b", ".a.b"],
    ["a[k=x].b", '.a[k="x"].b'],
    ["a[=1][0]", ".a[=1][0]"],
  ])("writes %j as %j", (text, expected) => {
    expect(formatPath(path(text))).toBe(expected)
  })

  it("writes the root as nothing", () => {
    expect(formatPath(rootPath)).toBe("")
  })
})

describe("order and equality", () => {
  // Each is less than the next.
  const ordered = ["", "a", "a.a", "a.a.a", "a.b", "a[k=1]", "a[=1]", "a[0]", "a[0].a", "b", "[0]"].map(path)

  it("hold for every pair", () => {
    ordered.forEach((a, i) => {
      ordered.forEach((b, j) => {
        expect(comparePaths(a, b)).toBe(Math.sign(i - j))
        expect(equalPaths(a, b)).toBe(i === j)
      })
    })
  })

  it("find paths of equal elements equal", () => {
    const a = [keyElement({ k: 1 }), indexElement(0)]
    const b = [keyElement({ k: 1n }), indexElement(0)]
    expect([comparePaths(a, b), equalPaths(a, b)]).toEqual([0, true])
  })
})
