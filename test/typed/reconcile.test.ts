import { describe, expect, it } from "vitest"
import { SchemaError, StructuredMergeError, ValidationError } from "../../src/errors.js"
import { fieldElement } from "../../src/fieldpath/create-element.js"
import { Entry, FieldSet, leafEntry } from "../../src/fieldpath/set.js"
import { deducedType } from "../../src/typed/deduced.js"
import type { Type } from "../../src/typed/type.js"
import { reconcileFieldSetWithSchema } from "../../src/typed/typed-value.js"
import { set, show } from "../fieldpath/notation.js"
import { atomicList, listBy, mapOf, named, scalar, setOf, struct, text, thing, typeOf } from "./notation.js"

/** Returns a set, written for another type, after it is reconciled; `same` if nothing changes. */
function reconciled(type: Type, before: string): string {
  const after = reconcileFieldSetWithSchema(set(before), type)
  return after === null ? "same" : show(after)
}

const atomicStruct = struct({ x: text, y: struct({ z: text }) }, "atomic")

const rows: [title: string, type: Type, before: string, after: string][] = [
  ["takes a struct that is atomic now as a whole", typeOf(struct({ a: atomicStruct, b: text })), "a.x a.y.z b", "a b"],
  [
    "takes a list that is atomic now as a whole",
    typeOf(struct({ l: atomicList(text), b: text })),
    "l[=x] l[=y] b",
    "b l",
  ],
  [
    "takes a list of items that is atomic now as a whole",
    typeOf(struct({ l: atomicList(struct({ k: text })) })),
    "l[k=a] l[k=a].k",
    "l",
  ],
  [
    "takes a map that is atomic now as a whole",
    typeOf(struct({ m: { map: { elementType: text, elementRelationship: "atomic" } } })),
    "m.a m.b",
    "m",
  ],
  [
    "finds what is atomic in items",
    typeOf(struct({ l: listBy(["k"], struct({ k: text, a: atomicStruct })) })),
    "l[k=q] l[k=q].k l[k=q].a.x",
    "l[k=q] l[k=q].a l[k=q].k",
  ],
  ["finds what is atomic in maps", typeOf(mapOf(atomicStruct)), "q q.x", "q"],
  [
    "finds what a reference makes atomic",
    typeOf(struct({ a: named("t", "atomic") }), { t: struct({ x: text }) }),
    "a.x",
    "a",
  ],
  [
    "takes a part of what is atomic for the whole, once",
    typeOf(struct({ a: atomicStruct, c: atomicStruct })),
    "a.x a.y c.y.z",
    "a c",
  ],
  ["keeps a member that has become atomic", typeOf(struct({ a: atomicStruct })), "a a.x", "a"],
]

const unchanged: [title: string, type: Type, before: string][] = [
  ["nothing", thing, ""],
  ["what fits", thing, "s in.n list[k=a] list[k=a].v tags[=x] args frozen map.a maps.a maps.a.x"],
  ["what is a whole already", typeOf(struct({ a: atomicStruct, l: atomicList(text) })), "a l"],
  ["what was atomic and is granular now", typeOf(struct({ a: struct({ x: text }), l: setOf(text) })), "a l"],
  ["fields the schema does not know", typeOf(struct({ a: text })), "q q.x"],
  ["what is below a scalar", typeOf(struct({ a: text })), "a.x"],
  ["what has no schema", deducedType(), "a.b l[0] l[0].x"],
  ["maps of untyped values", typeOf(struct({ m: mapOf(scalar) })), "m.a.b"],
  [
    "atomic maps of untyped values",
    typeOf(struct({ m: { map: { elementType: scalar, elementRelationship: "atomic" } } })),
    "m.a.b",
  ],
  ["elements that are no fields of a struct", typeOf(struct({ a: atomicStruct })), "[k=a].x [0] [=1]"],
]

describe("reconcileFieldSetWithSchema", () => {
  it.each(rows)("%s", (_, type, before, after) => {
    expect(reconciled(type, before)).toBe(after)
    expect(reconciled(type, after)).toBe("same")
  })

  it.each(unchanged)("does not change %s", (_, type, before) => {
    expect(reconciled(type, before)).toBe("same")
  })

  it("returns the same result for a set that was reconciled before", () => {
    const type = typeOf(struct({ a: struct({ x: text }) }))
    const changed = typeOf(struct({ a: atomicStruct }))
    const before = set("a.x")
    for (const _ of [1, 2]) {
      expect(reconcileFieldSetWithSchema(before, type)).toBeNull()
      expect(show(reconcileFieldSetWithSchema(before, changed) as FieldSet)).toBe("a")
    }
  })

  it("handles recursive types", () => {
    const type = typeOf(named("node"), { node: struct({ next: named("node"), data: atomicStruct }) })
    expect(reconciled(type, "next.next.next.data.x next.data")).toBe("next.data next.next.next.data")
  })

  it("reports a type that is missing, once for each place", () => {
    const type = typeOf(struct({ a: named("missing"), b: named("missing") }))
    const run = () => reconcileFieldSetWithSchema(set("a b.x"), type)
    expect(run).toThrow(SchemaError)
    expect(run).toThrow(
      /^errors reconciling field set with schema: errors:\n.*no type found matching: missing\n.*missing$/,
    )
    try {
      run()
    } catch (error) {
      expect((error as Error).cause).toBeInstanceOf(ValidationError)
    }
  })

  it("refuses a set that nests too deep", () => {
    let deep = new FieldSet([leafEntry(fieldElement("next"))])
    for (let i = 0; i < 2_000; i++) deep = new FieldSet([new Entry(fieldElement("next"), false, deep)])
    const type = typeOf(named("node"), { node: struct({ next: named("node") }) })
    expect(() => reconcileFieldSetWithSchema(deep, type)).toThrow(StructuredMergeError)
  })
})
