import { describe, expect, it } from "vitest"
import { schemaFromCRD } from "../../src/openapi/crd.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { anything, deduced, fieldTypes, messageOf, typeOf } from "./support.js"

const text = { type: "string" }
const textAtom = { scalar: "string" }
const objectMeta = { namedType: "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }
const widget = "com.example.stable.v1.Widget"

function crd(schema?: unknown, more: Record<string, unknown> = {}) {
  const version = {
    name: "v1",
    served: true,
    storage: true,
    ...(schema === undefined ? {} : { schema: { openAPIV3Schema: schema } }),
  }
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    spec: { group: "stable.example.com", names: { kind: "Widget", plural: "widgets" }, versions: [version], ...more },
  }
}

/** A root schema with one property. */
function withField(field: unknown) {
  return { type: "object", properties: { field } }
}

describe("schemaFromCRD", () => {
  it("adds apiVersion, kind and metadata to every object", () => {
    const schema = deepFreeze(withField({ ...text, default: "x" }))
    const metadata = { type: "object", properties: { name: { type: "string", pattern: "^w" } } }
    for (const properties of [
      schema.properties,
      { ...schema.properties, metadata, kind: { type: "string", format: "odd" } },
    ]) {
      const converted = schemaFromCRD(crd({ ...schema, properties }))
      expect(typeOf(converted, widget)).toEqual({
        map: {
          fields: [
            { name: "apiVersion", type: textAtom },
            { name: "field", type: textAtom, default: "x" },
            { name: "kind", type: textAtom },
            { name: "metadata", type: objectMeta },
          ],
        },
      })
      expect(converted.diagnostics).toEqual([])
    }
  })

  it("has the types of metadata: labels by key, finalizers as a set, owners by uid, managedFields whole", () => {
    const converted = schemaFromCRD(crd({ type: "object" }))
    expect(fieldTypes(converted, objectMeta.namedType)).toMatchObject({
      labels: { map: { elementType: textAtom } },
      finalizers: { list: { elementRelationship: "associative", elementType: textAtom } },
      ownerReferences: { list: { elementRelationship: "associative", keys: ["uid"] } },
      managedFields: { list: { elementRelationship: "atomic" } },
      creationTimestamp: { namedType: "io.k8s.apimachinery.pkg.apis.meta.v1.Time" },
    })
    expect(typeOf(converted, "io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference").map?.elementRelationship).toBe(
      "atomic",
    )
    const names = new Set(converted.schema.types.map(({ name }) => name))
    expect(
      JSON.stringify(converted.schema)
        .match(/"namedType":"[^"]*"/g)
        ?.every(ref => names.has(ref.slice(13, -1))),
    ).toBe(true)
  })

  it("accepts other types of metadata", () => {
    const metadata = [
      { name: objectMeta.namedType, map: { fields: [{ name: "name", type: { scalar: "string" } }] } },
    ] as const
    const converted = schemaFromCRD(crd({ type: "object" }), { metadata })
    expect(converted.schema.types.map(({ name }) => name)).toEqual([
      widget,
      objectMeta.namedType,
      "__untyped_atomic_",
      "__untyped_deduced_",
    ])
  })

  it("converts all versions, served or not, each by its own schema", () => {
    const versions = [
      { name: "v1", served: true, schema: { openAPIV3Schema: withField(text) } },
      { name: "v1beta1", served: false, schema: { openAPIV3Schema: withField({ type: "integer" }) } },
    ]
    const converted = schemaFromCRD(crd(undefined, { versions }))
    expect(converted.kinds).toEqual(
      ["v1", "v1beta1"].map(version => ({
        group: "stable.example.com",
        version,
        kind: "Widget",
        typeName: `com.example.stable.${version}.Widget`,
      })),
    )
    expect(fieldTypes(converted, widget).field).toEqual(textAtom)
    expect(fieldTypes(converted, "com.example.stable.v1beta1.Widget").field).toEqual({ scalar: "numeric" })
  })

  const rows: readonly [string, unknown, unknown][] = [
    ["int-or-string", { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, text] }, anything],
    ["nullable", { type: "string", nullable: true }, { scalar: "string", nullable: true }],
    [
      "a list with keys",
      {
        type: "array",
        items: withField(text),
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["field"],
      },
      {
        list: {
          elementType: { map: { fields: [{ name: "field", type: textAtom }] } },
          elementRelationship: "associative",
          keys: ["field"],
        },
      },
    ],
    [
      "a patch strategy, which a CRD can't have",
      { type: "array", items: text, "x-kubernetes-patch-strategy": "merge" },
      { list: { elementType: textAtom, elementRelationship: "atomic" } },
    ],
    [
      "an atomic map",
      { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
      { map: { elementType: textAtom, elementRelationship: "atomic" } },
    ],
    [
      "an open struct",
      { ...withField(text), "x-kubernetes-preserve-unknown-fields": true },
      { map: { fields: [{ name: "field", type: textAtom }], elementType: deduced } },
    ],
    [
      "an embedded resource",
      { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
      {
        map: {
          fields: [
            { name: "apiVersion", type: textAtom },
            { name: "kind", type: textAtom },
            { name: "metadata", type: objectMeta },
          ],
          elementType: deduced,
        },
      },
    ],
    [
      "restrictions",
      { type: "object", additionalProperties: text, anyOf: [{ minProperties: 1 }], not: { required: ["a"] } },
      { map: { elementType: textAtom } },
    ],
    ["an empty list of restrictions", { type: "string", allOf: [], description: "", title: "" }, textAtom],
  ]

  it.each(rows)("%s", (_, field, expected) => {
    const converted = schemaFromCRD(deepFreeze(crd(withField(field))))
    expect(converted.diagnostics).toEqual([])
    expect(fieldTypes(converted, widget).field).toEqual(expected)
  })

  it("allows unknown fields in every struct if the definition preserves unknown fields", () => {
    for (const converted of [
      schemaFromCRD(crd(withField(withField(text)), { preserveUnknownFields: true })),
      schemaFromCRD(crd(withField(withField(text))), { preserveUnknownFields: true }),
    ]) {
      expect(typeOf(converted, widget).map?.elementType).toEqual(deduced)
      expect(fieldTypes(converted, widget).field).toMatchObject({ map: { elementType: deduced } })
      expect(typeOf(converted, objectMeta.namedType).map?.elementType).toEqual(deduced)
    }
  })

  it("reads unions, which an API server does not", () => {
    const schema = {
      ...withField(text),
      "x-kubernetes-unions": [{ "fields-to-discriminateBy": { field: "Field" } }],
    }
    for (const unions of ["upstream", "off"] as const) {
      expect(typeOf(schemaFromCRD(crd(schema), { unionMode: unions }), widget).map?.unions).toBeUndefined()
    }
    expect(typeOf(schemaFromCRD(crd(schema)), widget).map?.unions).toEqual([
      { fields: [{ fieldName: "field", discriminatorValue: "Field" }] },
    ])
  })
})

describe("a version without a usable schema", () => {
  const untyped = { map: { elementType: deduced } }

  it("allows anything without a schema", () => {
    const converted = schemaFromCRD(crd())
    expect(typeOf(converted, widget)).toEqual(untyped)
    expect(converted.diagnostics).toEqual([])
  })

  const clause = (restriction: unknown) =>
    withField({ type: "object", additionalProperties: text, anyOf: [restriction] })
  const at = "/spec/versions/0/schema/openAPIV3Schema"
  const inClause = `${at}/properties/field/anyOf/0`
  const rows: readonly [unknown, string, string][] = [
    [{ properties: { a: text } }, at, "`type` must not be empty"],
    [{ type: "array", items: text }, at, "the root must have the type object"],
    [{ type: "object", additionalProperties: text }, at, "`additionalProperties` must not be used at the root"],
    [withField({}), `${at}/properties/field`, "`type` must not be empty"],
    [withField({ type: "array" }), `${at}/properties/field`, "an array needs `items`"],
    [withField({ type: "array", items: {} }), `${at}/properties/field/items`, "`type` must not be empty"],
    [withField({ type: "file" }), `${at}/properties/field`, "unknown type file"],
    [withField({ ...text, $ref: "#/x" }), `${at}/properties/field`, "`$ref` is not supported"],
    [
      withField({ type: "object", patternProperties: { a: text } }),
      `${at}/properties/field`,
      "`patternProperties` is not supported",
    ],
    [
      withField({ ...text, "x-kubernetes-preserve-unknown-fields": false }),
      `${at}/properties/field`,
      "`x-kubernetes-preserve-unknown-fields` must be true or absent",
    ],
    [
      withField({ "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true }),
      `${at}/properties/field`,
      "an int-or-string can't preserve unknown fields",
    ],
    [
      withField({ type: "object", "x-kubernetes-embedded-resource": true }),
      `${at}/properties/field`,
      "an embedded resource needs `properties`, or must preserve unknown fields",
    ],
    [
      { type: "object", properties: { metadata: { type: "object", description: "x" } } },
      `${at}/properties/metadata`,
      "must not restrict more than name and generateName",
    ],
    [
      { type: "object", properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } },
      `${at}/properties/metadata`,
      "must not restrict more than name and generateName",
    ],
    [
      { type: "object", properties: { kind: { type: "integer" } } },
      `${at}/properties/kind`,
      "must have the type string",
    ],
    [clause(text), inClause, "`type` must not stand inside allOf, anyOf, oneOf or not"],
    [
      clause({ "x-kubernetes-list-type": "" }),
      inClause,
      "`x-kubernetes-list-type` must not stand inside allOf, anyOf, oneOf or not",
    ],
    [
      clause({ additionalProperties: {} }),
      inClause,
      "`additionalProperties` must not stand inside allOf, anyOf, oneOf or not",
    ],
    [
      clause({ properties: { metadata: {} } }),
      `${inClause}/properties/metadata`,
      "metadata must not be restricted inside allOf, anyOf, oneOf or not",
    ],
    [
      clause({ not: { items: { nullable: true } } }),
      `${inClause}/not/items`,
      "`nullable` must not stand inside allOf, anyOf, oneOf or not",
    ],
    [
      { ...withField(text), anyOf: [{ properties: { gone: {} } }] },
      `${at}/anyOf/0/properties/gone`,
      "is restricted here, but not defined outside",
    ],
    [
      { ...withField(text), not: { properties: { field: { items: {} } } } },
      `${at}/not/properties/field/items`,
      "is restricted here, but not defined outside",
    ],
  ]

  it.each(rows)(
    "allows anything with a schema that is not structural, and gives the reason: %j",
    (schema, path, message) => {
      const converted = schemaFromCRD(crd(schema), { name: "crd.yaml" })
      expect(typeOf(converted, widget)).toEqual(untyped)
      expect(converted.diagnostics).toContainEqual({ code: "not-structural", document: "crd.yaml", path, message })
    },
  )

  it("accepts restrictions of fields that are defined outside", () => {
    const schema = {
      ...withField({ type: "array", items: text }),
      oneOf: [{ properties: { field: { items: { minLength: 1 } } } }],
    }
    expect(schemaFromCRD(crd(schema)).diagnostics).toEqual([])
  })
})

describe("schemaFromCRD: the types", () => {
  it("are the types that a version refers to", () => {
    const names = (definition: unknown) => schemaFromCRD(definition).schema.types.map(({ name }) => name)
    expect(names(crd(undefined))).toEqual([widget, "__untyped_atomic_", "__untyped_deduced_"])
    expect(names(crd({ type: "object" }))).toContain("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
  })
})

describe("schemaFromCRD: errors", () => {
  const rows: readonly [unknown, string][] = [
    [
      { kind: "CustomResourceDefinition", apiVersion: "apiextensions.k8s.io/v1beta1" },
      "d#/apiVersion: must be apiextensions.k8s.io/v1, found apiextensions.k8s.io/v1beta1; convert the definition to v1 first",
    ],
    [{ kind: "ConfigMap" }, "d: expected a CustomResourceDefinition, found an object of kind ConfigMap"],
    [{ openapi: "3.0.0" }, "d: expected a CustomResourceDefinition, found OpenAPI v3; use schemaFromOpenAPIv3"],
    [{ ...crd(), spec: undefined }, "d#/spec: spec is missing"],
    [{ ...crd(), spec: [] }, "d#/spec: spec must be an object, found an empty list"],
    [crd(undefined, { group: "" }), "d#/spec/group: group is missing"],
    [crd(undefined, { names: {} }), "d#/spec/names/kind: kind is missing"],
    [crd(undefined, { versions: [] }), "d#/spec/versions: must be a list of versions, found an empty list"],
    [crd(undefined, { versions: [{}] }), "d#/spec/versions/0/name: name is missing"],
    [crd("x"), "d#/spec/versions/0/schema/openAPIV3Schema: openAPIV3Schema must be an object, found a string"],
    [
      crd(withField({ type: "array", items: text, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [] })),
      `inlined in ${widget}: missing map keys`,
    ],
    [crd(withField({ type: "object", "x-kubernetes-map-type": "x" })), `inlined in ${widget}: unknown map type x`],
  ]

  it.each(rows)("%#", (document, message) => {
    expect(messageOf(() => schemaFromCRD(document, { name: "d" }))).toBe(message)
  })
})
