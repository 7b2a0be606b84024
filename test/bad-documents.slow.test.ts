// Replaces each node of valid schemas, overlays, OpenAPI documents and CRDs in turn by a value that does not belong there. The package must
// either return a usable result or throw an error of its own that names the place, never a raw error of JavaScript.

import { describe, expect, it } from "vitest"
import {
  type CompiledSchema,
  compileSchema,
  noManagers,
  parseSchema,
  parseTypes,
  type Schema,
  SchemaError,
  StructuredMergeError,
  TypedValue,
  Updater,
  type Value,
} from "../src/index.js"
import { kubernetesUnions } from "../src/kubernetes/index.js"
import {
  OpenAPIError,
  schemaFromCRD,
  schemaFromOpenAPIv2,
  schemaFromOpenAPIv3,
  TypeConverter,
  type UnionMode,
} from "../src/openapi/index.js"
import { parseTypeRef } from "../src/typed/parser.js"
import { applyUnionOverlay, parseUnionOverlay, unionPolicies, validateUnions } from "../src/union/index.js"
import { runFileAlone } from "./support/alone.js"
import { deepFreeze } from "./support/deep-freeze.js"

const misfits: readonly Value[] = [null, 1, "x", "", true, [], {}, [null], ["x"], { a: null }, { x: {} }, 10n ** 20n]

/** Yields the document with each node of `node` replaced, and the place of that node. */
function* replaced(node: Value, place = ""): Generator<readonly [place: string, document: Value]> {
  for (const misfit of misfits) yield [place, misfit]
  if (typeof node !== "object" || node === null) return
  for (const [key, child] of Object.entries(node)) {
    for (const [below, changed] of replaced(child as Value, `${place}/${key}`)) {
      yield [below, Array.isArray(node) ? node.with(Number(key), changed) : { ...node, [key]: changed }]
    }
  }
}

/** Returns the failures of `use` that are neither results nor errors with a place. */
function strays(document: Value, use: (document: Value) => unknown): string[] {
  const found: string[] = []
  for (const [place, changed] of replaced(document)) {
    try {
      use(deepFreeze(changed))
    } catch (error) {
      if (!hasPlace(error, place)) found.push(`${place}: ${String(error)}`)
    }
  }
  return found
}

/** Whether this is an error of the package that mentions part of the way to `place`, or the value there. */
function hasPlace(error: unknown, place: string): boolean {
  if (!(error instanceof StructuredMergeError)) return false
  const steps = place.split("/").filter(step => step !== "")
  if (steps.length === 0) return error.message.length > 10
  const text = error instanceof OpenAPIError ? error.explain() : error.message
  return steps.some(step => text.includes(step)) || named.test(text)
}

/** Matches messages that name a type, or a type, union and field, instead of a place in the document. */
const named = /schema error: (malformed|invalid atom:|no type found matching:) |overlay does not fit the schema: /

const schema: Value = deepFreeze({
  types: [
    {
      name: "s",
      map: {
        fields: [
          { name: "a", type: { scalar: "string" }, default: "x" },
          {
            name: "l",
            type: { list: { elementType: { namedType: "item" }, elementRelationship: "associative", keys: ["k"] } },
          },
          { name: "t", type: { scalar: "string" } },
          { name: "m", type: { namedType: "m", elementRelationship: "atomic" } },
          { name: "in", type: { map: { fields: [{ name: "q", type: { scalar: "string" } }] } } },
        ],
        unions: [
          {
            discriminator: "t",
            deduceInvalidDiscriminator: true,
            fields: [
              { fieldName: "a", discriminatorValue: "A" },
              { fieldName: "l", discriminatorValue: "L" },
            ],
          },
        ],
        elementType: { scalar: "untyped" },
        elementRelationship: "separable",
      },
    },
    { name: "item", map: { fields: [{ name: "k", type: { scalar: "string" }, default: "d" }] } },
    { name: "m", map: { elementType: { scalar: "boolean" } } },
  ],
})

const overlay: Value = deepFreeze({
  types: [
    {
      name: "s",
      at: [],
      unions: [
        {
          name: "n",
          discriminator: "t",
          deduceInvalidDiscriminator: true,
          emptyValues: ["E"],
          noneValue: "",
          values: ["A", "L", "E", ""],
          cardinality: "exactlyOne",
          fields: [
            { fieldName: "a", discriminatorValue: "A", optional: true, zeroIsUnset: true },
            { fieldName: "l", discriminatorValue: "L" },
          ],
        },
      ],
    },
    { name: "s", at: ["in"], unions: [{ fields: [{ fieldName: "q" }] }] },
  ],
})

