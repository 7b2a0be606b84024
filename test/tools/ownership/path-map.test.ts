import { expect, it } from "vitest"
import { fieldElement, keyElement, valueElement } from "../../../src/fieldpath/create-element.js"
import type { PathElement } from "../../../src/fieldpath/element.js"
import { parseFieldsV1Key } from "../../../src/fieldpath/fieldsv1/key.js"
import { type Path, pathOf } from "../../../src/fieldpath/path.js"
import { PathMap } from "../../../src/tools/ownership/path-map.js"

it("treats equal paths as one, whoever made them", () => {
  const big = 2n ** 60n
  const rows: readonly (readonly [Path, Path, boolean])[] = [
    [pathOf("a", "b"), pathOf("a", "b"), true],
    [pathOf("a.b"), pathOf("a", "b"), false],
    [[keyElement({ port: 80 })], [keyElement({ port: 80n })], true],
    [[keyElement({ port: big })], [parseFieldsV1Key(`k:{"port":${2 ** 60}}`) as PathElement], true],
    [[keyElement({ a: 1, b: "x" })], [keyElement({ b: "x", a: 1 })], true],
    [[keyElement({ a: "1" })], [keyElement({ a: 1 })], false],
    [[valueElement("a")], [fieldElement("a")], false],
    [[valueElement(1)], [valueElement(1n)], true],
    [[valueElement(big)], [valueElement(big + 1n)], false],
    [pathOf(0), pathOf(1), false],
  ]
  for (const [a, b, isSame] of rows) {
    const map = new PathMap<number>()
    map.set(a, 1)
    expect([map.has(b), map.get(b)]).toEqual(isSame ? [true, 1] : [false, undefined])
    map.set(b, 2)
    expect([map.size, map.get(a), map.values()]).toEqual(isSame ? [1, 2, [2]] : [2, 1, [1, 2]])
    expect([map.delete(a), map.delete(a), map.size]).toEqual(isSame ? [2, undefined, 0] : [1, undefined, 1])
    expect(map.paths()).toEqual(isSame ? [] : [b])
  }
})
