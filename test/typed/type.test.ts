import { describe, expect, it } from "vitest"
import { SchemaError } from "../../src/errors.js"
import type { Schema, TypeRef } from "../../src/schema/schema.js"
import { compileSchema, type ListShape, type MapShape, type Type } from "../../src/typed/type.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import {
  atomicList,
  flag,
  issuesOf,
  listBy,
  mapOf,
  named,
  number,
  scalar,
  schemaOf,
  setOf,
  struct,
  text,
  thing,
  things,
  typed,
  typeOf,
} from "./notation.js"

describe("typeNames", () => {
  it("lists the types in the order of the schema", () => {
    const types = [{ name: "b" }, { name: "a" }]
    expect(compileSchema({ types }).typeNames).toEqual(["b", "a"])
    expect(compileSchema({} as Schema).typeNames).toEqual([])
  })
})

function mapShape(type: Type): MapShape {
  if (type.map === null) throw new Error("no map")
  return type.map
}

function listShape(type: Type): ListShape {
  if (type.list === null) throw new Error("no list")
  return type.list
}

describe("compileSchema", () => {
  it("compiles a schema once", () => {
    const schema = schemaOf({ a: text })
    expect(compileSchema(schema)).toBe(compileSchema(schema))
    expect(compileSchema(schema).schema).toBe(schema)
    expect(compileSchema(schemaOf({ a: text }))).not.toBe(compileSchema(schema))
  })

  it("does not change the schema", () => {
    const schema: Schema = deepFreeze({
      types: [
        { name: "a", ...struct({ l: named("b", "atomic"), k: listBy(["y", "x"], named("c")) }) },
        { name: "b", ...setOf(text) },
        { name: "c", ...struct({ x: text, y: text }) },
      ],
    })
    expect(compileSchema(schema).type("a").problem).toBeNull()
  })

  it("suggests the nearest name for a type that does not exist", () => {
    const types = compileSchema(schemaOf({ service: text, deployment: text }))
    const near = "schema error: no type found matching: Servise; did you mean service?"
    expect(() => types.type("Servise")).toThrow(new SchemaError(near))
    expect(() => types.type("x")).toThrow(new SchemaError("schema error: no type found matching: x"))
  })

  it("refuses names that are not strings", () => {
    expect(() => compileSchema({ types: [{ name: 5 }] } as unknown as Schema)).toThrow("whose names are strings")
  })

  it("accepts a schema without types", () => {
    const types = compileSchema({} as Schema)
    expect([types.typeNames, types.has("a"), types.typeOf({ namedType: "a" }).problem]).toEqual([
      [],
      false,
      "schema error: no type found matching: a",
    ])
  })
})

describe("types", () => {
  it("are the same object for the same name or equal references", () => {
    expect(things.type("thing")).toBe(thing)
    expect(things.typeOf(named("thing"))).toBe(thing)
    expect(things.typeOf(deepFreeze(setOf(text)))).toBe(things.typeOf(deepFreeze(setOf(text))))
    expect(things.typeOf(deepFreeze(setOf(text)))).not.toBe(things.typeOf(deepFreeze(setOf(number))))
  })

  it("refer to themselves if they are recursive", () => {
    expect(mapShape(thing).fields.get("in")?.type).toBe(thing)
    const items = things.type("items")
    expect(mapShape(listShape(items).item).fields.get("list")?.type).toBe(items)
  })

  it("have the name of the reference", () => {
    expect([thing.name, typeOf(text).name]).toEqual(["thing", ""])
  })

  it("know a list that is neither atomic nor associative", () => {
    const unfit = schemaOf({ a: { list: { elementType: text } } })
    compileSchema(unfit).type("a")
    expect([compileSchema(unfit).hasUnfitLists, things.hasUnfitLists]).toEqual([true, false])
  })

  it("accept fields named like inherited properties", () => {
    const type = typeOf(struct({ constructor: text, toString: number, ["__proto__"]: flag }))
    expect([...mapShape(type).fields.keys()]).toEqual(["constructor", "toString", "__proto__"])
    expect(mapShape(type).fields.get("valueOf")).toBeUndefined()
  })
})

describe("references", () => {
  const types = {
    list: setOf(text),
    struct: struct({ a: text }),
    both: { ...setOf(text), ...struct({ a: text }), ...text },
    text,
  }

  it("may make a type atomic, for themselves only", () => {
    const type = typeOf(
      struct({ a: named("list", "atomic"), b: named("list"), c: named("struct", "atomic"), d: named("struct") }),
      types,
    )
    const fieldType = (name: string) => mapShape(type).fields.get(name)?.type as Type
    expect(["a", "b"].map(name => fieldType(name).list?.atomic)).toEqual([true, false])
    expect(["c", "d"].map(name => fieldType(name).map?.atomic)).toEqual([true, false])
  })

  it("may make an atomic type granular", () => {
    const type = typeOf(struct({ a: named("struct", "separable") }), { struct: struct({ x: text }, "atomic") })
    expect(mapShape(type).fields.get("a")?.type.map?.atomic).toBe(false)
  })

  it("override only the map of several alternatives", () => {
    const type = typeOf(struct({ a: named("both", "atomic") }), types)
    const both = mapShape(type).fields.get("a")?.type as Type
    expect([both.map?.atomic, both.list?.atomic, both.scalar?.scalar]).toEqual([true, false, "string"])
  })

  it("can't override a scalar", () => {
    expect(mapShape(typeOf(struct({ a: named("text", "atomic") }), types)).fields.get("a")?.type.problem).toBe(
      "schema error: no type found matching: text",
    )
  })
})

