import { describe, expect, it } from "vitest"
import { anyOf, record, type Shape, shapeProblems } from "../../src/value/shape.js"
import type { Value } from "../../src/value/value.js"

const text = anyOf("text")
const box = record(
  {
    name: text,
    size: anyOf("number", "flag"),
    color: { is: "one of", texts: ["red", "green"] },
    tags: { is: "list", of: anyOf("name"), or: "all" },
    labels: { is: "map", of: anyOf("scalar") },
    get inner(): Shape {
      return box
    },
    way: { is: "cases", by: "kind", cases: { walk: record({ steps: anyOf("number") }, ["steps"]), fly: record({}) } },
  },
  ["name"],
)

describe("shapeProblems", () => {
  it.each<[Value]>([
    [{ name: "" }],
    [{ name: "a", size: 1n, color: "red", tags: ["x"], labels: { a: true }, inner: { name: "b" } }],
    [{ name: "a", size: false, tags: "all", way: { kind: "walk", steps: 1 } }],
    [{ name: "a", size: undefined, more: undefined } as unknown as Value],
  ])("finds none in %o", value => {
    expect(shapeProblems(value, box)).toEqual([])
  })

  it.each<[Value, (string | number)[], string]>([
    [null, [], "the document must be a map"],
    [{}, [], ".name is missing"],
    [{ name: 1 }, ["name"], ".name must be text"],
    [{ name: "a", siez: 1 }, ["siez"], ".siez: unknown key; did you mean size?"],
    [{ name: "a", ["__proto__"]: 1 }, ["__proto__"], ".__proto__: unknown key"],
    [{ name: "a", size: "1" }, ["size"], ".size must be a number or true or false"],
    [{ name: "a", color: "gren" }, ["color"], ".color must be red or green; did you mean green?"],
    [{ name: "a", tags: "some" }, ["tags"], ".tags must be a list or all"],
    [{ name: "a", tags: ["x", ""] }, ["tags", 1], ".tags[1] must be text that is not empty"],
    [{ name: "a", labels: { "a.b": null } }, ["labels", "a.b"], '.labels["a.b"] must be a scalar'],
    [{ name: "a", inner: { name: "b", inner: {} } }, ["inner", "inner"], ".inner.inner.name is missing"],
    [{ name: "a", way: {} }, ["way", "kind"], ".way.kind must be walk or fly"],
    [{ name: "a", way: { kind: "walk" } }, ["way"], ".way.steps is missing"],
    [{ name: "a", way: { kind: "fly", steps: 1 } }, ["way", "steps"], ".way.steps: unknown key"],
  ])("finds the problem in %o", (value, steps, message) => {
    expect(shapeProblems(value, box)).toEqual([{ steps, message }])
  })

  it("finds all problems", () => {
    const messages = shapeProblems({ size: "1", labels: [] }, box).map(({ message }) => message)
    expect(messages).toEqual([".size must be a number or true or false", ".labels must be a map", ".name is missing"])
  })

  it("requires exactly one of keys that exclude each other", () => {
    const choice = record({ a: text, b: text }, [], ["a", "b"])
    const messages = ([{}, { a: "" }, { a: "", b: "" }] as Value[]).map(value =>
      shapeProblems(value, choice).map(({ message }) => message),
    )
    expect(messages).toEqual([
      ["the document must have exactly one of a, b"],
      [],
      ["the document must have exactly one of a, b; it has a and b"],
    ])
  })
})
