import { describe, expect, it } from "vitest"
import { schemaFromOpenAPIv2 } from "../../src/openapi/v2.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { deduced, fieldTypes, messageOf, typeOf, v2 } from "./support.js"

const text = { type: "string" }
const textAtom = { scalar: "string" }
const deducedAtom = {
  scalar: "untyped",
  list: { elementType: { namedType: "__untyped_atomic_" }, elementRelationship: "atomic" },
  map: { elementType: deduced, elementRelationship: "separable" },
}

describe("schemaFromOpenAPIv2", () => {
  const rows: readonly [string, unknown, unknown][] = [
    ["a string", text, textAtom],
    ["no type", { description: "x" }, deducedAtom],
    ["a bare object", { type: "object" }, { map: { elementType: deducedAtom } }],
    [
      "a map",
      { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
      { map: { elementType: textAtom, elementRelationship: "atomic" } },
    ],
    ["a map of anything", { type: "object", additionalProperties: true }, { map: { elementType: deducedAtom } }],
    ["a struct without type", { properties: { a: text } }, { map: { fields: [{ name: "a", type: textAtom }] } }],
    ["an empty struct", { type: "object", properties: {} }, { map: {} }],
    [
      "a struct, whose further fields don't count",
      { type: "object", properties: { a: text }, additionalProperties: text },
      { map: { fields: [{ name: "a", type: textAtom }] } },
    ],
    [
      "an open struct",
      { type: "object", properties: {}, "x-kubernetes-preserve-unknown-fields": true },
      { map: { elementType: deduced } },
    ],
    [
      "an open bare object",
      { type: "object", "x-kubernetes-preserve-unknown-fields": true },
      { map: { elementType: deducedAtom } },
    ],
    [
      "a reference",
      { $ref: "#/definitions/other", "x-kubernetes-map-type": "granular" },
      { namedType: "other", elementRelationship: "separable" },
    ],
    [
      "a reference to RawExtension",
      { $ref: "#/definitions/io.k8s.apimachinery.pkg.runtime.RawExtension" },
      { namedType: "__untyped_atomic_" },
    ],
    ["a list", { type: "array", items: text }, { list: { elementType: textAtom, elementRelationship: "atomic" } }],
    [
      "a list of a list of schemas",
      { type: "array", items: [text] },
      { list: { elementType: deducedAtom, elementRelationship: "atomic" } },
    ],
    [
      "keys that YAML 1.1 takes for booleans",
      { type: "array", items: text, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["y", "x"] },
      { list: { elementType: textAtom, elementRelationship: "associative", keys: ["x"] } },
    ],
    ["nullable, which v2 does not have", { type: "string", nullable: true }, textAtom],
  ]

  it.each(rows)("%s", (_, property, expected) => {
    const document = v2({
      t: { type: "object", properties: { field: property } },
      other: { type: "object" },
      "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "object" },
    })
    expect(fieldTypes(schemaFromOpenAPIv2(deepFreeze(document)), "t")).toEqual({ field: expected })
  })

  it("reads defaults by the rules of YAML 1.1, at any depth", () => {
    const defaults = ["x", "on", "off", ["no", { a: "Yes" }], {}, 0, false]
    const properties = Object.fromEntries(
      defaults.map((value, index) => [`f${index}`, { type: "string", default: value }]),
    )
    const converted = schemaFromOpenAPIv2(v2({ t: { type: "object", properties } }))
    expect(typeOf(converted, "t").map?.fields?.map(field => field.default)).toEqual([
      "x",
      true,
      false,
      [false, { a: true }],
      {},
      0,
      false,
    ])
  })

  it("makes Quantity untyped and skips definitions that only refer", () => {
    const converted = schemaFromOpenAPIv2(
      v2({ "io.k8s.apimachinery.pkg.api.resource.Quantity": text, alias: { $ref: "#/definitions/x" }, x: text }),
    )
    expect(converted.schema.types.map(({ name }) => name)).toEqual([
      "io.k8s.apimachinery.pkg.api.resource.Quantity",
      "x",
      "__untyped_atomic_",
      "__untyped_deduced_",
    ])
    expect(typeOf(converted, "io.k8s.apimachinery.pkg.api.resource.Quantity")).toEqual({ scalar: "untyped" })
  })

  it("passes preserve-unknown-fields down", () => {
    const inner = { type: "object", properties: { a: text } }
    const outer = { type: "object", properties: { inner }, "x-kubernetes-preserve-unknown-fields": true }
    const converted = schemaFromOpenAPIv2(v2({ t: outer, u: inner }))
    expect(fieldTypes(converted, "t").inner).toEqual({
      map: { fields: [{ name: "a", type: textAtom }], elementType: deduced },
    })
    expect(typeOf(converted, "u").map?.elementType).toBeUndefined()
  })

  it("warns of list keys that may be absent and have no default", () => {
    const port = { type: "object", required: ["port"], properties: { port: { type: "integer" }, protocol: text } }
    const ports = {
      type: "array",
      items: { $ref: "#/definitions/port" },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["port", "protocol"],
    }
    const document = v2({ port, t: { type: "object", properties: { a: ports, b: ports } } })
    expect(schemaFromOpenAPIv2(document).diagnostics).toMatchObject([
      { code: "missing-default", path: "/definitions/port/properties/protocol" },
    ])
    const withDefault = { ...port, properties: { ...port.properties, protocol: { type: "string", default: "TCP" } } }
    expect(schemaFromOpenAPIv2(v2({ port: withDefault, t: ports })).diagnostics).toEqual([])
  })

  const errors: readonly [string, Record<string, unknown>, string][] = [
    [
      "two types",
      { t: { type: ["string", "null"] } },
      "SchemaError(t): definitions with multiple types aren't supported",
    ],
    [
      "an unknown type",
      { t: { type: "object", properties: { a: { type: "file" } } } },
      'SchemaError(t.a): Unknown primitive type: "file"',
    ],
    [
      "a foreign reference",
      { t: { $ref: "http://x" } },
      'SchemaError(t): unallowed reference to non-definition "http://x"',
    ],
    [
      "an unknown reference",
      { t: { type: "array", items: { $ref: "#/definitions/u" } } },
      'SchemaError(t): unknown model in reference: "u"',
    ],
    [
      "a reference with a type",
      { t: { $ref: "#/definitions/t", type: "object" } },
      "SchemaError(t): definition reference can't have a type",
    ],
    [
      "a reference with properties",
      { t: { $ref: "#/definitions/t", properties: { a: {} } } },
      "SchemaError(t): unallowed embedded type definition",
    ],
    ["no items", { t: { type: "array" } }, "SchemaError(t): array should have exactly one sub-item"],
    [
      "an unreadable type before others",
      { a: { type: "object", "x-kubernetes-map-type": "x" }, t: { type: "x" } },
      'SchemaError(t): Unknown primitive type: "x"',
    ],
    [
      "what can be read but not converted, by type",
      {
        b: { type: "object", "x-kubernetes-map-type": "x" },
        a: { type: "array", items: {}, "x-kubernetes-list-type": "x" },
      },
      "a: unknown list type x\nb: unknown map type x",
    ],
    [
      "a kind of two types",
      Object.fromEntries(
        ["a", "b"].map(name => [
          name,
          { "x-kubernetes-group-version-kind": [{ group: "g", version: "v", kind: "K" }] },
        ]),
      ),
      "duplicate entry for g/v, Kind=K",
    ],
  ]

  it.each(errors)("has upstream's message for %s", (_, definitions, message) => {
    expect(messageOf(() => schemaFromOpenAPIv2(v2(definitions)))).toBe(message)
  })

  it("refuses other documents", () => {
    expect(() => schemaFromOpenAPIv2({ openapi: "3.0.0" })).toThrow(
      "expected an OpenAPI v2 document, found OpenAPI v3; use schemaFromOpenAPIv3",
    )
  })
})
