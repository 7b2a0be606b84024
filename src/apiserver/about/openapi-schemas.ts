// The schemas of built-in kinds for OpenAPI: the fields, how kubectl patches lists, and the unions while the server settles them. They
// are made of the bundled types, so they have neither descriptions nor formats.
import type { FoundKind, TypeFinder } from "../../managedfields/types/object-types.js"
import { listForm } from "../../openapi/write-unions.js"
import type { Atom, TypeDef, TypeRef } from "../../schema/schema.js"
import { mapAt } from "../../value/fields.js"
import { put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { type PatchType, patchTypeOf } from "../patch/patch-keys.js"
import { numberKind } from "../patch/unstructured.js"

/**
 * The schemas of a kind and of all that it refers to, by name. Those that are in `known` are left out, and new ones put there. If
 * `unions` is set, the schemas have the unions of their types.
 */
export function builtInSchemas(
  { schema, typeName }: FoundKind,
  apiVersion: string,
  kind: string,
  known: Record<string, Value>,
  unions: boolean,
): void {
  const types = new Map(schema.types.map(type => [type.name, type]))
  const add = (name: string, patch: PatchType | undefined): void => {
    const definition = types.get(name)
    if (definition === undefined || Object.hasOwn(known, name)) return
    known[name] = {}
    known[name] = schemaOf(definition, patch, { add, unions })
  }
  add(typeName, patchTypeOf(apiVersion, kind))
}

/** The schema of a custom resource with what every object has. The type of metadata is put into `known`. */
export function customSchema(schema: MapValue, types: TypeFinder, known: Record<string, Value>): MapValue {
  const properties: MapValue = {
    apiVersion: { type: "string", description: "Group and version of the API that the object is written for." },
    kind: { type: "string", description: "The kind of the object, in CamelCase." },
    ...mapAt(schema, "properties"),
    metadata: { ...metadataReference(types, known), description: "Name, labels, owners and the like." },
  }
  return { type: "object", ...schema, properties }
}

/** A reference to the type of metadata. Every built-in kind has the same: a ConfigMap is as good as any. */
function metadataReference(types: TypeFinder, known: Record<string, Value>): MapValue {
  const found = types.find("v1", "ConfigMap")
  if (found === undefined) return { type: "object" }
  const kinds: Record<string, Value> = {}
  builtInSchemas(found, "v1", "ConfigMap", kinds, false)
  const { [found.typeName]: configMap, ...others } = kinds
  Object.assign(known, others)
  return isMap(configMap) ? mapAt(mapAt(configMap, "properties"), "metadata") : { type: "object" }
}

interface Walk {
  /** Adds the schema of a named type. */
  readonly add: (name: string, patch: PatchType | undefined) => void
  readonly unions: boolean
}

/** `name` is that of the field, which says how large a number may be. */
function schemaOf(atom: Atom, patch: PatchType | undefined, walk: Walk, name = ""): MapValue {
  if (atom.map !== undefined && atom.scalar === undefined) {
    const { fields = [], elementType, unions = [] } = atom.map
    const properties: Record<string, Value> = {}
    for (const { name, type } of fields) {
      const field = patch?.field(name)
      const keys = {
        ...(field !== undefined && field.strategy !== "" && { "x-kubernetes-patch-strategy": field.strategy }),
        ...(field !== undefined && field.mergeKey !== "" && { "x-kubernetes-patch-merge-key": field.mergeKey }),
      }
      put(properties, name, { ...referenceTo(type, field?.type, walk, name), ...keys })
    }
    const rest = elementType === undefined ? {} : { additionalProperties: referenceTo(elementType, undefined, walk) }
    const listed = walk.unions && unions.length > 0 ? unions.map(union => listForm(union)) : undefined
    return {
      type: "object",
      ...(fields.length > 0 ? { properties } : rest),
      ...(listed && { "x-kubernetes-unions": listed }),
    }
  }
  if (atom.list !== undefined && atom.scalar === undefined) {
    return { type: "array", items: referenceTo(atom.list.elementType ?? {}, patch?.items, walk, name) }
  }
  const { scalar } = atom
  if (scalar === "numeric") {
    const format = numberKind(name)
    return format === "float64" ? { type: "number", format: "double" } : { type: "integer", format }
  }
  return scalar === "string" || scalar === "boolean" ? { type: scalar } : {}
}

function referenceTo(type: TypeRef, patch: PatchType | undefined, walk: Walk, name = ""): MapValue {
  if (type.namedType === undefined) return schemaOf(type as TypeDef, patch, walk, name)
  walk.add(type.namedType, patch)
  return { allOf: [{ $ref: `#/components/schemas/${type.namedType}` }] }
}
