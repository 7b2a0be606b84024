import { describe, expect, it } from "vitest"
import { StructuredMergeError, ValidationError } from "../../src/errors.js"
import type { Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { validate } from "../../src/typed/validate.js"
import { maxDepth } from "../../src/value/depth.js"
import type { Value } from "../../src/value/value.js"
import { cyclicList, cyclicMap, inheritedKeys, json, nestedList, nestedMap } from "../value/samples.js"
import {
  atomicList,
  issuesOf,
  listBy,
  mapOf,
  named,
  setOf,
  struct,
  text,
  thing,
  things,
  typed,
  typeOf,
  withDuplicates,
} from "./notation.js"

const valid: [title: string, value: Value][] = [
  ["null", null],
  ["an empty struct", {}],
  [
    "null for every kind of field",
    { s: null, n: null, tags: null, list: null, ports: null, args: null, frozen: null, map: null, in: null },
  ],
  ["scalars of their types", { s: "", n: 1.5, b: false, u: "x" }],
  ["a bigint of 64 bits", { n: 2n ** 63n - 1n, u: -(2n ** 63n) }],
  ["untyped scalars of any kind", { nums: [1, "1", true, 1.5, 2n ** 60n] }],
  ["empty containers", { tags: [], list: [], args: [], frozen: {}, map: {} }],
  ["items with a key", { list: [{ k: "a" }, { k: "b", v: 1 }] }],
  ["items with an empty key", { list: [{ k: "" }] }],
  ["an item whose key is an explicit null", { list: [{ k: null }, { k: "a" }] }],
  [
    "an item that lacks a key with a default",
    { ports: [{ port: 80 }, { port: 80, protocol: "UDP" }, { protocol: "TCP" }] },
  ],
  ["equal items in an atomic list", { args: ["a", "a"] }],
  ["null items in an atomic list", { args: [null] }],
  ["nested lists and maps", { in: { in: { list: [{ k: "a", list: [{ k: "a", tags: ["x"] }] }] } } }],
  ["any keys in a map", { map: { "": "", "a.b/c": "x" } }],
  ["any value without a schema", { free: { a: [{ b: [1, null, { c: {} }] }], d: 1 }, raw: [[], {}, 1] }],
  ["each alternative of a type that has several", { either: 1 }],
  ["a list if that is one alternative", { either: ["a"] }],
  ["a map if that is one alternative", { either: { a: 1 } }],
]

const invalid: [title: string, value: Value, issues: string[]][] = [
  ["a list for the root", [], [": expected map, got &{[]}"]],
  ["a scalar for the root", 1, [": expected map, got &{1}"]],
  ["an undeclared field", { q: 1 }, [".q: field not declared in schema"]],
  ["a number for a string", { s: 5 }, [".s: expected string, got &value.valueUnstructured{Value:5}"]],
  ["a string for a number", { n: "5" }, [".n: expected numeric (int or float), got string"]],
  ["a string for a boolean", { b: "true" }, [".b: expected boolean, got &{true}"]],
  [
    "a map for a scalar",
    { s: { a: 1 } },
    ['.s: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1}}'],
  ],
  ["a list for an untyped scalar", { u: [1] }, [".u: expected any scalar, got &{[1]}"]],
  ["a map for a list", { tags: { a: 1 } }, [".tags: expected list, got &{map[a:1]}"]],
  ["a list for a map", { map: ["a"] }, [".map: expected map, got &{[a]}"]],
  [
    "a wrong item of an atomic list",
    { args: ["a", 1] },
    [".args[1]: expected string, got &value.valueUnstructured{Value:1}"],
  ],
  ["a wrong key of an atomic map", { frozen: { x: "a", z: 1 } }, [".frozen.z: field not declared in schema"]],
  ["a wrong value in a map", { map: { a: 1 } }, [".map.a: expected string, got &value.valueUnstructured{Value:1}"]],
  [
    "a wrong field of an item",
    { list: [{ k: "a", v: "x" }] },
    ['.list[k="a"].v: expected numeric (int or float), got string'],
  ],
  ["a wrong item of a set", { tags: [1] }, [".tags[=1]: expected string, got &value.valueUnstructured{Value:1}"]],
  [
    "a null item of a set",
    { tags: [null] },
    [".tags: element 0: associative list without keys has an element that's an explicit null"],
  ],
  [
    "a map in a set",
    { tags: ["a", {}] },
    [".tags: element 1: associative list without keys has an element that's a map type"],
  ],
  ["a list in a set", { tags: [[]] }, [".tags: element 0: not supported: associative list with lists as elements"]],
  [
    "a null item among items with keys",
    { list: [null] },
    [".list: element 0: associative list with keys may not have a null element"],
  ],
  [
    "a scalar among items with keys",
    { list: ["a"] },
    [".list: element 0: associative list with keys may not have non-map elements"],
  ],
  [
    "an item without its key",
    { list: [{ k: "a" }, { v: 1 }] },
    [
      '.list: element 1: associative list with keys has an element that omits all key fields ["k"] (and doesn\'t have default values for any key fields)',
    ],
  ],
  ["an item twice in a set", { tags: ["a", "b", "a"] }, ['.tags: duplicate entries for key [="a"]']],
  ["an item twice in a set, written in two ways", { nums: [1, 1n] }, [".nums: duplicate entries for key [=1]"]],
  ["keys twice in a list", { list: [{ k: "a" }, { k: "a" }] }, ['.list: duplicate entries for key [k="a"]']],
  [
    "keys twice, once by default",
    { ports: [{ port: 1 }, { port: 1, protocol: "TCP" }] },
    ['.ports: duplicate entries for key [port=1,protocol="TCP"]'],
  ],
  ["an integer beyond 64 bits", { n: 2n ** 64n }, [".n: expected numeric (int or float), got int64"]],
]

/** Titles of values that `allowDuplicates` lets pass. */
const duplicates = /twice/

describe("validate", () => {
  it.each(valid)("accepts %s", (_, value) => {
    expect(issuesOf(() => typed(value))).toEqual([])
    expect(issuesOf(() => withDuplicates(value))).toEqual([])
    expect(issuesOf(() => typed({ in: value }))).toEqual([])
  })

  it.each(invalid)("refuses %s", (title, value, issues) => {
    expect(issuesOf(() => typed(value))).toEqual(issues)
    expect(issuesOf(() => withDuplicates(value))).toEqual(duplicates.test(title) ? [] : issues)
  })

  it.each(invalid)("puts the path in front of %s", (_, value, issues) => {
    expect(issuesOf(() => typed({ in: { in: value } }))).toEqual(issues.map(issue => `.in.in${issue}`))
  })

  it("reports every problem, in the order of the value", () => {
    const value = {
      s: 1,
      list: [
        { k: "a", v: "x" },
        { k: "b", z: 1 },
      ],
      q: 1,
      in: { n: "x" },
    }
    expect(issuesOf(() => typed(value))).toEqual([
      ".s: expected string, got &value.valueUnstructured{Value:1}",
      '.list[k="a"].v: expected numeric (int or float), got string',
      '.list[k="b"].z: field not declared in schema',
      ".q: field not declared in schema",
      ".in.n: expected numeric (int or float), got string",
    ])
  })

  it("throws one error with all problems in its text", () => {
    expect(() => typed({ s: 1, q: 2 })).toThrow(
      new ValidationError([
        { path: ".s", message: "expected string, got &value.valueUnstructured{Value:1}" },
        { path: ".q", message: "field not declared in schema" },
      ]),
    )
    expect(() => typed({ q: 2 })).toThrow(".q: field not declared in schema")
  })

  it.each(inheritedKeys)("treats %s as an ordinary key", key => {
    const value = json(`{"${key}": "x"}`)
    expect(issuesOf(() => typed(value))).toEqual([`.${key}: field not declared in schema`])
    expect(issuesOf(() => typed(value, typeOf(mapOf(text))))).toEqual([])
    expect(issuesOf(() => typed(json(`{"${key}": 1}`), typeOf(mapOf(text))))).toEqual([
      `.${key}: expected string, got &value.valueUnstructured{Value:1}`,
    ])
    expect(issuesOf(() => typed([value, {}], typeOf(listBy([key], mapOf(text)))))).toHaveLength(1)
  })

  it("finds duplicates in long lists", () => {
    const items = Array.from({ length: 100 }, (_, i) => ({ k: `k${i}` }))
    expect(issuesOf(() => typed({ list: items }))).toEqual([])
    expect(issuesOf(() => typed({ list: [...items, { k: "k7" }] }))).toEqual([
      '.list: duplicate entries for key [k="k7"]',
    ])
  })
})

describe("schemas with errors", () => {
  const rows: [title: string, type: Type, value: Value, issues: string[]][] = [
    ["a type that does not exist", typeOf(named("missing")), 1, [": schema error: no type found matching: missing"]],
    [
      "a field whose type does not exist",
      typeOf(struct({ a: named("missing") })),
      { a: 1 },
      [".a: schema error: no type found matching: missing"],
    ],
    [
      "a type that allows nothing",
      typeOf(named("none"), { none: {} }),
      1,
      [": schema error: invalid atom: named type: none"],
    ],
    ["a reference to nothing", typeOf({}), 1, [": schema error: invalid atom: inlined"]],
    ["an unknown scalar", typeOf({ scalar: "date" as "string" }), "x", [": unexpected scalar type in schema: date"]],
    [
      "keys of items that are not maps",
      typeOf(listBy(["k"], text)),
      [{}],
      [": element 0: couldn't find default value for k: associative list may not have non-map types"],
    ],
    [
      "keys of items whose type does not exist",
      typeOf(listBy(["k"], named("missing"))),
      [{}],
      [": element 0: couldn't find default value for k: invalid elementType for list"],
    ],
    [
      "an override of a scalar",
      typeOf(named("t", "atomic"), { t: text }),
      "x",
      [": schema error: no type found matching: t"],
    ],
  ]
  it.each(rows)("report %s", (_, type, value, issues) => {
    expect(issuesOf(() => typed(value, type))).toEqual(issues)
  })
})

describe("values that are not JSON", () => {
  class Point {
    x = 1
  }
  const any = things.type("__untyped_atomic_")
  const sparse = [1, 2]
  delete sparse[0]
  const rows: [title: string, value: unknown, reason: string][] = [
    ["undefined", undefined, "expected a JSON value, got undefined"],
    ["a function", () => 1, "expected a JSON value, got function"],
    ["a symbol", Symbol("x"), "expected a JSON value, got symbol"],
    ["NaN", Number.NaN, "expected a finite number, got NaN"],
    ["Infinity", Number.POSITIVE_INFINITY, "expected a finite number, got Infinity"],
    ["minus Infinity", Number.NEGATIVE_INFINITY, "expected a finite number, got -Infinity"],
    ["a Date", new Date(0), "expected a plain object, got Date"],
    ["a Map", new Map(), "expected a plain object, got Map"],
    ["a Set", new Set(), "expected a plain object, got Set"],
    ["a regular expression", /x/, "expected a plain object, got RegExp"],
    ["an instance of a class", new Point(), "expected a plain object, got Point"],
    ["a boxed string", Object("x"), "expected a plain object, got String"],
    ["bytes", new Uint8Array(1), "expected a plain object, got Uint8Array"],
    ["an object that inherits from another", Object.create({ a: 1 }), "expected a plain object, got Object"],
  ]
  const places: [place: string, wrap: (value: unknown) => unknown, path: string, type: Type][] = [
    ["the root", value => value, "", any],
    ["an untyped list", value => ["x", value], "[1]", any],
    ["an untyped map", value => ({ a: { b: value } }), ".a.b", any],
    ["a struct", value => ({ u: value }), ".u", thing],
    ["a string field", value => ({ s: value }), ".s", thing],
    ["a list field", value => ({ list: value }), ".list", thing],
    ["a map field", value => ({ map: value }), ".map", thing],
    ["an item", value => ({ list: [{ k: "a", v: value }] }), '.list[k="a"].v', thing],
    ["an atomic list", value => ({ args: [value] }), ".args[0]", thing],
    ["a value without a schema", value => ({ free: { x: value } }), ".free.x", thing],
  ]
  it.each(rows.flatMap(row => places.map(place => [row[0], place[0], row, place] as const)))(
    "are refused: %s in %s",
    (_, __, [, value, reason], [, wrap, path, type]) => {
      expect(issuesOf(() => TypedValue.of(wrap(value) as Value, type))).toEqual([`${path}: ${reason}`])
    },
  )

  it("are refused: a list with a hole", () => {
    expect(issuesOf(() => TypedValue.of(sparse, any))).toEqual(["[0]: expected a JSON value, got undefined"])
    expect(issuesOf(() => TypedValue.of({ list: new Array(2) }, thing))).toEqual([
      ".list: element 0: expected a JSON value, got undefined",
    ])
  })

  it.each(["tags", "list", "ports"])("are refused as items of %s", field => {
    for (const [, value, reason] of rows) {
      expect(issuesOf(() => TypedValue.of({ [field]: [value] } as Value, thing)).join()).toContain(reason)
    }
  })

  it("does not include objects of another realm or without a prototype", () => {
    const foreign = Object.create(Object.create(null)) as Record<string, Value>
    foreign.a = 1
    expect(issuesOf(() => TypedValue.of({ raw: [foreign, Object.create(null)] }, thing))).toEqual([])
  })
})

describe("nesting", () => {
  const any = things.type("__untyped_atomic_")

  it("is accepted up to the limit", () => {
    expect(validate(any, nestedList(maxDepth), false).issues.count).toBe(0)
    expect(validate(any, nestedMap(maxDepth), false).issues.count).toBe(0)
    expect(
      validate(
        typeOf(named("nest"), { nest: { ...listBy([], named("nest")), ...mapOf(named("nest")), ...text } }),
        nestedMap(maxDepth, "x"),
        false,
      ).issues.count,
    ).toBe(0)
  })

  it.each([
    ["lists that nest too deep", nestedList(maxDepth + 1)],
    ["maps that nest too deep", nestedMap(maxDepth + 1)],
    ["nesting far too deep", nestedMap(100_000)],
    ["a list that contains itself", cyclicList()],
    ["a map that contains itself", cyclicMap()],
  ])("refuses %s", (_, value) => {
    expect(() => TypedValue.of(value, any)).toThrow(StructuredMergeError)
    expect(() => TypedValue.of({ free: value }, thing)).toThrow(StructuredMergeError)
  })

  it("is refused in a value that a message prints", () => {
    expect(() => TypedValue.of({ s: nestedMap(100_000) }, thing)).toThrow(StructuredMergeError)
    expect(() => TypedValue.of({ tags: nestedMap(100_000) }, thing)).toThrow(StructuredMergeError)
  })
})

describe("types of items", () => {
  it("may be sets inside atomic lists", () => {
    expect(issuesOf(() => typed([["a"], ["a", "a"]], typeOf(atomicList(setOf(text)))))).toEqual([
      '[1]: duplicate entries for key [="a"]',
    ])
  })
})
