// Random unions, from every source that types can come from. All sources describe the same struct: two to four members, mostly a
// discriminator, and one other field. An object has it as `spec`, and its copies in a list with keys.

import { readGoTypes } from "../../../src/gotypes/index.js"
import { kubernetesTypeName } from "../../../src/kubernetes/index.js"
import { kubernetesSchemaWithUnions } from "../../../src/kubernetes/types.js"
import type { TypeFinder } from "../../../src/managedfields/types/object-types.js"
import { TypeConverter } from "../../../src/openapi/type-converter.js"
import { schemaFromOpenAPIv3 } from "../../../src/openapi/v3.js"
import { openAPIv3FromSchema } from "../../../src/openapi/write.js"
import type { Schema, StructField } from "../../../src/schema/schema.js"
import type { UnionDef } from "../../../src/schema/union.js"
import { untypedTypes } from "../../../src/schema/untyped.js"
import { applyUnionOverlay } from "../../../src/union/overlay.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import type { Random } from "../../fuzz/random.js"
import { definitionOf } from "../../support/definition.js"

/** A union, and what its members hold: a struct, or a number. */
interface Shape {
  readonly members: readonly { readonly name: string; readonly holds: "struct" | "number" }[]
  readonly union: UnionDef
  /** The fields of the members that are structs. */
  readonly parts: readonly string[]
  /** The values that a member's field may have, or a number. */
  readonly content?: Value
}

/** Kinds for stories: where to find the type, and which fields the union has. */
export interface World {
  readonly source: SourceName
  readonly apiVersion: string
  readonly kind: string
  readonly types: TypeFinder
  readonly shape: Shape
  /** Makes an object of the union's struct and of copies of it in a list, by name. Built-in kinds have no such list. */
  object(spec: MapValue, items: MapValue): MapValue
}

export const sourceNames = [
  "schema",
  "overlay",
  "CRD, list form",
  "CRD, fieldMembers",
  "CRD, validation",
  "OpenAPI",
  "Go types",
  "built-in kinds",
] as const
export type SourceName = (typeof sourceNames)[number]

const value = (member: string) => member.toUpperCase()

function shapeOf(random: Random, source: SourceName): Shape {
  const members = ["a", "b", "c", "d"].slice(0, random.between(2, 4)).map(name => {
    return { name, holds: source !== "Go types" && random.chance(0.25) ? "number" : "struct" } as const
  })
  // Only the list form can't say what is optional, and only `fieldMembers` needs a discriminator.
  const discriminated = source === "CRD, fieldMembers" || random.chance(0.75)
  const says = source === "overlay" || source === "CRD, fieldMembers" || source === "OpenAPI"
  const optional = (name: string) => discriminated && says && name === "b" && random.chance(0.3)
  const fields = members.map(({ name }) => ({
    fieldName: name,
    ...(discriminated && { discriminatorValue: value(name) }),
    ...(optional(name) && { optional: true }),
  }))
  const required = random.chance(0.4)
  const empty = discriminated && random.chance(0.3)
  const union: UnionDef = {
    ...(discriminated && { discriminator: "type" }),
    ...(source === "schema" && discriminated && random.chance(0.5) && { deduceInvalidDiscriminator: true }),
    fields,
    ...(source !== "schema" && empty && { emptyValues: ["None"] }),
    ...(source !== "schema" && required && { cardinality: "exactlyOne" }),
  }
  return { members, parts: ["x", "z"], union }
}

/** Types of a random union from this source. */
export async function worldOf(random: Random, source: SourceName): Promise<World> {
  if (source === "built-in kinds") return builtIn(random)
  const shape = shapeOf(random, source)
  const object = (spec: MapValue, items: MapValue) => ({
    apiVersion: "example.com/v1",
    kind: "Thing",
    metadata: { name: "t" },
    spec,
    ...(Object.keys(items).length > 0 && {
      items: Object.entries(items).map(([name, item]) => ({ name, ...(item as MapValue) })),
    }),
  })
  const types = await typesOf(random, source, shape)
  return { source, apiVersion: "example.com/v1", kind: "Thing", types, shape, object }
}

