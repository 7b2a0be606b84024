import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { notJson } from "../../src/value/plain.js"

class Point {
  x = 1
}

/** An object that inherits from one with these properties, which inherits from nothing. */
function inheriting(properties: PropertyDescriptorMap): object {
  return Object.create(Object.create(null, properties))
}

describe("notJson", () => {
  it.each<[title: string, value: unknown]>([
    ["null", null],
    ["a string", ""],
    ["a boolean", false],
    ["a number", -0],
    ["a bigint", 2n ** 70n],
    ["a list", []],
    ["a list, whatever is in it", [undefined, Number.NaN]],
    ["a map", {}],
    ["a map without a prototype", Object.create(null)],
    ["a map of another realm", runInNewContext("({ a: 1 })")],
    ["a list of another realm", runInNewContext("[1]")],
    ["a map that inherits nothing", inheriting({})],
    ["a map with a key named like an inherited property", { isPrototypeOf: 1, constructor: "x" }],
  ])("accepts %s", (_, value) => {
    expect(notJson(value)).toBeNull()
  })

  it.each<[value: unknown, reason: string]>([
    [undefined, "expected a JSON value, got undefined"],
    [() => 1, "expected a JSON value, got function"],
    [Symbol("x"), "expected a JSON value, got symbol"],
    [Number.NaN, "expected a finite number, got NaN"],
    [Number.POSITIVE_INFINITY, "expected a finite number, got Infinity"],
    [Number.NEGATIVE_INFINITY, "expected a finite number, got -Infinity"],
    [new Date(0), "expected a plain object, got Date"],
    [new Map(), "expected a plain object, got Map"],
    [new Point(), "expected a plain object, got Point"],
    [Object("x"), "expected a plain object, got String"],
    [new Uint8Array(1), "expected a plain object, got Uint8Array"],
    [runInNewContext("new Date(0)"), "expected a plain object, got Date"],
    [Object.create({ a: 1 }), "expected a plain object, got Object"],
    [Object.create(Object.create({})), "expected a plain object, got Object"],
    [inheriting({ a: { value: 1, enumerable: true } }), "expected a plain object, got an object with a prototype"],
    [inheriting({ a: { value: 1 } }), "expected a plain object, got an object with a prototype"],
    [
      inheriting({ isPrototypeOf: { value: 1, enumerable: true } }),
      "expected a plain object, got an object with a prototype",
    ],
  ])("refuses %s with a reason", (value, reason) => {
    expect(notJson(value)).toBe(reason)
  })
})
