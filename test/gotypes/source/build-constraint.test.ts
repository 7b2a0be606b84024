/** Tells which files belong to an ordinary build. */
import { expect, it } from "vitest"
import { isBuilt } from "../../../src/gotypes/source/build-constraint.js"

it.each([
  ["linux", false],
  ["!linux", true],
  ["go1.20", true],
  ["!go1.20", false],
  ["go1", false],
  ["xgo1.20", false],
  ["linux || go1.18", true],
  ["go1.18 || linux", true],
  ["linux || darwin", false],
  ["linux || darwin || !windows", true],
  ["go1.18 && linux", false],
  ["linux && go1.18", false],
  ["go1.18 && go1.20", true],
  ["go1.18 && go1.20 && linux", false],
  ["linux || go1.18 && go1.20", true],
  ["go1.18 && go1.20 || linux", true],
  ["go1.18 || linux && darwin", true],
  ["linux && darwin || windows", false],
  ["!(linux || darwin)", true],
  ["!(go1.18 || linux)", false],
  ["(go1.18 || linux) && windows", false],
  ["go1.18 && (linux || !windows)", true],
  ["!!go1.18", true],
  ["((go1.18))", true],
  ["my_tag.x", false],
  ["!my_tag.x && !other", true],
])("//go:build %s", (constraint, expected) => {
  expect(isBuilt(`// Words.\n\n//go:build ${constraint}\n\npackage p\n`)).toBe(expected)
  expect(isBuilt(`//go:build\t${constraint}`)).toBe(expected)
})

it.each([
  ["a file without a constraint", "package p", true],
  ["a constraint behind the package clause", "package p\n//go:build linux", true],
  ["a constraint that is indented", " //go:build linux\npackage p", true],
  ["a comment about a constraint", "// go:build linux\npackage p", true],
  ["words that begin as a package clause does", "// a\n//go:build linux\n// package p\npackage p", false],
  ["a package clause in the middle of a line", "//x package p\n//go:build linux\npackage p", false],
  ["a word that is longer", "packages\n//go:build linux\npackage p", false],
])("%s", (_, text, expected) => {
  expect(isBuilt(text)).toBe(expected)
})