async function typesOf(random: Random, source: SourceName, shape: Shape): Promise<TypeFinder> {
  const { union } = shape
  switch (source) {
    case "schema":
      return finderOf(schemaOf(shape, [union]))
    case "overlay":
      return finderOf(applyUnionOverlay(schemaOf(shape), { types: [{ name: "Struct", unions: [union] }] }))
    case "OpenAPI": {
      const extension = union.discriminator !== undefined && random.chance(0.5) ? "fieldMembers" : "list"
      const schema = applyUnionOverlay(schemaOf(shape), { types: [{ name: "Struct", unions: [union] }] })
      const document = openAPIv3FromSchema(schema, { unionExtension: extension }) as MapValue
      return finderOf(schemaFromOpenAPIv3(document, { unionMode: "repair" }).schema)
    }
    case "Go types": {
      const { schema, unions } = await readGoTypes({ "types.go": goSource(shape) }, { path: "example.com/v1" })
      const types = applyUnionOverlay(schema, unions)
      return { find: () => ({ schema: types, typeName: "com.example.v1.Thing" }) }
    }
    case "CRD, list form":
      return new TypeConverter([{ document: definition(listForm(shape)) }])
    case "CRD, fieldMembers":
      return new TypeConverter([{ document: definition(fieldMembers(shape)) }])
    default:
      return new TypeConverter([{ document: definition(validation(shape)) }], { unionMode: "from-validation" })
  }
}

function finderOf(schema: Schema): TypeFinder {
  return { find: () => ({ schema, typeName: "Thing" }) }
}

function schemaOf({ members }: Shape, unions: readonly UnionDef[] = []): Schema {
  const text = (name: string): StructField => ({ name, type: { scalar: "string" } })
  const number = (name: string): StructField => ({ name, type: { scalar: "numeric" } })
  const fields = members.map(
    ({ name, holds }): StructField => (holds === "number" ? number(name) : { name, type: { namedType: "Member" } }),
  )
  const struct = { fields: [text("name"), text("type"), text("other"), ...fields] }
  const list = {
    elementType: { namedType: "Struct" },
    elementRelationship: "associative" as const,
    keys: ["name"],
  }
  return {
    types: [
      {
        name: "Thing",
        map: {
          fields: [
            text("apiVersion"),
            text("kind"),
            { name: "metadata", type: { namedType: "__untyped_deduced_" } },
            { name: "spec", type: { namedType: "Struct" } },
            { name: "items", type: { list } },
          ],
        },
      },
      ...untypedTypes,
      { name: "Struct", map: unions.length === 0 ? struct : { ...struct, unions } },
      { name: "Member", map: { fields: ["x", "z"].map(number) } },
    ],
  }
}

function propertiesOf({ members }: Shape): Record<string, MapValue> {
  const number = { type: "integer" }
  const object = { type: "object", properties: { x: number, z: number } }
  const text = { type: "string" }
  const properties: Record<string, MapValue> = { name: text, other: text, type: text }
  for (const { name, holds } of members) properties[name] = holds === "number" ? number : object
  return properties
}

/** All values of the discriminator. */
function valuesOf({ fields = [], emptyValues = [] }: UnionDef): string[] {
  return [...fields.map(({ discriminatorValue = "" }) => discriminatorValue), ...emptyValues]
}

function listForm(shape: Shape): MapValue {
  const { discriminator, fields = [], cardinality } = shape.union
  const properties = propertiesOf(shape)
  if (discriminator !== undefined) properties.type = { type: "string", enum: valuesOf(shape.union) }
  const pairs = Object.fromEntries(
    fields.map(({ fieldName, discriminatorValue = "" }) => [fieldName, discriminatorValue]),
  )
  const union = { ...(discriminator !== undefined && { discriminator }), "fields-to-discriminateBy": pairs }
  const required = cardinality === "exactlyOne" && discriminator !== undefined ? { required: ["type"] } : {}
  return { type: "object", properties, ...required, "x-kubernetes-unions": [union] }
}

function fieldMembers(shape: Shape): MapValue {
  const { fields = [], emptyValues = [], cardinality } = shape.union
  const members: Record<string, MapValue | null> = {}
  for (const { fieldName, discriminatorValue = "", optional = false } of fields) {
    members[discriminatorValue] = { name: fieldName, optional }
  }
  for (const empty of emptyValues) members[empty] = null
  const type = { type: "string", enum: valuesOf(shape.union), "x-kubernetes-unions": { fieldMembers: members } }
  const required = cardinality === "exactlyOne" ? { required: ["type"] } : {}
  return { type: "object", properties: { ...propertiesOf(shape), type }, ...required }
}

