import { describe, expect, it } from "vitest"
import { anyElement } from "../../../src/fieldpath/matcher.js"
import { parsePath } from "../../../src/fieldpath/parse-path.js"
import { childrenAt, maskBelow, parseMaskPath } from "../../../src/tools/secrets/mask-path.js"

const any = anyElement

describe("parseMaskPath", () => {
  it.each([
    [".data", parsePath(".data")],
    [".data.*", [...parsePath(".data"), any]],
    [".spec[*].env[*].value", [...parsePath(".spec"), any, ...parsePath(".env"), any, ...parsePath(".value")]],
    ['.a["[*]"].*[="*"]', [...parsePath('.a["[*]"]'), any, ...parsePath('[="*"]')]],
    [".a.*b", parsePath(".a.*b")],
  ])("reads %s", (text, path) => {
    expect(parseMaskPath(text)).toEqual(path)
  })
})

describe("maskBelow", () => {
  it.each([
    [".a.b", ".a.b", 0],
    [".a.b", ".a.b.c", 0],
    [".a.b", ".a", 1],
    [".a.b", ".a.c", undefined],
    [".a[*].b", '.a[name="x"].b', 0],
    ['.a[name="x"].b', '.a[name="x",port=80].b', 0],
    ['.a[name="x"].b', '.a[name="y"].b', undefined],
    [".a[0].b", '.a[name="y"].b', 0],
    ['.a[="x"]', '.a[="x"]', 0],
    ['.a[="x"]', '.a[="y"]', undefined],
    [".*", ".a.b", 0],
  ])("of %s at %s leaves %s steps", (mask, path, left) => {
    expect(maskBelow(parseMaskPath(mask), parsePath(path))?.length).toBe(left)
  })
})

describe("childrenAt", () => {
  const list = [{ name: "x", port: 80 }, { name: "y" }, "z"]

  it.each([
    ['[name="x"]', [0]],
    ['[name="x",protocol="TCP"]', [0]],
    ['[name="x",port=81]', []],
    ["[1]", [1]],
    ['[="z"]', [2]],
    ["[*]", [0, 1, 2]],
    [".name", []],
  ])("finds %s in a list", (step, found) => {
    const [only] = parseMaskPath(step)
    expect(only && childrenAt(list, only).map(([key]) => key)).toEqual(found)
  })
})
