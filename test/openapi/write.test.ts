import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { kubernetesSchema, kubernetesSchemaWithUnions } from "../../src/kubernetes/index.js"
import { schemaFromOpenAPIv3 } from "../../src/openapi/v3.js"
import { openAPIv3FromSchema } from "../../src/openapi/write.js"
import type { Atom, Schema } from "../../src/schema/schema.js"
import type { UnionDef, UnionMember } from "../../src/schema/union.js"
import { repeatedField, unionProblems } from "../../src/schema/union-problems.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import { runs } from "../support/budget.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { messageOf, v3 } from "./support.js"

const extensions = ["fieldMembers", "list"] as const

function readBack(schema: Schema, unionExtension: (typeof extensions)[number]) {
  return schemaFromOpenAPIv3(openAPIv3FromSchema(deepFreeze(schema), { unionExtension }), { unionMode: "repair" })
}

const names = ["a", "b", "c", "d", "name", "constructor", "__proto__"]
const values = ["A", "B", "C", "None", "constructor", "__proto__", "a"]

/** Unions of all kinds that are valid, with members in any order. */
const union: fc.Arbitrary<UnionDef> = fc
  .record(
    {
      name: fc.constantFrom("one", "two"),
      discriminator: fc.constant("type"),
      deduceInvalidDiscriminator: fc.boolean(),
      fields: fc.uniqueArray(
        fc.record(
          {
            fieldName: fc.constantFrom(...names),
            discriminatorValue: fc.constantFrom(...values),
            optional: fc.boolean(),
            zeroIsUnset: fc.boolean(),
            emptyIsSet: fc.boolean(),
          },
          { requiredKeys: ["fieldName", "discriminatorValue"] },
        ),
        { minLength: 1, selector: ({ fieldName }) => fieldName },
      ),
      emptyValues: fc.uniqueArray(fc.constantFrom(...values)),
      noneValue: fc.constantFrom("", "None"),
      values: fc.constant([...values, ""]),
      discriminatorRequired: fc.boolean(),
      cardinality: fc.constantFrom("exactlyOne" as const, "atMostOne" as const),
    },
    { requiredKeys: ["fields"] },
  )
  .map(({ discriminator, ...rest }): UnionDef => {
    if (discriminator !== undefined) return { discriminator, ...rest }
    const fields = rest.fields.map(({ discriminatorValue: _, optional: __, ...member }): UnionMember => member)
    const { name, cardinality } = rest
    return { ...(name && { name }), fields, ...(cardinality && { cardinality }) }
  })
  .filter(made => unionProblems(made).length === 0)

/** A union of items of a list. */
const itemUnion: fc.Arbitrary<UnionDef> = fc
  .uniqueArray(fc.constantFrom("Approved", "Denied", "Failed"), { minLength: 1 })
  .map(types => ({ fields: types.map(type => ({ fieldName: "conditions", item: { type } })) }))

const conditions = {
  name: "conditions",
  type: { list: { elementType: { namedType: "c" }, elementRelationship: "associative", keys: ["type"] } },
} as const

function schemaWith(unions: readonly UnionDef[]): Schema {
  const fields = [...names, "type", "other"].map(name => ({ name, type: { scalar: "string" } as const }))
  const all = [...fields, conditions].sort((a, b) => (a.name < b.name ? -1 : 1))
  const types = [
    { name: "c", map: { fields: [{ name: "type", type: { scalar: "string" } }] } },
    { name: "t", map: { fields: all, unions } },
  ] as const
  return { types }
}

function firstOf({ fields = [] }: UnionDef): string {
  return fields[0]?.fieldName ?? ""
}

/** Sorts unions, whose order has no meaning. */
function sorted(unions: readonly UnionDef[] | undefined) {
  return unions?.toSorted((a, b) => (firstOf(a) < firstOf(b) ? -1 : 1))
}

describe.each(extensions)("a schema as OpenAPI v3, unions as %s", unionExtension => {
  it("is read as the same unions", () => {
    let several = 0
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 4, arbitrary: union }, { weight: 1, arbitrary: itemUnion }), {
          minLength: 1,
          maxLength: 2,
        }),
        unions => {
          if (repeatedField(unions) !== undefined) return
          if (unions.length > 1) several++
          const schema = schemaWith(unions)
          const { schema: read, diagnostics } = readBack(schema, unionExtension)
          expect(diagnostics).toEqual([])
          const found = read.types.find(({ name }) => name === "t")
          expect(sorted(found?.map?.unions)).toEqual(sorted(unions))
          expect(found?.map?.fields).toEqual(schema.types[1]?.map?.fields)
        },
      ),
      runs(1000),
    )
    expect(several).toBeGreaterThan(10)
  })

  it("has the unions of Kubernetes' types", () => {
    const schema = kubernetesSchemaWithUnions()
    const unionsIn = ({ types }: Schema) =>
      types.flatMap(({ name, map }) => (map?.unions ? [[name, map.unions] as const] : []))
    const read = readBack(schema, unionExtension)
    expect(read.diagnostics.filter(({ code }) => code === "wrong-union")).toEqual([])
    expect(new Map(unionsIn(read.schema))).toEqual(new Map(unionsIn(schema)))
    expect(unionsIn(schema).length).toBeGreaterThan(80)
  })
})

