/** Compares types that were read from Go with the types of the CRDs that a project publishes, place by place. */
import { memberName } from "../../src/schema/item-member.js"
import { resolveRef } from "../../src/schema/resolve.js"
import type { Atom, ListAtom, MapAtom, Schema, StructField, TypeRef } from "../../src/schema/schema.js"
import type { UnionDef } from "../../src/schema/union.js"

/** A place where the types differ. */
export interface PlaceDifference {
  /** `.spec.rules[].name`, with `{}` for the values of a map. */
  readonly path: string
  readonly crd: string
  readonly go: string
}

/** The result of a comparison. */
export interface Comparison {
  /** The number of places that both have. */
  places: number
  /** The number of unions that both have. */
  unions: number
  readonly found: PlaceDifference[]
}

/** A type with the schema that its names refer to. */
interface Side {
  readonly types: ReadonlyMap<string, TypeRef>
  readonly ref: TypeRef
}

/** The fields that every object has. A server has their types, whatever a CRD says. */
const ofEveryObject = new Set(["apiVersion", "kind", "metadata"])

/** Compares a type of a CRD with one of Go types, by their names. Adds to `comparison`. */
export function compareTypes(
  crd: { readonly schema: Schema; readonly name: string },
  go: { readonly schema: Schema; readonly name: string },
  comparison: Comparison,
): void {
  const [a, b] = [crd, go].map(({ schema, name }): Side => {
    const types = new Map(schema.types.map(type => [type.name, type as TypeRef]))
    return { types, ref: { namedType: name } }
  }) as [Side, Side]
  new Walk(comparison).compare(a, b, "", ofEveryObject)
}

class Walk {
  private readonly comparison: Comparison

  constructor(comparison: Comparison) {
    this.comparison = comparison
  }

  compare(crd: Side, go: Side, path: string, passed: ReadonlySet<string> = new Set()): void {
    const [a, b] = [crd, go].map(({ types, ref }) => resolveRef(types, ref) ?? {}) as [Atom, Atom]
    this.comparison.places++
    this.same(path, kindOf(a), kindOf(b))
    // Parts of arbitrary JSON are arbitrary JSON.
    if (kindOf(a) !== kindOf(b) || a.scalar !== undefined) return
    const below = (ref: TypeRef | undefined, side: Side): Side => ({ ...side, ref: ref ?? {} })
    if (a.list !== undefined && b.list !== undefined) {
      this.same(path, listOf(a.list), listOf(b.list))
      this.compare(below(a.list.elementType, crd), below(b.list.elementType, go), `${path}[]`)
    }
    if (a.map === undefined || b.map === undefined) return
    this.same(path, mapOf(a.map), mapOf(b.map))
    this.compareUnions(path, a.map.unions ?? [], b.map.unions ?? [])
    if (a.map.elementType !== undefined && b.map.elementType !== undefined) {
      this.compare(below(a.map.elementType, crd), below(b.map.elementType, go), `${path}{}`)
    }
    const [ours, theirs] = [fieldsOf(b.map), fieldsOf(a.map)]
    for (const [name, type] of theirs) {
      if (passed.has(name)) continue
      const other = ours.get(name)
      if (other === undefined) this.differ(`${path}.${name}`, "a field", "none")
      else this.compare(below(type, crd), below(other, go), `${path}.${name}`)
    }
    for (const name of ours.keys()) {
      if (!theirs.has(name) && !passed.has(name)) this.differ(`${path}.${name}`, "none", "a field")
    }
  }

  /** CRDs also state unions by rules, which have no markers in Go. So the CRD must have Go's unions, but not the other way around. */
  private compareUnions(path: string, crd: readonly UnionDef[], go: readonly UnionDef[]): void {
    const theirs = new Set(crd.map(unionOf))
    for (const union of go.map(unionOf)) {
      this.comparison.unions++
      if (!theirs.has(union)) this.differ(path, [...theirs].join(", ") || "no union", union)
    }
  }

  private same(path: string, crd: string, go: string): void {
    if (crd !== go) this.differ(path, crd, go)
  }

  private differ(path: string, crd: string, go: string): void {
    this.comparison.found.push({ path, crd, go })
  }
}

function kindOf({ scalar, list, map }: Atom): string {
  if (scalar !== undefined && list !== undefined && map !== undefined) return "any JSON"
  return scalar ?? (list !== undefined ? "list" : map !== undefined ? "map" : "nothing")
}

function listOf({ elementRelationship, keys = [] }: ListAtom): string {
  return `${elementRelationship ?? "untyped"} list${keys.length > 0 ? ` by ${keys.join(", ")}` : ""}`
}

function mapOf({ elementRelationship = "separable", elementType, fields = [] }: MapAtom): string {
  const what = fields.length === 0 ? "map" : elementType === undefined ? "struct" : "struct with any other fields"
  return `${elementRelationship} ${what}`
}

function fieldsOf({ fields = [] }: MapAtom): ReadonlyMap<string, StructField["type"]> {
  return new Map(fields.map(({ name, type }) => [name, type]))
}

function unionOf({ discriminator, fields = [], cardinality = "atMostOne" }: UnionDef): string {
  const by = discriminator === undefined ? "" : ` by ${discriminator}`
  return `${cardinality} of ${fields.map(memberName).sort().join(", ")}${by}`
}
