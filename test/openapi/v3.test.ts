import { describe, expect, it } from "vitest"
import type { OpenAPIError } from "../../src/openapi/conversion/errors.js"
import { schemaFromOpenAPIv3 } from "../../src/openapi/v3.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { thrownBy } from "../support/thrown-by.js"
import { anything, deduced, fieldTypes, messageOf, typeOf, v3 } from "./support.js"

const text = { type: "string" }
const textAtom = { scalar: "string" }

describe("schemaFromOpenAPIv3: one schema", () => {
  const atomicList = (elementType: unknown) => ({ list: { elementType, elementRelationship: "atomic" } })
  const rows: readonly [string, unknown, unknown][] = [
    ["an integer", { type: "integer", format: "int64" }, { scalar: "numeric" }],
    ["a number", { type: "number" }, { scalar: "numeric" }],
    ["a boolean", { type: "boolean" }, { scalar: "boolean" }],
    ["a string", text, textAtom],
    ["bytes in a string", { type: "string", format: "byte" }, textAtom],
    ["a string of any other format", { type: "string", format: "date-time" }, { scalar: "untyped" }],
    ["a list of one type name", { type: ["string"] }, textAtom],
    ["no type", {}, anything],
    ["null in place of a schema", null, anything],
    ["int-or-string, which has no type", { "x-kubernetes-int-or-string": true }, anything],
    ["a bare object", { type: "object" }, { map: { elementType: deduced } }],
    [
      "an object with further fields",
      { type: "object", additionalProperties: text },
      { map: { elementType: textAtom } },
    ],
    [
      "an object with any further field",
      { type: "object", additionalProperties: true },
      { map: { elementType: deduced } },
    ],
    ["an object without further fields", { type: "object", additionalProperties: false }, { map: {} }],
    [
      "a struct",
      { type: "object", properties: { b: text, a: { type: "integer" } } },
      {
        map: {
          fields: [
            { name: "a", type: { scalar: "numeric" } },
            { name: "b", type: textAtom },
          ],
        },
      },
    ],
    [
      "defaults; null is none",
      { type: "object", properties: { a: { type: "string", default: "x" }, b: { type: "string", default: null } } },
      {
        map: {
          fields: [
            { name: "a", type: textAtom, default: "x" },
            { name: "b", type: textAtom },
          ],
        },
      },
    ],
    [
      "an atomic map",
      { type: "object", "x-kubernetes-map-type": "atomic" },
      { map: { elementType: deduced, elementRelationship: "atomic" } },
    ],
    [
      "a granular map",
      { type: "object", "x-kubernetes-map-type": "granular" },
      { map: { elementType: deduced, elementRelationship: "separable" } },
    ],
    ["a list", { type: "array", items: text }, atomicList(textAtom)],
    [
      "a set",
      { type: "array", items: text, "x-kubernetes-list-type": "set" },
      { list: { elementType: textAtom, elementRelationship: "associative" } },
    ],
    [
      "a list with keys",
      { type: "array", items: text, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", 1, "b"] },
      { list: { elementType: textAtom, elementRelationship: "associative", keys: ["a", "b"] } },
    ],
    [
      "a merged list by patch strategy",
      {
        type: "array",
        items: text,
        "x-kubernetes-patch-strategy": "merge,retainKeys",
        "x-kubernetes-patch-merge-key": "name",
      },
      { list: { elementType: textAtom, elementRelationship: "associative", keys: ["name"] } },
    ],
    [
      "a merged list without key",
      { type: "array", items: text, "x-kubernetes-patch-strategy": "merge" },
      { list: { elementType: textAtom, elementRelationship: "associative" } },
    ],
    [
      "a list of retained keys",
      { type: "array", items: text, "x-kubernetes-patch-strategy": "retainKeys" },
      atomicList(textAtom),
    ],
    ["a merge key alone", { type: "array", items: text, "x-kubernetes-patch-merge-key": "name" }, atomicList(textAtom)],
    [
      "both, where the list type counts",
      { type: "array", items: text, "x-kubernetes-list-type": "atomic", "x-kubernetes-patch-strategy": "merge" },
      atomicList(textAtom),
    ],
    ["a reference", { $ref: "#/components/schemas/other" }, { namedType: "other" }],
    ["a wrapped reference", { allOf: [{ $ref: "#/components/schemas/other" }], default: {} }, { namedType: "other" }],
    ["two references in allOf", { allOf: [{ $ref: "#/components/schemas/other" }, {}] }, anything],
    [
      "an overridden reference",
      { allOf: [{ $ref: "#/components/schemas/other" }], "x-kubernetes-map-type": "atomic" },
      { namedType: "other", elementRelationship: "atomic" },
    ],
    [
      "a nullable reference",
      { $ref: "#/components/schemas/other", nullable: true },
      { namedType: "other", nullable: true },
    ],
    ["a nullable string", { type: "string", nullable: true }, { scalar: "string", nullable: true }],
  ]

  it.each(rows)("%s", (_, property, expected) => {
    const document = deepFreeze(
      v3({ t: { type: "object", properties: { field: property } }, other: { type: "object" } }),
    )
    expect(fieldTypes(schemaFromOpenAPIv3(document), "t")).toEqual({ field: expected })
  })

  it("passes preserve-unknown-fields down, but not up or sideways", () => {
    const inner = { type: "object", properties: { x: text } }
    const document = v3({
      t: {
        type: "object",
        properties: {
          open: { ...inner, properties: { deep: inner }, "x-kubernetes-preserve-unknown-fields": true },
          closed: inner,
        },
      },
    })
    const xField = [{ name: "x", type: textAtom }]
    expect(typeOf(schemaFromOpenAPIv3(document), "t").map?.elementType).toBeUndefined()
    expect(fieldTypes(schemaFromOpenAPIv3(document), "t")).toEqual({
      open: {
        map: {
          fields: [{ name: "deep", type: { map: { fields: xField, elementType: deduced } } }],
          elementType: deduced,
        },
      },
      closed: { map: { fields: xField } },
    })
    const all = schemaFromOpenAPIv3(document, { preserveUnknownFields: true })
    expect(typeOf(all, "t").map?.elementType).toEqual(deduced)
  })
})

describe("schemaFromOpenAPIv3: a document", () => {
  it("lists types by name and ends with the two untyped ones", () => {
    const { schema } = schemaFromOpenAPIv3(v3({ b: text, é: text, Z: text, a: text }))
    expect(schema.types.map(({ name }) => name)).toEqual([
      "Z",
      "a",
      "b",
      "é",
      "__untyped_atomic_",
      "__untyped_deduced_",
    ])
  })

  it("knows Quantity and RawExtension by name and skips definitions that only refer", () => {
    const converted = schemaFromOpenAPIv3(
      v3({
        "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "string" },
        "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "object" },
        alias: { $ref: "#/components/schemas/x" },
        x: text,
      }),
    )
    expect(typeOf(converted, "io.k8s.apimachinery.pkg.api.resource.Quantity")).toEqual({ scalar: "untyped" })
    expect(typeOf(converted, "io.k8s.apimachinery.pkg.runtime.RawExtension").map?.elementRelationship).toBe("atomic")
    expect(converted.schema.types.map(({ name }) => name)).not.toContain("alias")
  })

  it("treats all keys of a document as ordinary keys", () => {
    const properties = JSON.parse(
      '{"__proto__":{"type":"string"},"constructor":{"type":"integer"},"toString":{"type":"boolean"}}',
    )
    const converted = schemaFromOpenAPIv3(v3({ t: { type: "object", properties }, constructor: text }))
    expect(typeOf(converted, "t").map?.fields).toEqual([
      { name: "__proto__", type: textAtom },
      { name: "constructor", type: { scalar: "numeric" } },
      { name: "toString", type: { scalar: "boolean" } },
    ])
    expect(typeOf(converted, "constructor")).toEqual(textAtom)
    expect(fieldTypes(schemaFromOpenAPIv3(v3({ t: { type: "object" } })), "t")).toEqual({})
  })

  it("indexes kinds; the later type of a kind counts", () => {
    const kind = (group: unknown, kindName = "K") => ({ group, version: "v1", kind: kindName })
    const definition = (...kinds: unknown[]) => ({ ...text, "x-kubernetes-group-version-kind": kinds })
    const { kinds } = schemaFromOpenAPIv3(
      v3({ a: definition(kind("g"), kind("h")), b: definition(kind("g"), kind(1), kind("g", ""), null) }),
    )
    expect(kinds).toEqual([
      { group: "g", version: "v1", kind: "K", typeName: "b" },
      { group: "h", version: "v1", kind: "K", typeName: "a" },
    ])
  })

  it("reports references to missing definitions", () => {
    const document = v3({ t: { type: "object", properties: { "a/b": { $ref: "#/components/schemas/gone" } } } })
    expect(schemaFromOpenAPIv3(document, { name: "api/v1" }).diagnostics).toEqual([
      {
        code: "unknown-reference",
        document: "api/v1",
        path: "/components/schemas/t/properties/a~1b",
        message: "no definition of gone; add the document that has it",
      },
    ])
  })

  it("ignores definitions with the names of the untyped types", () => {
    const converted = schemaFromOpenAPIv3(v3({ __untyped_atomic_: text }))
    expect(converted.schema.types).toHaveLength(2)
    expect(converted.diagnostics.map(({ code }) => code)).toEqual(["reserved-name"])
  })
})

describe("schemaFromOpenAPIv3: several documents", () => {
  const shared = { type: "object", properties: { a: text } }

  it("joins them, resolves references across them, and does not report shared definitions", () => {
    const user = { type: "object", properties: { shared: { $ref: "#/components/schemas/shared" } } }
    const gvk = { "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "K" }] }
    const converted = schemaFromOpenAPIv3([
      v3({ user }),
      v3({ shared }),
      v3({ shared: { ...shared, description: "the same", ...gvk } }),
    ])
    expect(converted.schema.types.map(({ name }) => name).slice(0, -2)).toEqual(["shared", "user"])
    expect(converted.kinds).toEqual([{ group: "", version: "v1", kind: "K", typeName: "shared" }])
    expect(converted.diagnostics).toEqual([])
  })

  it("uses the later of two different definitions, with a diagnostic", () => {
    const converted = schemaFromOpenAPIv3([v3({ shared }), v3({ shared: text })], { names: ["one", "two"] })
    expect(typeOf(converted, "shared")).toEqual(textAtom)
    expect(converted.diagnostics).toMatchObject([
      { code: "conflicting-definitions", document: "two", message: expect.stringContaining("one") },
    ])
  })
})

describe("schemaFromOpenAPIv3: errors", () => {
  const rows: readonly [string, unknown, string][] = [
    ["unknown type", { type: "file" }, "t: unrecognized type: 'file'"],
    ["list type", { type: "array", items: text, "x-kubernetes-list-type": "bag" }, "t: unknown list type bag"],
    ["null list type", { type: "array", items: text, "x-kubernetes-list-type": null }, "t: unknown list type <nil>"],
    ["no keys", { type: "array", items: text, "x-kubernetes-list-type": "map" }, "t: missing map keys"],
    [
      "odd keys",
      { type: "array", items: text, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": "a" },
      't: uninterpreted map keys: "a"',
    ],
    [
      "patch strategy",
      { type: "array", items: text, "x-kubernetes-patch-strategy": { a: [1, true] } },
      "t: unknown patch strategy map[a:[1 true]]",
    ],
    [
      "merge key",
      {
        type: "array",
        items: text,
        "x-kubernetes-patch-strategy": "merge",
        "x-kubernetes-patch-merge-key": [null, { k: "v" }],
      },
      't: uninterpreted merge key: []interface {}{interface {}(nil), map[string]interface {}{"k":"v"}}',
    ],
    ["map type", { type: "object", "x-kubernetes-map-type": "x" }, "t: unknown map type x"],
    [
      "map type of a reference",
      { type: "object", properties: { a: { $ref: "#/x/t", "x-kubernetes-map-type": 5 } } },
      "t: unknown map type 5",
    ],
    ["no items", { type: "array" }, "t: `items` must be specified on arrays"],
    [
      "a list of items",
      { type: "array", items: [text] },
      "t: structural schema arrays must have exactly one member subtype",
    ],
    [
      "nested",
      { type: "object", properties: { a: { type: "array", items: { type: "x" } } } },
      "inlined in inlined in t: unrecognized type: 'x'",
    ],
  ]

  it.each(rows)("has upstream's message for %s", (_, definition, message) => {
    expect(messageOf(() => schemaFromOpenAPIv3(v3({ t: definition })))).toBe(message)
  })

  it("collects all errors, by type, with their places", () => {
    const document = v3({ b: { type: "x" }, a: { type: "object", properties: { p: { type: "y" } } } })
    const error = thrownBy(() => schemaFromOpenAPIv3(document, { name: "f.json" })) as OpenAPIError
    expect(error.message).toBe("inlined in a: unrecognized type: 'y'\nb: unrecognized type: 'x'")
    expect(error.explain()).toBe(
      "f.json#/components/schemas/a/properties/p: inlined in a: unrecognized type: 'y'\n" +
        "f.json#/components/schemas/b: b: unrecognized type: 'x'",
    )
  })

  const malformed: readonly [string, unknown, string][] = [
    ["text", "openapi: 3.0.0", "d: expected an OpenAPI v3 document, found a string; parse the text first"],
    ["nothing", undefined, "d: expected an OpenAPI v3 document, found nothing"],
    ["OpenAPI v2", { swagger: "2.0" }, "d: expected an OpenAPI v3 document, found OpenAPI v2; use schemaFromOpenAPIv2"],
    ["another object", { kind: "Pod" }, "d: expected an OpenAPI v3 document, found an object of kind Pod"],
    ["a schema", { types: [] }, "d: expected an OpenAPI v3 document, found a schema; it needs no conversion"],
    [
      "the index of a cluster",
      { paths: { "api/v1": { serverRelativeURL: "/openapi/v3/api/v1" } } },
      "d: expected an OpenAPI v3 document, found the list of a cluster's documents; " +
        "get each of them, as with: kubectl get --raw /openapi/v3/apis/apps/v1",
    ],
    [
      "a list for schemas",
      { openapi: "3.0.0", components: { schemas: [] } },
      "d#/components/schemas: schemas must be an object, found an empty list",
    ],
    ["a definition", v3({ t: 1 }), "d#/components/schemas/t: a definition must be a schema object, found a number"],
    [
      "a property",
      v3({ t: { type: "object", properties: { a: "x" } } }),
      "d#/components/schemas/t/properties/a: a schema must be an object, found a string",
    ],
    ["a type", v3({ t: { type: 1 } }), "d#/components/schemas/t: type must be a string, found a number"],
    [
      "a format",
      v3({ t: { type: "string", format: 1 } }),
      "d#/components/schemas/t: format must be a string, found a number",
    ],
    [
      "nullable",
      v3({ t: { type: "array", items: { nullable: "yes" } } }),
      "d#/components/schemas/t/items: nullable must be true or false, found a string",
    ],
    [
      "additionalProperties",
      v3({ t: { type: "object", additionalProperties: 3 } }),
      "d#/components/schemas/t/additionalProperties: additionalProperties must be true, false or a schema, found a number",
    ],
  ]

  it.each(malformed)("names the place of %s and the expected value", (_, document, message) => {
    expect(messageOf(() => schemaFromOpenAPIv3(document, { name: "d" }))).toBe(message)
  })

  it("refuses endless nesting", () => {
    let schema: Record<string, unknown> = { type: "string" }
    for (let i = 0; i < 4000; i++) schema = { type: "array", items: schema }
    expect(() => schemaFromOpenAPIv3(v3({ t: schema }))).toThrow("schemas nest deeper than")
  })

  it("accepts a document without schemas", () => {
    expect(schemaFromOpenAPIv3({ openapi: "3.0.0" }).schema.types).toHaveLength(2)
    expect(schemaFromOpenAPIv3([]).schema.types).toHaveLength(2)
  })
})