describe("a schema as OpenAPI v3", () => {
  it("has the types of Kubernetes", () => {
    const read = new Map(
      schemaFromOpenAPIv3(openAPIv3FromSchema(kubernetesSchema())).schema.types.map(type => [type.name, type]),
    )
    const written = kubernetesSchema().types
    expect(read.size).toBe(written.length)
    // The reader knows RawExtension, whatever a document says about it.
    const others = written.filter(({ name }) => name !== "io.k8s.apimachinery.pkg.runtime.RawExtension")
    for (const type of others) expect(named(read.get(type.name) ?? {})).toEqual(named(type))
  })

  it("says in each form what it can", () => {
    const def: UnionDef = {
      discriminator: "type",
      fields: [
        { fieldName: "a", discriminatorValue: "A" },
        { fieldName: "b", discriminatorValue: "B", optional: true },
      ],
      emptyValues: ["None"],
      values: ["A", "B", "None"],
      cardinality: "exactlyOne",
    }
    const object = (unionExtension: (typeof extensions)[number], unions: readonly UnionDef[]) => {
      const { components } = openAPIv3FromSchema(schemaWith(unions), { unionExtension }) as unknown as {
        components: { schemas: { t: MapValue & { properties: MapValue } } }
      }
      const { properties, ...rest } = components.schemas.t
      return { ...rest, discriminator: properties.type }
    }
    const type = { type: "string", enum: ["A", "B", "None"] }
    expect(object("fieldMembers", [def])).toEqual({
      type: "object",
      required: ["type"],
      discriminator: {
        ...type,
        "x-kubernetes-unions": { fieldMembers: { A: { name: "a" }, B: { name: "b", optional: true }, None: null } },
      },
    })
    expect(object("list", [{ ...def, fields: def.fields?.slice(0, 1) ?? [] }])).toEqual({
      type: "object",
      required: ["type"],
      discriminator: type,
      "x-kubernetes-unions": [
        {
          discriminator: "type",
          "fields-to-discriminateBy": { a: "A" },
          // The enum also has B, which selects no member.
          union: { emptyValues: ["None"] },
        },
      ],
    })
    expect(
      object("list", [{ ...def, fields: def.fields?.map(({ optional: _, ...rest }) => rest) ?? [] }]),
    ).toMatchObject({
      "x-kubernetes-unions": [{ discriminator: "type", "fields-to-discriminateBy": { a: "A", b: "B" } }],
    })
    expect(
      object("fieldMembers", [{ fields: [{ fieldName: "a" }, { fieldName: "b" }] }])["x-kubernetes-unions" as never],
    ).toEqual([{ "fields-to-discriminateBy": { a: "a", b: "b" } }])
  })

  it("names members by the order of their names, and says optional only of those that are", () => {
    const fields = ["b", "a"].map(fieldName => ({ fieldName, discriminatorValue: fieldName.toUpperCase() }))
    const written = (unionExtension: (typeof extensions)[number]) => {
      const document = openAPIv3FromSchema(schemaWith([{ discriminator: "type", fields }]), { unionExtension })
      const { components } = document as unknown as {
        components: { schemas: { t: { properties: { type: MapValue } } & MapValue } }
      }
      const { t } = components.schemas
      return t["x-kubernetes-unions"] ?? t.properties.type["x-kubernetes-unions"]
    }
    const [list] = written("list") as readonly MapValue[]
    expect(JSON.stringify(list?.["fields-to-discriminateBy"])).toBe('{"a":"A","b":"B"}')
    expect(written("fieldMembers")).toStrictEqual({
      fieldMembers: { A: { name: "a" }, B: { name: "b" } },
      union: { fields, values: null },
    })
  })

  it("leaves the type out where several kinds of values are allowed", () => {
    const item = { elementType: { scalar: "string" }, elementRelationship: "atomic" } as const
    const shapes: Record<string, Atom> = {
      list: { list: item },
      map: { map: item },
      both: { list: item, map: item },
      scalarOrList: { scalar: "string", list: item },
    }
    const schema = { types: Object.entries(shapes).map(([name, atom]) => ({ name, ...atom })) }
    const { components } = openAPIv3FromSchema(schema) as unknown as {
      components: { schemas: Record<string, MapValue> }
    }
    const typesWritten = Object.entries(components.schemas).map(([name, { type }]) => [name, type])
    expect(Object.fromEntries(typesWritten)).toEqual({ list: "array", map: "object" })
  })

  it("has the kinds", () => {
    const kinds = [{ group: "g", version: "v1", kind: "T", typeName: "t" }]
    expect(schemaFromOpenAPIv3(openAPIv3FromSchema(schemaWith([]), { kinds, title: "mine" })).kinds).toEqual(kinds)
  })

  it("is refused where `union` has what is no part of one", () => {
    const text = { type: "string" }
    const struct = (form: unknown) => ({
      type: "object",
      properties: { a: text, b: text, type: text },
      "x-kubernetes-unions": [form],
    })
    const form = { "fields-to-discriminateBy": { a: "a", b: "b" } }
    const message = (union: unknown) =>
      messageOf(() => schemaFromOpenAPIv3(v3({ t: struct({ ...form, union }) }), { unionMode: "repair" }))
    expect(message([])).toBe('t: "x-kubernetes-unions": "union" must be an object')
    expect(message({ cardinality: "two" })).toBe(
      't: "x-kubernetes-unions": "union" has a cardinality that is not part of a union, or is malformed',
    )
    expect(message({ fields: [{ name: "a" }] })).toContain("has a fields that")
    expect(message({ constructor: true })).toContain("has a constructor that")
  })
})

/** Returns the type with types in place replaced by their names, and without relationships that are the default. */
function named(atom: Atom): Value {
  const visit = (value: Value): Value => {
    if (isList(value)) return value.map(visit)
    if (!isMap(value)) return value
    if (
      value.scalar === "untyped" &&
      isMap(value.map ?? null) &&
      isMap(value.list ?? null) &&
      value.name === undefined
    ) {
      return {
        namedType:
          (value.map as MapValue).elementRelationship === "atomic" ? "__untyped_atomic_" : "__untyped_deduced_",
      }
    }
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, visit(part)]))
  }
  return visit(atom as unknown as Value)
}
