// Makes schemas from another schema: after a change, and for the versions of an object.
import type { Random } from "./random.js"
import { type ListType, type MapType, Schema, type TypeDef, type TypeRef } from "./schemas.js"

/** Changes the schema so that stored objects stay readable: some lists and maps become atomic or granular, some fields disappear. */
export function changedSchema(random: Random, schema: Schema): Schema {
  const types = structuredCloneOf(schema.types)
  for (const type of types) if (!type.name.startsWith("__")) changeAtom(random, type)
  return new Schema(types)
}

function changeAtom(random: Random, atom: TypeRef): void {
  if (atom.elementRelationship !== undefined && random.chance(0.3)) delete atom.elementRelationship
  if (atom.list !== undefined) {
    const { list } = atom
    if (random.chance(0.4)) list.elementRelationship = isAtomic(list) && isIndexed(list) ? "associative" : "atomic"
    if (list.elementType !== undefined) changeAtom(random, list.elementType)
  }
  if (atom.map !== undefined) {
    const { map } = atom
    if (random.chance(0.2)) map.elementRelationship = isAtomic(map) ? "separable" : "atomic"
    for (const field of map.fields ?? []) changeAtom(random, field.type)
    if (map.elementType !== undefined) changeAtom(random, map.elementType)
    if (map.fields !== undefined && map.fields.length > 1 && random.chance(0.05)) map.fields.pop()
  }
}

function isAtomic(type: ListType | MapType): boolean {
  return type.elementRelationship === "atomic"
}

function isIndexed(list: ListType): boolean {
  return list.keys !== undefined || list.elementType?.scalar !== undefined
}

/** Renames every name that ends in `from`: it ends in `to`. */
export function renamedSchema(schema: Schema, from: string, to: string): Schema {
  const rename = (value: unknown): unknown => {
    if (typeof value === "string") return renamed(value, from, to)
    if (Array.isArray(value)) return value.map(rename)
    if (typeof value !== "object" || value === null) return value
    const out: { [key: string]: unknown } = {}
    for (const [key, item] of Object.entries(value)) out[key] = key === "default" ? item : rename(item)
    return out
  }
  return new Schema(schema.types.map(type => rename(type) as TypeDef))
}

/** Replaces the ending of the name, if it has that ending. */
export function renamed(name: string, from: string, to: string): string {
  return name.endsWith(from) ? name.slice(0, name.length - from.length) + to : name
}

/** Returns the names of the fields of these types, including inlined types, and the names of the fields that must stay. */
export function fieldNamesOf(types: readonly TypeDef[]): { all: Set<string>; needed: Set<string> } {
  const all = new Set<string>()
  const needed = new Set<string>()
  const visit = (atom: TypeRef): void => {
    for (const name of atom.list?.keys ?? []) needed.add(name)
    if (atom.list?.elementType !== undefined) visit(atom.list.elementType)
    if (atom.map?.elementType !== undefined) visit(atom.map.elementType)
    for (const { name, type } of atom.map?.fields ?? []) {
      all.add(name)
      visit(type)
    }
    for (const { discriminator, fields } of atom.map?.unions ?? []) {
      if (discriminator !== undefined) needed.add(discriminator)
      for (const { fieldName } of fields) needed.add(fieldName)
    }
  }
  for (const type of types) visit(type)
  return { all, needed }
}

/**
 * Returns the types of one version. The root has the version's name, and the other types have their own names. Fields get the given
 * names, or disappear if that is null.
 */
export function schemaOfVersion(
  schema: Schema,
  root: string,
  version: string,
  names: ReadonlyMap<string, string | null>,
): TypeDef[] {
  const fieldName = (name: string): string => names.get(name) ?? name
  const typeName = (name: string): string =>
    name === root ? version : name.startsWith("__") ? name : `${name} of ${version}`
  const rename = (atom: TypeRef): void => {
    if (atom.namedType !== undefined) atom.namedType = typeName(atom.namedType)
    if (atom.list?.keys !== undefined) atom.list.keys = atom.list.keys.map(fieldName)
    if (atom.list?.elementType !== undefined) rename(atom.list.elementType)
    if (atom.map?.elementType !== undefined) rename(atom.map.elementType)
    if (atom.map?.fields !== undefined) atom.map.fields = atom.map.fields.filter(({ name }) => names.get(name) !== null)
    for (const field of atom.map?.fields ?? []) {
      field.name = fieldName(field.name)
      rename(field.type)
    }
    for (const union of atom.map?.unions ?? []) {
      if (union.discriminator !== undefined) union.discriminator = fieldName(union.discriminator)
      for (const member of union.fields) member.fieldName = fieldName(member.fieldName)
    }
  }
  const types = structuredCloneOf(schema.types)
  for (const type of types) {
    type.name = typeName(type.name)
    rename(type)
  }
  return types
}

function structuredCloneOf(types: readonly TypeDef[]): TypeDef[] {
  const clone = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(clone)
    if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
    const out: { [key: string]: unknown } = {}
    for (const [key, item] of Object.entries(value)) out[key] = clone(item)
    return out
  }
  return types.map(type => clone(type) as TypeDef)
}
