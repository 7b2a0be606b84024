import { expect, it } from "vitest"
import { parsePath } from "../../src/fieldpath/parse-path.js"
import { below, hasFrom } from "../../src/fieldpath/parts.js"
import { FieldSet } from "../../src/fieldpath/set.js"

const set = FieldSet.of([".a", ".a.b", ".c.d[k=1].e"].map(parsePath))

it.each([
  ["", ".a\n.a.b\n.c.d[k=1].e", true],
  [".a", ".b", true],
  [".a.b", "", true],
  [".c.d", "[k=1].e", true],
  [".c.d[k=2]", "", false],
  [".x.y", "", false],
])("finds the members below %j", (path, members, has) => {
  expect(below(set, parsePath(path)).toString()).toBe(members)
  expect(hasFrom(set, parsePath(path))).toBe(has)
})
