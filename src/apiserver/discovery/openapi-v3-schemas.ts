// OpenAPI schemas. Those of built-in kinds come from the types of the server, so they have no descriptions. They have the defaults that
// clients need for the keys of items, the patch strategies that kubectl needs, and the unions while a policy for unions is on.
import type { FoundKind, TypeFinder } from "../../managedfields/types/object-types.js"
import { listForm } from "../../openapi/unions/write-unions.js"
import type { Atom, ListAtom, TypeDef, TypeRef } from "../../schema/schema.js"
import { mapAt } from "../../value/fields.js"
import { put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { goNumberType } from "../strategic-merge/go-conversion.js"
import { type PatchType, patchTypeOf } from "../strategic-merge/patch-keys.js"

/**
 * Adds the schemas of a kind and of all types that it refers to, by name, unless `schemas` has them already. If `unions` is set, the
 * schemas have the unions of their types.
 */
export function addBuiltInSchemas(
  { schema, typeName }: FoundKind,
  apiVersion: string,
  kind: string,
  schemas: Record<string, Value>,
  unions: boolean,
): void {
  const types = new Map(schema.types.map(type => [type.name, type]))
  const add = (name: string, patch: PatchType | undefined): void => {
    const definition = types.get(name)
    if (definition === undefined || Object.hasOwn(schemas, name)) return
    // A type may refer to itself, so its name is taken before its schema exists.
    schemas[name] = {}
    schemas[name] = toSchema(definition, patch, { add, unions })
  }
  add(typeName, patchTypeOf(apiVersion, kind))
}

/** Returns the schema of a custom resource with apiVersion, kind and metadata. Adds the type of metadata to `schemas`. */
export function customSchema(schema: MapValue, types: TypeFinder, schemas: Record<string, Value>): MapValue {
  const properties: MapValue = {
    apiVersion: { type: "string", description: "Group and version of the API that the object is written for." },
    kind: { type: "string", description: "The kind of the object, in CamelCase." },
    ...mapAt(schema, "properties"),
    metadata: { ...metadataReference(types, schemas), description: "Name, labels, owners and the like." },
  }
  return { type: "object", ...schema, properties }
}

/** Returns a reference to the type of metadata, taken from ConfigMap: all built-in kinds have the same one. */
function metadataReference(types: TypeFinder, schemas: Record<string, Value>): MapValue {
  const found = types.find("v1", "ConfigMap")
  if (found === undefined) return { type: "object" }
  const added: Record<string, Value> = {}
  addBuiltInSchemas(found, "v1", "ConfigMap", added, false)
  const { [found.typeName]: configMap, ...others } = added
  Object.assign(schemas, others)
  return isMap(configMap) ? mapAt(mapAt(configMap, "properties"), "metadata") : { type: "object" }
}

interface SchemaOptions {
  /** Adds the schema of a named type. */
  readonly add: (name: string, patch: PatchType | undefined) => void
  readonly unions: boolean
}

/** Converts a type to a schema. The name of the field decides the format of a number. */
function toSchema(atom: Atom, patch: PatchType | undefined, options: SchemaOptions, name = ""): MapValue {
  if (atom.map !== undefined && atom.scalar === undefined) {
    const { fields = [], elementType, unions = [] } = atom.map
    const properties: Record<string, Value> = {}
    for (const { name, type, default: fallback } of fields) {
      const field = patch?.field(name)
      const keys = {
        ...(fallback !== undefined && { default: fallback }),
        ...(field !== undefined && field.strategy !== "" && { "x-kubernetes-patch-strategy": field.strategy }),
        ...(field !== undefined && field.mergeKey !== "" && { "x-kubernetes-patch-merge-key": field.mergeKey }),
      }
      put(properties, name, { ...referenceTo(type, field?.type, options, name), ...keys })
    }
    const rest = elementType === undefined ? {} : { additionalProperties: referenceTo(elementType, undefined, options) }
    const listed = options.unions && unions.length > 0 ? unions.map(union => listForm(union)) : undefined
    return {
      type: "object",
      ...(fields.length > 0 ? { properties } : rest),
      ...(listed && { "x-kubernetes-unions": listed }),
      ...(atom.map.elementRelationship === "atomic" && { "x-kubernetes-map-type": "atomic" }),
    }
  }
  if (atom.list !== undefined && atom.scalar === undefined) {
    const items = referenceTo(atom.list.elementType ?? {}, patch?.items, options, name)
    return { type: "array", items, ...listTopology(atom.list) }
  }
  const { scalar } = atom
  if (scalar === "numeric") {
    const format = goNumberType(name)
    return format === "float64" ? { type: "number", format: "double" } : { type: "integer", format }
  }
  return scalar === "string" || scalar === "boolean" ? { type: scalar } : {}
}

/** Returns the extensions that say how a list is merged. */
function listTopology({ elementRelationship, keys = [] }: ListAtom): MapValue {
  if (elementRelationship !== "associative") return { "x-kubernetes-list-type": "atomic" }
  return keys.length === 0
    ? { "x-kubernetes-list-type": "set" }
    : { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys }
}

function referenceTo(type: TypeRef, patch: PatchType | undefined, options: SchemaOptions, name = ""): MapValue {
  if (type.namedType === undefined) return toSchema(type as TypeDef, patch, options, name)
  options.add(type.namedType, patch)
  const atomic = type.elementRelationship === "atomic" && { "x-kubernetes-map-type": "atomic" }
  return { allOf: [{ $ref: `#/components/schemas/${type.namedType}` }], ...atomic }
}