describe("types that are malformed", () => {
  const malformed = { map: { fields: [{ type: text }] } } as unknown as TypeRef
  it.each<[type: Type, what: string]>([
    [typeOf(named("a"), { a: malformed }), "named type: a"],
    [typeOf(malformed), "inlined"],
  ])("report the problem when they are used: %#", (type, what) => {
    const problem = `schema error: malformed ${what}: a field without a name; parseSchema reports where`
    expect([type.problem, type.fallback]).toEqual([problem, null])
    expect(issuesOf(() => typed({}, type))).toEqual([`: ${problem}`])
  })
})

describe("shapes of maps", () => {
  it("allow undeclared keys if there is a type for them", () => {
    const rows: [type: Type, open: boolean][] = [
      [typeOf(struct({ a: text })), false],
      [typeOf(mapOf(text)), true],
      [typeOf({ map: { fields: [{ name: "a", type: text }], elementType: number } }), true],
      [typeOf({ map: {} }), false],
    ]
    expect(rows.map(([type]) => !mapShape(type).rest.empty)).toEqual(rows.map(([, open]) => open))
  })

  it("are deduced for values without a schema", () => {
    expect(mapShape(things.type("__untyped_deduced_")).deduced).toBe(true)
    expect(mapShape(typeOf(mapOf(scalar))).deduced).toBe(true)
    expect(mapShape(typeOf(mapOf(text))).deduced).toBe(false)
    expect(mapShape(thing).deduced).toBe(false)
  })

  it("keep one element for each field", () => {
    const field = mapShape(thing).fields.get("s")
    expect([field?.element.name, mapShape(thing).fields.get("s")?.element === field?.element]).toEqual(["s", true])
  })

  it("use the last of several fields with the same name", () => {
    const type = typeOf({
      map: {
        fields: [
          { name: "a", type: text },
          { name: "a", type: number },
        ],
      },
    })
    expect(mapShape(type).fields.get("a")?.type.scalar?.scalar).toBe("numeric")
  })
})

describe("shapes of lists", () => {
  it("sort their keys and keep the schema's order", () => {
    const shape = listShape(typeOf(listBy(["z", "a", "m"], mapOf(text))))
    expect(shape.keys.map(({ name }) => name)).toEqual(["a", "m", "z"])
    expect(shape.keyNames).toEqual(["z", "a", "m"])
  })

  it.each<[title: string, type: Type, given: Value | undefined, problem: string | null]>([
    ["of a field that has one", typeOf(listBy(["k"], struct({ k: text }, undefined, { k: "x" }))), "x", null],
    ["of a field that has none", typeOf(listBy(["k"], struct({ k: text }))), undefined, null],
    [
      "of a field with null for one",
      typeOf(listBy(["k"], struct({ k: text }, undefined, { k: null }))),
      undefined,
      null,
    ],
    ["of a field that is not declared", typeOf(listBy(["k"], mapOf(text))), undefined, null],
    [
      "of items that are not maps",
      typeOf(listBy(["k"], text)),
      undefined,
      "associative list may not have non-map types",
    ],
    [
      "of items whose type is missing",
      typeOf(listBy(["k"], named("missing"))),
      undefined,
      "invalid elementType for list",
    ],
  ])("know the default of a key %s", (_, type, given, problem) => {
    expect(listShape(type).keys).toEqual([{ name: "k", default: given, problem }])
  })

  it("are atomic, associative, or neither", () => {
    const shapes = [atomicList(text), setOf(text), { list: { elementType: text } }].map(ref => listShape(typeOf(ref)))
    expect(shapes.map(({ atomic, associative }) => [atomic, associative])).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ])
  })
})

describe("shapeOf", () => {
  const all = typeOf({ ...text, ...setOf(text), ...mapOf(text) })
  const noMap = typeOf({ ...text, ...setOf(text) })
  const onlyList = typeOf(setOf(text))

  it.each<[title: string, type: Type, value: Value | undefined, kind: string | undefined]>([
    ["a scalar of several", all, "a", "scalar"],
    ["a bigint of several", all, 1n, "scalar"],
    ["a list of several", all, [], "list"],
    ["a map of several", all, {}, "map"],
    ["null of several", all, null, "map"],
    ["undefined of several", all, undefined, "map"],
    ["null without a map", noMap, null, "scalar"],
    ["a map without a map", noMap, {}, "scalar"],
    ["null for a list only", onlyList, null, "list"],
    ["a map for a list only", onlyList, {}, "list"],
    ["any value of a missing type", typeOf(named("missing")), {}, undefined],
  ])("chooses for %s", (_, type, value, kind) => {
    expect(type.shapeOf(value)?.kind).toBe(kind)
  })

  it("matches no alternative for null and undefined", () => {
    expect([undefined, null, "a", [], {}].map(value => all.match(value)?.kind)).toEqual([
      undefined,
      undefined,
      "scalar",
      "list",
      "map",
    ])
  })

  it("is always the only alternative", () => {
    expect([all.single, noMap.single, onlyList.single]).toEqual([false, false, true])
  })
})
