// Turns the short spelling of the bundled schema in schema-data.ts, which oracle/cmd/kubernetes-schema writes, into a Schema.
//
//   data    {group: {type: atom}}; a type's full name is group and type together
//   scalar  "s" string, "n" numeric, "b" boolean, "u" untyped
//   list    [relationship, reference, ...keys]
//   map     {f: fields, d: their defaults, e: element reference, r: relationship}; a key is absent if the map has nothing for it
//   atom    a scalar or list alone; otherwise an object with s for a scalar, l for a list, and the keys of the map
//   reference  an atom; a type's name, without the group if both types have the same one; or {t: name, r: relationship, n: nullable}
//
// Relationships are "a" atomic, "k" associative, "s" separable. A full name has a dot or begins with an underscore.
import type {
  Atom,
  ElementRelationship,
  ListAtom,
  MapAtom,
  Scalar,
  Schema,
  TypeDef,
  TypeRef,
} from "../schema/schema.js"
import type { Value } from "../value/value.js"

type ShortList = readonly [relationship: string, reference: ShortReference, ...keys: string[]]
interface ShortMap {
  readonly f?: Readonly<Record<string, ShortReference>>
  readonly d?: Readonly<Record<string, Value>>
  readonly e?: ShortReference
  readonly r?: string
}
interface ShortAtoms extends ShortMap {
  readonly s?: string
  readonly l?: ShortList
}
interface ShortName {
  readonly t: string
  readonly r?: string
  readonly n?: true
}
type ShortAtom = string | ShortList | ShortAtoms
type ShortReference = ShortAtom | ShortName

const scalars: Readonly<Record<string, { readonly scalar: Scalar }>> = {
  s: { scalar: "string" },
  n: { scalar: "numeric" },
  b: { scalar: "boolean" },
  u: { scalar: "untyped" },
}
const relationships: Readonly<Record<string, ElementRelationship>> = { a: "atomic", k: "associative", s: "separable" }

/**
 * Returns the schema that `data` describes, which is JSON in the spelling above. All references to a scalar share one object. A map is
 * expanded when it is first read: most programs read few of the types, and expanding all takes as long as an apply.
 */
export function expandSchema(data: string): Schema {
  const groups = JSON.parse(data) as Record<string, Record<string, ShortAtom>>
  const types: TypeDef[] = []
  for (const [group, atoms] of Object.entries(groups)) {
    for (const [name, atom] of Object.entries(atoms)) types.push(expandType(group + name, atom, group))
  }
  return { types }
}

function expandType(name: string, short: ShortAtom, group: string): TypeDef {
  if (!isMapAlone(short)) return { name, ...expandAtom(short, group) }
  let map: MapAtom | undefined
  return {
    name,
    get map() {
      map ??= expandMap(short, group)
      return map
    },
  }
}

function isMapAlone(short: ShortAtom): short is ShortMap {
  if (typeof short === "string" || isList(short)) return false
  const { s, l, f, e } = short
  return s === undefined && l === undefined && (f !== undefined || e !== undefined)
}

function expandReference(short: ShortReference, group: string): TypeRef {
  if (typeof short === "string" && short.length > 1) return { namedType: fullName(short, group) }
  if (typeof short === "object" && "t" in short) {
    return {
      namedType: fullName(short.t, group),
      ...(short.r !== undefined && relationship(short.r)),
      ...(short.n !== undefined && { nullable: short.n }),
    }
  }
  return expandAtom(short, group)
}

function fullName(name: string, group: string): string {
  return name.includes(".") || name.startsWith("_") ? name : group + name
}

function expandAtom(short: ShortAtom, group: string): Atom {
  if (typeof short === "string") return known(scalars[short], short)
  if (isList(short)) return { list: expandList(short, group) }
  return {
    ...(short.s !== undefined && known(scalars[short.s], short.s)),
    ...(short.l !== undefined && { list: expandList(short.l, group) }),
    ...((short.f !== undefined || short.e !== undefined) && { map: expandMap(short, group) }),
  }
}

function isList(short: ShortList | ShortAtoms): short is ShortList {
  return Array.isArray(short)
}

function expandList([letter, element, ...keys]: ShortList, group: string): ListAtom {
  return {
    elementType: expandReference(element, group),
    ...relationship(letter),
    ...(keys.length > 0 && { keys }),
  }
}

function expandMap(short: ShortMap, group: string): MapAtom {
  const defaults = short.d ?? {}
  const fields = Object.entries(short.f ?? {}).map(([name, reference]) => ({
    name,
    type: expandReference(reference, group),
    ...(Object.hasOwn(defaults, name) && { default: defaults[name] as Value }),
  }))
  return {
    ...(fields.length > 0 && { fields }),
    ...(short.e !== undefined && { elementType: expandReference(short.e, group) }),
    ...(short.r !== undefined && relationship(short.r)),
  }
}

function relationship(letter: string): { elementRelationship: ElementRelationship } {
  return { elementRelationship: known(relationships[letter], letter) }
}

function known<T>(meaning: T | undefined, letter: string): T {
  if (meaning === undefined) throw new RangeError(`bundled schema has an unknown abbreviation: ${letter}`)
  return meaning
}