/** The union as rules that CRDs of today have. */
function validation(shape: Shape): MapValue {
  const { discriminator, fields = [], cardinality } = shape.union
  const names = fields.map(({ fieldName }) => fieldName)
  const properties = propertiesOf(shape)
  if (discriminator === undefined) {
    const set = `[${names.map(name => `has(self.${name})`).join(", ")}].filter(x, x == true).size()`
    const rule = cardinality === "exactlyOne" ? `${set} == 1` : `${set} <= 1`
    return { type: "object", properties, "x-kubernetes-validations": [{ rule, message: "one" }] }
  }
  const rules = fields.flatMap(({ fieldName, discriminatorValue }) => [
    `self.type == '${discriminatorValue}' ? has(self.${fieldName}) : !has(self.${fieldName})`,
  ])
  return {
    type: "object",
    required: ["type"],
    properties: { ...properties, type: { type: "string", enum: valuesOf(shape.union) } },
    "x-kubernetes-validations": rules.map(rule => ({ rule, message: "one" })),
  }
}

function definition(struct: MapValue): MapValue {
  const items = { type: "array", items: { ...struct, required: [...((struct.required as string[]) ?? []), "name"] } }
  const list = { ...items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] }
  return definitionOf("Thing", { schema: { properties: { spec: struct, items: list } } })
}

/** The struct as Go types, with the markers of declarative validation. */
function goSource({ members, union }: Shape): string {
  const { discriminator, cardinality, emptyValues = [] } = union
  const marker = cardinality === "exactlyOne" || discriminator !== undefined ? "unionMember" : "zeroOrOneOfMember"
  const fields = members.map(({ name }) => {
    const args = discriminator === undefined ? "" : `(memberName: "${value(name)}")`
    return `\t// +optional\n\t// +k8s:${marker}${args}\n\t${value(name)} *Member \`json:"${name},omitempty"\`\n`
  })
  const type =
    discriminator === undefined
      ? '\tType string `json:"type,omitempty"`\n'
      : `\t// +k8s:unionDiscriminator\n\t// +${cardinality === "exactlyOne" ? "required" : "optional"}\n\tType Choice \`json:"type,omitempty"\`\n`
  const values = [...members.map(({ name }) => value(name)), ...emptyValues]
  return `package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Thing struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`
	// +optional
	Spec Struct \`json:"spec,omitempty"\`
	// +listType=map
	// +listMapKey=name
	// +optional
	Items []Struct \`json:"items,omitempty"\`
}

type Struct struct {
	Name string \`json:"name,omitempty"\`
	Other string \`json:"other,omitempty"\`
${type}${fields.join("")}}

type Member struct {
	X int \`json:"x,omitempty"\`
	Z int \`json:"z,omitempty"\`
}

// +enum
type Choice string

const (
${values.map(name => `\tChoice${name} Choice = "${name}"\n`).join("")})
`
}

interface BuiltIn {
  readonly apiVersion: string
  readonly kind: string
  readonly shape: Shape
  /** The fields on the way to the union's struct. */
  readonly at: readonly string[]
}

const builtInKinds: readonly BuiltIn[] = [
  {
    apiVersion: "flowcontrol.apiserver.k8s.io/v1",
    kind: "PriorityLevelConfiguration",
    at: ["spec"],
    shape: shapeWith({ limited: "Limited", exempt: "Exempt" }, ["lendablePercent", "nominalConcurrencyShares"], 1),
  },
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    at: ["spec", "strategy"],
    shape: shapeWith({ rollingUpdate: "RollingUpdate" }, ["maxSurge", "maxUnavailable"], 1, ["Recreate"]),
  },
  {
    apiVersion: "v1",
    kind: "PersistentVolume",
    at: ["spec"],
    shape: shapeWith({ hostPath: "", local: "" }, ["path"], "/x"),
  },
]

/** A union of structs that have the same fields. A member without a value has no discriminator. */
function shapeWith(
  values: Readonly<Record<string, string>>,
  parts: readonly string[],
  content: Value,
  emptyValues: readonly string[] = [],
): Shape {
  const fields = Object.entries(values).map(([fieldName, discriminatorValue]) => ({ fieldName, discriminatorValue }))
  const discriminated = fields.some(({ discriminatorValue }) => discriminatorValue !== "")
  return {
    members: Object.keys(values).map(name => ({ name, holds: "struct" })),
    parts,
    content,
    union: { ...(discriminated && { discriminator: "type", emptyValues }), fields },
  }
}

function builtIn(random: Random): World {
  const { apiVersion, kind, shape, at } = random.pick(builtInKinds)
  const typeName = kubernetesTypeName(apiVersion, kind) as string
  return {
    source: "built-in kinds",
    apiVersion,
    kind,
    shape,
    types: { find: () => ({ schema: kubernetesSchemaWithUnions(), typeName }) },
    object(struct) {
      const { name: _, other: __, ...spec } = struct
      const nested = at.reduceRight<MapValue>((below, field) => ({ [field]: below }), spec)
      return { apiVersion, kind, metadata: { name: "t" }, ...nested }
    },
  }
}
