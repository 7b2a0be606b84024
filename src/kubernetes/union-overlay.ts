// The unions of the built-in types as an overlay, for the bundled schema and for other schemas of Kubernetes.

import { requireTypes } from "../schema/check.js"
import { itemMember } from "../schema/item-member.js"
import type { MapAtom, Schema, TypeDef } from "../schema/schema.js"
import type { TypeUnions, UnionDef, UnionMember, UnionOverlay } from "../schema/union.js"
import { unionRows } from "./union-rows.js"

let everything: UnionOverlay | undefined

/**
 * Returns the unions of Kubernetes' types, including unions that Kubernetes does not publish, or publishes with wrong values. If a union has
 * a discriminator, it follows the member that is set. Given a schema, such as the one of an older API server, returns only the unions of its
 * types, with the members that these types have.
 */
export function kubernetesUnions(schema?: Schema): UnionOverlay {
  everything ??= { types: unionRows().flatMap(({ types, unions }) => types.map(name => typeUnions(name, unions))) }
  if (schema === undefined) return everything
  requireTypes(schema)
  const known = new Map(schema.types.map(type => [type.name, type]))
  return { types: everything.types.flatMap(type => fittingUnions(type, known)) }
}

function typeUnions(name: string, unions: readonly UnionDef[]): TypeUnions {
  return { name: name.startsWith("io.") ? name : `io.k8s.api.${name}`, unions }
}

/** Returns the part of a type's unions that fits a schema, as one entry or none. */
function fittingUnions({ name, unions }: TypeUnions, types: ReadonlyMap<string, TypeDef>): TypeUnions[] {
  const map = types.get(name)?.map
  if (map === undefined) return []
  const fitting = unions.flatMap(union => {
    if (union.discriminator !== undefined && !hasField(map, union.discriminator)) return []
    const { fields: members = [] } = union
    const fields = members.filter(member => hasMember(types, map, member))
    if (fields.length === members.length) return [union]
    return fields.length === 0 ? [] : [{ ...union, fields }]
  })
  return fitting.length === 0 ? [] : [{ name, unions: fitting }]
}

/** Whether the map has the member: the field, or a list that can contain the item. */
function hasMember(types: ReadonlyMap<string, TypeDef>, map: MapAtom, member: UnionMember): boolean {
  return member.item === undefined
    ? hasField(map, member.fieldName)
    : typeof itemMember(types, map, member) !== "string"
}

function hasField({ fields = [] }: MapAtom, name: string): boolean {
  return fields.some(field => field.name === name)
}
