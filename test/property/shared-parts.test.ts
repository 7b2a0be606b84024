import { afterAll, describe, expect, it, vi } from "vitest"
import type { Value } from "../../src/value/value.js"

// The real limit takes seconds to reach. These tests only check that every walk obeys it, so they load the modules again with a
// lower limit, and restore the limit for the files that follow.
const bounds = "../../src/value/depth.js"
vi.resetModules()
vi.doMock(bounds, async original => ({ ...(await original<object>()), maxParts: 10_000 }))
const { fieldSetFromValue } = await import("../../src/fieldpath/from-value.js")
const { formatJson } = await import("../../src/json/json.js")
const { deducedType } = await import("../../src/typed/deduced.js")
const { TypedValue } = await import("../../src/typed/typed-value.js")
const { compareValues } = await import("../../src/value/compare.js")
const { equalValues } = await import("../../src/value/equal.js")
const { formatValue, goPrint, goSyntax } = await import("../../src/value/format.js")
const { named, struct, text, typeOf } = await import("../typed/notation.js")
afterAll(() => {
  vi.doUnmock(bounds)
  vi.resetModules()
})

/** Returns a value with this many levels, each of which refers to the next one twice. It has two to that power of parts. */
function shared(levels: number): Value {
  let value: Value = { x: 1 }
  for (let i = 0; i < levels; i++) value = Object.freeze({ a: value, b: value })
  return value
}

// A walk over all parts of forty levels would never end.
const one = shared(40)
const other = shared(40)
const type = deducedType()
const loose = (value: Value) => TypedValue.unvalidated(value, type)
const strict = typeOf(struct({ s: text, t: named("__untyped_atomic_") }))

describe("a value that refers to its parts from many places is refused, not walked for ever:", () => {
  it.each<[string, () => unknown]>([
    ["validate", () => TypedValue.of(one, type)],
    ["validate what is atomic", () => TypedValue.of({ t: one }, strict)],
    ["print what is of the wrong kind", () => TypedValue.of({ s: one }, strict)],
    ["take the set", () => loose(one).toFieldSet()],
    ["merge", () => loose(one).merge(loose(other))],
    ["compare", () => loose(one).compare(loose(other))],
    ["compare with nothing", () => loose(null).compare(loose(one))],
    ["equal values", () => equalValues(one, other)],
    ["order values", () => compareValues(one, other)],
    ["format", () => formatValue(one)],
    ["format as Go's %v", () => goPrint(one)],
    ["format as Go's %#v", () => goSyntax(one)],
    ["write JSON", () => formatJson(one)],
    ["take the set without a type", () => fieldSetFromValue(one)],
  ])("%s", (_, run) => {
    expect(run).toThrow("value has more than 4194304 parts, each counted as often as it is referred to")
  })

  it("but what is shared hundreds of times is taken for what it is", () => {
    const some = shared(9)
    const value = TypedValue.of(some, type)
    expect(value.toFieldSet().leaves().size).toBe(512)
    expect(value.merge(TypedValue.of(shared(9), type)).value).toBe(some)
    expect(equalValues(JSON.parse(formatJson(some)), some)).toBe(true)
  })
})
