// Writes a schema as an OpenAPI v3 document. `schemaFromOpenAPIv3` reads the same types and unions from it.

import { requireTypes } from "../schema/check.js"
import type { Atom, ListAtom, MapAtom, Schema, StructField, TypeRef } from "../schema/schema.js"
import type { UnionDef } from "../schema/union.js"
import { deducedName, isUntypedName, untypedName } from "../schema/untyped.js"
import { aListOfObjects, optional, requireOptions } from "../value/argument.js"
import { own, put } from "../value/object.js"
import type { MapValue, Value } from "../value/value.js"
import type { KindEntry } from "./conversion/options.js"
import { limitsOf, readMembers, withLimits } from "./unions/unions.js"
import { listForm, memberForm, type UnionExtension } from "./unions/write-unions.js"

/** Options for writing a schema. */
export interface OpenAPIWriterOptions {
  /**
   * The spelling of unions with a discriminator: at the discriminator, as in KEP-1027 (`fieldMembers`, default), or as a `list` at the
   * object, as Kubernetes publishes them. Unions without a discriminator are always in a list.
   */
  readonly unionExtension?: UnionExtension | undefined
  /** The title of the document; `types` if absent. */
  readonly title?: string | undefined
  /** The kinds to write as `x-kubernetes-group-version-kind`. */
  readonly kinds?: readonly KindEntry[] | undefined
}

/**
 * Returns the schema as an OpenAPI v3 document with Kubernetes' extensions. It has only the information that a merge needs: numbers have no
 * format, texts no pattern, fields no description. If a type has several alternatives, the document allows anything there.
 *
 * Unions are written as `x-kubernetes-unions`, with the `enum` of the discriminator and whether it is `required`. Further properties, such
 * as a name or `deduceInvalidDiscriminator`, are written next to them under `union`. `schemaFromOpenAPIv3(document, {unionMode: "repair"})`
 * then has the same unions, unless their fields are not declared. Defaults are shared with the schema.
 */
export function openAPIv3FromSchema(schema: Schema, options: OpenAPIWriterOptions = {}): MapValue {
  requireTypes(schema)
  requireOptions("options", options, { kinds: optional(aListOfObjects) })
  const writer = new Writer(options.unionExtension ?? "fieldMembers")
  const schemas: Record<string, Value> = {}
  for (const { name, ...atom } of schema.types) if (!isUntypedName(name)) put(schemas, name, writer.atom(atom))
  for (const { typeName, group, version, kind } of options.kinds ?? []) {
    const definition = own(schemas, typeName) as MapValue | undefined
    if (definition === undefined) continue
    const kinds = (own(definition, kindKey) as readonly Value[] | undefined) ?? []
    put(schemas, typeName, { ...definition, [kindKey]: [...kinds, { group, version, kind }] })
  }
  const info = { title: options.title ?? "types", version: "unversioned" }
  return { openapi: "3.0.0", info, paths: {}, components: { schemas } }
}

const kindKey = "x-kubernetes-group-version-kind"
const unionKey = "x-kubernetes-unions"
const listTypeKey = "x-kubernetes-list-type"
const mapTypeKey = "x-kubernetes-map-type"

type Draft = Record<string, Value>

/** The schema of an untyped value: anything, with maps owned key by key. */
const anything: MapValue = { "x-kubernetes-preserve-unknown-fields": true }

class Writer {
  private readonly extension: UnionExtension

  constructor(extension: UnionExtension) {
    this.extension = extension
  }

  atom({ scalar, list, map }: Atom): MapValue {
    if (scalar === undefined && map === undefined && list !== undefined) return { type: "array", ...this.list(list) }
    if (scalar === undefined && list === undefined && map !== undefined) return { type: "object", ...this.map(map) }
    if (scalar !== undefined && list === undefined && map === undefined) return scalars[scalar]
    const parts = { ...(list && this.list(list)), ...(map && this.map(map)) }
    return Object.keys(parts).length === 0 ? anything : parts
  }

  private list({ elementType, elementRelationship, keys = [] }: ListAtom): MapValue {
    const out: Draft = {}
    if (elementType?.namedType !== untypedName) out.items = this.ref(elementType ?? {})
    if (elementRelationship === "atomic") out[listTypeKey] = "atomic"
    else if (elementRelationship === "associative") out[listTypeKey] = keys.length === 0 ? "set" : "map"
    if (keys.length > 0) out["x-kubernetes-list-map-keys"] = keys
    return out
  }

  private map(map: MapAtom): MapValue {
    const { fields = [], elementType, elementRelationship, unions = [] } = map
    const out: Draft = {}
    const properties: Draft = {}
    for (const field of fields) put(properties, field.name, this.field(field))
    if (fields.length > 0) out.properties = properties
    if (elementType === undefined) {
      if (fields.length === 0) out.additionalProperties = false
    } else if (elementType.namedType !== deducedName) out.additionalProperties = this.ref(elementType)
    else if (fields.length > 0) out.additionalProperties = true
    if (elementRelationship !== undefined) out[mapTypeKey] = elementRelationship === "atomic" ? "atomic" : "granular"
    this.unions(unions, properties, out)
    return out
  }

  private field({ type, default: fallback }: StructField): MapValue {
    const schema = this.ref(type)
    return fallback === undefined ? schema : beside(schema, { default: fallback })
  }

  private ref({ namedType, elementRelationship, nullable, ...atom }: TypeRef): MapValue {
    const extra: Draft = {}
    if (nullable === true) extra.nullable = true
    if (namedType === undefined) return { ...this.atom(atom), ...extra }
    if (namedType === deducedName) return { ...anything, ...extra }
    if (namedType === untypedName) return { ...anything, [mapTypeKey]: "atomic", ...extra }
    if (elementRelationship !== undefined) {
      extra[mapTypeKey] = elementRelationship === "atomic" ? "atomic" : "granular"
    }
    return beside({ $ref: `#/components/schemas/${namedType}` }, extra)
  }

  /** Adds the unions to an object and its properties. */
  private unions(unions: readonly UnionDef[], properties: Draft, out: Draft): void {
    const listed: Value[] = []
    const required: string[] = []
    for (const union of unions) {
      const { discriminator, values } = union
      const property =
        discriminator === undefined ? undefined : (own(properties, discriminator) as MapValue | undefined)
      if (discriminator === undefined || property === undefined) {
        listed.push(listForm(union))
        continue
      }
      const isRequired = union.cardinality === "exactlyOne" || union.discriminatorRequired === true
      if (isRequired) required.push(discriminator)
      const limits = values === undefined ? {} : { enum: values }
      if (this.extension === "list") {
        listed.push(listForm(union, read => withLimits(read, values, isRequired)))
        put(properties, discriminator, beside(property, limits))
      } else {
        const form = memberForm(union, members => {
          const read = readMembers(discriminator, members, () => ({}))
          return { ...read, ...limitsOf(read, values, isRequired) }
        })
        put(properties, discriminator, beside(property, { ...limits, [unionKey]: form }))
      }
    }
    if (required.length > 0) out.required = required
    if (listed.length > 0) out[unionKey] = listed
  }
}

/** Returns the schema with more keywords. A reference can't have other keywords next to it, so it is wrapped. */
function beside(schema: MapValue, more: MapValue): MapValue {
  if (Object.keys(more).length === 0) return schema
  return own(schema, "$ref") === undefined ? { ...schema, ...more } : { allOf: [schema], ...more }
}

const scalars = {
  string: { type: "string" },
  numeric: { type: "number" },
  boolean: { type: "boolean" },
  untyped: { type: "string", format: "int-or-string" },
} as const
