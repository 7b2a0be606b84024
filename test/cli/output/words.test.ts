import { describe, expect, it } from "vitest"
import { showChange, showFlow } from "../../../src/cli/output/flow.js"
import { ago, shortOwner } from "../../../src/cli/output/owner.js"
import { shortPaths } from "../../../src/cli/output/short-path.js"
import { fitColumns } from "../../../src/cli/terminal/layout.js"
import { formatFieldsV1Key } from "../../../src/fieldpath/element.js"
import { parsePath } from "../../../src/fieldpath/parse-path.js"

describe("times", () => {
  const now = new Date("2001-02-03T04:05:06Z")
  it.each([
    ["2001-02-03T04:05:06Z", "just now"],
    ["2001-02-03T04:05:05Z", "1 second ago"],
    ["2001-02-03T04:03:07Z", "119 seconds ago"],
    ["2001-02-03T04:03:06Z", "2 minutes ago"],
    ["2001-02-03T02:35:06Z", "90 minutes ago"],
    ["2001-02-02T04:05:06Z", "24 hours ago"],
    ["2001-02-01T04:05:06Z", "2 days ago"],
    ["2000-11-01T04:05:06Z", "3 months ago"],
    ["1970-01-01T00:00:00Z", "31 years ago"],
    ["2001-02-03T04:05:07Z", "at 2001-02-03T04:05:07Z"],
    ["yesterday", "yesterday"],
  ])("are shown for %s: %s", (time, said) => expect(ago(time, now)).toBe(said))
})

describe("owners", () => {
  it("have operation and subresource if their names are equal", () => {
    const owner = (manager: string, operation: string, more = {}) => ({ manager, operation, apiVersion: "v1", ...more })
    const all = [
      owner("a", "Apply"),
      owner("b", "Apply"),
      owner("b", "Update"),
      owner("b", "Update", { subresource: "status" }),
    ]
    expect(all.map(one => shortOwner(one, all))).toEqual(["a", "b (Apply)", "b (Update)", "b (Update, status)"])
  })
})

describe("values", () => {
  it.each([
    [{ name: "LOG", value: "1" }, '{name: LOG, value: "1"}'],
    [["a,b", "c: d", "", "on", "x\n"], '["a,b", "c: d", "", "on", "x\\n"]'],
    [{ __proto__: null, a: { b: [] } }, "{a: {b: []}}"],
    [9007199254740993n, "9007199254740993"],
    [undefined, "(absent)"],
  ])("are spelled as short as YAML does: %o", (value, text) => expect(showFlow(value, 80)).toBe(text))

  it("share a line only if both fit", () => {
    expect(showChange(7, 3, 6)).toBe("7 -> 3")
    expect(showChange(7, 3, 5)).toBeUndefined()
    expect(showChange(undefined, "b", 20)).toBe("(absent) -> b")
  })
})

describe("paths", () => {
  const place = (path: string) => ({ path, steps: parsePath(path).map(step => formatFieldsV1Key(step)) })
  it("keep their last steps if there is no room for all", () => {
    const path = '.spec.containers[name="web"].env[name="LOG"].value'
    const short = (width: number) => shortPaths([place(path)], width)[0]
    expect(short(80)).toBe(path)
    expect(short(48)).toBe('…containers[name="web"].env[name="LOG"].value')
    expect(short(24)).toBe('…env[name="LOG"].value')
    expect(short(3)).toBe("…value")
  })

  it("stay whole if they would look the same", () => {
    const paths = ['.spec.containers[name="a"].image', '.spec.containers[name="b"].image', ".spec.volumes.other"]
    expect(shortPaths(paths.map(place), 16)).toEqual([paths[0], paths[1], "…volumes.other"])
  })
})

describe("columns", () => {
  it("continue long cells below, and wrap the last column", () => {
    const rows = [
      ["a", "b", "one two"],
      ["long", "b", "three"],
    ]
    expect(fitColumns(rows, [2, 1, 5])).toEqual(["a   b  one", "       two", "long", "    b  three"])
  })
})