const values: readonly Value[] = deepFreeze([
  { a: "x", t: "A", l: [{ k: "1" }, {}], m: { q: true }, rest: 1 },
  { l: [{ k: "1" }], a: "y" },
  { a: null },
])

/** Runs an applier's operations on values of the types, and skips values that do not fit. */
function useAll(types: CompiledSchema): void {
  for (const name of [...types.typeNames, "s"]) {
    for (const value of values) attempt(() => use(types, name, value))
  }
}

function use(types: CompiledSchema, name: string, value: Value): void {
  const type = types.type(name)
  const one = TypedValue.of(value, type)
  const other = TypedValue.of({}, type)
  for (const unions of Object.values(unionPolicies)) {
    attempt(() => new Updater({ unions }).apply(other, one, { manager: "a", apiVersion: "v1", managers: noManagers }))
  }
  validateUnions(other, one)
}

function attempt(run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof StructuredMergeError)) throw error
  }
}

describe("a schema document with a part that is no good", () => {
  const good = parseSchema(schema)

  it("is refused with the place, or can be used", () => {
    expect(strays(schema, document => useAll(parseTypes(document)))).toEqual([])
  })

  it("is refused with the place, or takes unions from elsewhere", () => {
    const use = (document: Value) => {
      const parsed = parseSchema(document)
      kubernetesUnions(parsed)
      attempt(() => applyUnionOverlay(parsed, overlay))
    }
    expect(strays(schema, use)).toEqual([])
  })

  it("says so when it is used without being parsed", () => {
    expect(strays(schema, document => useAll(compileSchema(document as unknown as Schema)))).toEqual([])
  })

  it("is refused with the place where it is a reference", () => {
    const ref = {
      namedType: "s",
      elementRelationship: "atomic",
      list: { elementType: { scalar: "string" }, keys: ["a"] },
      map: { fields: [{ name: "a", type: { scalar: "string" } }] },
    }
    const types = compileSchema(good)
    expect(strays(ref, document => attempt(() => TypedValue.of({ a: "x" }, parseTypeRef(types, document))))).toEqual([])
  })

  it("reads null as Go does: as an empty name, key or union, and else as nothing", () => {
    const type = { map: { fields: [{ name: null, type: { scalar: "string" } }], unions: [null], elementType: null } }
    const types = parseTypes(deepFreeze({ types: [{ name: null, scalar: null, ...type }] }))
    expect(TypedValue.of({ "": "x" }, types.type("")).toFieldSet().toString()).toContain(".")
    expect(() => TypedValue.of({ a: "x" }, types.type(""))).toThrow(".a: field not declared in schema")
    const item = { map: { elementType: { scalar: "string" } } }
    const list = { elementType: item, elementRelationship: "associative", keys: [null] }
    const set = TypedValue.of([{ "": "x" }], parseTypeRef(types, { list })).toFieldSet()
    expect(set.toString()).toContain('[="x"]')
    expect(parseSchema({ types: [{ name: "a", map: { fields: [{ name: "d", default: [null] }] } }] })).toEqual({
      types: [{ name: "a", map: { fields: [{ name: "d", default: [null] }] } }],
    })
  })
})

describe("a type that can't be compiled", () => {
  it("fails in the same way each time, and so does every type that refers to it", () => {
    const fields = [{ name: "f", type: { namedType: "bad" } }]
    const types = compileSchema({
      types: [
        { name: "bad", map: { fields: [null] } },
        { name: "user", map: { fields } },
      ],
    } as unknown as Schema)
    const message = /^schema error: malformed named type: bad: /
    for (let i = 0; i < 3; i++) {
      expect(types.type("bad").problem).toMatch(message)
      expect(() => TypedValue.of({}, types.type("bad"))).toThrow(message)
      expect(() => TypedValue.of({ f: {} }, types.type("user"))).toThrow(
        /^\.f: schema error: malformed named type: bad/,
      )
    }
  })

  it("fails in the same way each time where there is no schema at all", () => {
    for (const bad of [null, 1, { types: 1 }, { types: [null] }, { types: ["a"] }]) {
      for (let i = 0; i < 2; i++) expect(() => compileSchema(bad as unknown as Schema)).toThrow(SchemaError)
    }
  })
})

