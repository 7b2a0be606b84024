// The schemas of built-in kinds for OpenAPI: the fields, and how kubectl patches lists. They are made of the bundled types, so they
// have neither descriptions nor formats.
import type { FoundKind } from "../managedfields/types/object-types.js"
import type { Atom, TypeDef, TypeRef } from "../schema/schema.js"
import { put } from "../value/object.js"
import type { MapValue, Value } from "../value/value.js"
import { type PatchType, patchTypeOf } from "./patch-keys.js"

/** The schemas of a kind and of all that it refers to, by name. Those that are in `known` are left out, and new ones put there. */
export function builtInSchemas(
  { schema, typeName }: FoundKind,
  apiVersion: string,
  kind: string,
  known: Record<string, Value>,
): void {
  const types = new Map(schema.types.map(type => [type.name, type]))
  const add = (name: string, patch: PatchType | undefined): void => {
    const definition = types.get(name)
    if (definition === undefined || Object.hasOwn(known, name)) return
    known[name] = {}
    known[name] = schemaOf(definition, patch, add)
  }
  add(typeName, patchTypeOf(apiVersion, kind))
}

type Add = (name: string, patch: PatchType | undefined) => void

function schemaOf(atom: Atom, patch: PatchType | undefined, add: Add): MapValue {
  if (atom.map !== undefined && atom.scalar === undefined) {
    const { fields = [], elementType } = atom.map
    const properties: Record<string, Value> = {}
    for (const { name, type } of fields) {
      const field = patch?.field(name)
      const keys = {
        ...(field !== undefined && field.strategy !== "" && { "x-kubernetes-patch-strategy": field.strategy }),
        ...(field !== undefined && field.mergeKey !== "" && { "x-kubernetes-patch-merge-key": field.mergeKey }),
      }
      put(properties, name, { ...referenceTo(type, field?.type, add), ...keys })
    }
    const rest = elementType === undefined ? {} : { additionalProperties: referenceTo(elementType, undefined, add) }
    return { type: "object", ...(fields.length > 0 ? { properties } : rest) }
  }
  if (atom.list !== undefined && atom.scalar === undefined) {
    return { type: "array", items: referenceTo(atom.list.elementType ?? {}, patch?.items, add) }
  }
  const scalar = { numeric: "number", string: "string", boolean: "boolean", untyped: undefined }[
    atom.scalar ?? "untyped"
  ]
  return scalar === undefined ? {} : { type: scalar }
}

function referenceTo(type: TypeRef, patch: PatchType | undefined, add: Add): MapValue {
  if (type.namedType === undefined) return schemaOf(type as TypeDef, patch, add)
  add(type.namedType, patch)
  return { allOf: [{ $ref: `#/components/schemas/${type.namedType}` }] }
}
