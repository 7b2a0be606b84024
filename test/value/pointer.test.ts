import { expect, it } from "vitest"
import { formatPointer, parsePointer } from "../../src/value/pointer.js"

it.each([
  ["", []],
  ["/", [""]],
  ["/spec/containers/0/image", ["spec", "containers", "0", "image"]],
  ["/a~1b/~0c/~01/~1~0", ["a/b", "~c", "~1", "/~"]],
])("reads and writes %s", (pointer, steps) => {
  expect(parsePointer(pointer)).toEqual(steps)
  expect(formatPointer(steps)).toBe(pointer)
})

it("writes numbers as indexes", () => {
  expect(formatPointer(["items", 3])).toBe("/items/3")
})