describe("an overlay with a part that is no good", () => {
  const good = parseSchema(schema)

  it("is refused with the place, or can be used", () => {
    expect(strays(overlay, parseUnionOverlay)).toEqual([])
    expect(strays(overlay, document => useAll(compileSchema(applyUnionOverlay(good, document))))).toEqual([])
  })

  it.each([
    [{ types: null }, ".types: must not be null"],
    [{ types: [null] }, ".types[0]: must not be null"],
    [{ types: [{ unions: [] }] }, ".types[0]: name is missing"],
    [{ types: [{ name: "s", at: null }] }, ".types[0].at: must not be null"],
    [{ types: [{ name: "s", unions: null }] }, ".types[0].unions: must not be null"],
    [{ types: [{ name: "s", unions: [{ values: null }] }] }, ".types[0].unions[0].values: must not be null"],
    [{ types: [{ name: "s", unions: [{ emptyValues: [null] }] }] }, ".types[0].unions[0].emptyValues[0]: must not"],
    [{ types: [{ name: "s", unions: [{ fields: [{}] }] }] }, ".types[0].unions[0].fields[0]: fieldName is missing"],
  ])("names the place: %j", (document, message) => {
    expect(() => parseUnionOverlay(deepFreeze(document) as Value)).toThrow(
      `unable to validate union overlay: ${message}`,
    )
  })
})

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const widget = {
  type: "object",
  "x-kubernetes-group-version-kind": [{ group: "x.io", version: "v1", kind: "W" }],
  required: ["a"],
  "x-kubernetes-unions": [{ discriminator: "t", "fields-to-discriminateBy": { a: "A", b: "B" } }],
  properties: {
    t: {
      type: "string",
      enum: ["A", "B"],
      "x-kubernetes-unions": { fieldMembers: { A: { name: "a", optional: true }, B: { name: "b" }, C: null } },
    },
    a: { type: "string", nullable: true, default: "" },
    b: { allOf: [ref("io.x.B")], default: {} },
    keyed: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", properties: { k: { type: "string" } } },
    },
    set: {
      type: "array",
      items: { type: "string" },
      "x-kubernetes-patch-strategy": "merge",
      "x-kubernetes-patch-merge-key": "k",
    },
    map: { type: "object", additionalProperties: { type: "integer" }, "x-kubernetes-map-type": "atomic" },
    ref: ref("io.x.B"),
  },
}
const definitions = {
  "io.x.W": widget,
  "io.x.B": { type: "object", properties: { p: { "x-kubernetes-preserve-unknown-fields": true } } },
}
const structural = {
  type: "object",
  properties: {
    metadata: { type: "object", properties: { name: { type: "string" } } },
    spec: {
      type: "object",
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
      properties: {
        ...widget.properties,
        b: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
        ref: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
        not: { allOf: [{ not: { pattern: "x" } }], type: "string" },
      },
    },
  },
}
const documents: Readonly<Record<string, Value>> = deepFreeze({
  "OpenAPI v3": { openapi: "3.0.0", components: { schemas: definitions } },
  "OpenAPI v2": {
    swagger: "2.0",
    definitions: JSON.parse(JSON.stringify(definitions).replaceAll("components/schemas", "definitions")) as Value,
  },
  CustomResourceDefinition: {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    spec: {
      group: "x.io",
      preserveUnknownFields: false,
      names: { kind: "W" },
      versions: [{ name: "v1", schema: { openAPIV3Schema: structural } }, { name: "v2" }],
    },
  },
})
const converters = {
  "OpenAPI v3": schemaFromOpenAPIv3,
  "OpenAPI v2": schemaFromOpenAPIv2,
  CustomResourceDefinition: schemaFromCRD,
} as const

describe.each(Object.entries(converters))(
  "a document of the format %s with a part that is no good",
  (format, convert) => {
    const document = documents[format] as Value

    it.each<UnionMode>(["off", "upstream", "repair"])(
      "is refused with the place, or can be used: unions %s",
      unions => {
        const use = (changed: Value) =>
          useAll(compileSchema(convert(changed, { unionMode: unions, deduce: "always" }).schema))
        expect(strays(document, use)).toEqual([])
      },
    )

    it("is refused with the place, or searched", () => {
      const use = (changed: Value) => {
        const types = new TypeConverter([{ document: { kind: "List", items: [changed] } }, { document: changed }])
        types.kinds()
        types.find("x.io/v1", "W")
      }
      expect(strays(document, use)).toEqual([])
    })
  },
)

describe("documents that nest far too deep", () => {
  it("are refused, within the stack of a small worker too", async () => {
    const { status, output, errors } = await runFileAlone(new URL("./deep-documents-program.ts", import.meta.url), {
      stackSizeMb: 1,
    })
    expect({ status, output, errors: errors.slice(0, 300) }).toEqual({ status: 0, output: "done\n", errors: "" })
  })
})
