// Compiled types: the schema in a form made for walking.
//
// A schema is compiled once, into Type objects that refer to each other directly (recursive types point back). Compilation resolves
// overrides of the element relationship, gives struct fields their path element, and gives keys of associative lists their defaults. Only
// `Type.shapeOf` chooses the alternative of a type that a value belongs to.
import { SchemaError } from "../errors.js"
import { fieldElement } from "../fieldpath/create-element.js"
import type { FieldElement } from "../fieldpath/element.js"
import { checkTypes } from "../schema/check.js"
import { type CompiledUnion, compileUnion } from "../schema/compiled-union.js"
import { equalTypeRefs } from "../schema/equal.js"
import { isEmptyRef, resolveRef } from "../schema/resolve.js"
import type { ListAtom, MapAtom, Schema, TypeRef } from "../schema/schema.js"
import type { UnionDef } from "../schema/union.js"
import { isDeducedRef } from "../schema/untyped.js"
import { compareStrings } from "../value/compare.js"
import { didYouMean } from "../value/nearest.js"
import { oncePer } from "../value/once-per.js"
import type { Value } from "../value/value.js"

export type Shape = ScalarShape | ListShape | MapShape

/**
 * Whether values of this shape are leaves, owned as a whole: scalars, atomic lists and atomic maps. A granular list or map has leaves below
 * it instead. If it is empty or absent on both sides, merge and comparison also treat it as a leaf.
 */
export function isLeaf(shape: Shape): boolean {
  return shape.kind === "scalar" || shape.atomic
}

export interface ScalarShape {
  readonly kind: "scalar"
  /** numeric, string, boolean or untyped; a wrong schema may hold any text. */
  readonly scalar: string
}

export interface ListShape {
  readonly kind: "list"
  /** Whether the list is one leaf, owned as a whole. */
  readonly atomic: boolean
  /** Whether items have path elements: made from `keys`, or from the item's value if there are no keys. */
  readonly associative: boolean
  readonly item: Type
  /** Sorted by name, like the fields of a key element. */
  readonly keys: readonly ListKey[]
  /** In the schema's order. */
  readonly keyNames: readonly string[]
}

export interface ListKey {
  readonly name: string
  /** The value of an absent key; undefined if it has no default. */
  readonly default: Value | undefined
  /** The reason why the type of the items can't have a default for the key; null if it can. */
  readonly problem: string | null
}

export interface MapShape {
  readonly kind: "map"
  readonly atomic: boolean
  readonly fields: ReadonlyMap<string, Field>
  /** The type of undeclared keys; the empty type if they are not allowed. */
  readonly rest: Type
  /** Whether it declares no fields and no type for its values. Field sets of such a map stay unchanged when a schema changes. */
  readonly deduced: boolean
  readonly unions: readonly UnionDef[]
  /** The unions, compiled for reading maps. */
  readonly compiledUnions: readonly CompiledUnion[]
}

export interface Field {
  readonly type: Type
  readonly element: FieldElement
}

/**
 * A compiled type of a schema, by which values are checked and walked. `CompiledSchema.type` and `typeOf` return the same object for the
 * same type, so types are compared by identity.
 */
export class Type {
  /** The schema that the type was compiled from. */
  readonly schema: CompiledSchema
  /** The reference that it was compiled from: a name, or the type itself if it is inlined. */
  readonly ref: TypeRef
  /** @internal */
  scalar: ScalarShape | null = null
  /** @internal */
  list: ListShape | null = null
  /** @internal */
  map: MapShape | null = null
  /**
   * The problem to report instead of walking a value, if the type does not exist or allows nothing; else null.
   * @internal
   */
  problem: string | null = null
  /**
   * Whether there is only one alternative. It then also applies to values of other kinds, which are errors.
   * @internal
   */
  single = false
  /**
   * Whether every text fits, and every boolean. Most values are such, and need no further check.
   * @internal
   */
  anyText = false
  /** @internal */
  anyBoolean = false
  /**
   * Whether this is the empty type: the type of undeclared keys in a map that does not allow them.
   * @internal
   */
  readonly empty: boolean

  /** @internal */
  constructor(schema: CompiledSchema, ref: TypeRef) {
    this.schema = schema
    this.ref = ref
    this.empty = isEmptyRef(ref)
  }

  /** The name in the schema; "" for an inlined type. */
  get name(): string {
    return this.ref.namedType ?? ""
  }

  /**
   * Returns the alternative that `value` belongs to. Null, absent and mismatched values belong to the first existing one of map, scalar and
   * list.
   * @internal
   */
  shapeOf(value: Value | undefined): Shape | null {
    return this.match(value) ?? this.fallback
  }

  /**
   * The alternative for null, absent and mismatched values; null if the type has no alternatives.
   * @internal
   */
  get fallback(): Shape | null {
    return this.map ?? this.scalar ?? this.list
  }

  /**
   * Returns the alternative for values of this kind; null if the type does not have it. Also null for null and absent values, which have no
   * kind.
   * @internal
   */
  match(value: Value | undefined): Shape | null {
    if (value === undefined || value === null) return null
    if (typeof value !== "object") return this.scalar
    return Array.isArray(value) ? this.list : this.map
  }
}

const compileOnce = oncePer((schema: Schema) => new CompiledSchema(schema))

/**
 * Returns the compiled form of `schema`: always the same one for the same object, which must not change afterwards. Throws a SchemaError if
 * `types` is not a list of maps with text for names. A malformed type is reported when it is used.
 */
export function compileSchema(schema: Schema): CompiledSchema {
  return compileOnce(schema)
}

/** The types of a schema by name or reference. A type is compiled, with all types it refers to, on first use. */
export class CompiledSchema {
  /** The schema that the types are compiled from: the given object itself. */
  readonly schema: Schema
  /**
   * Whether some list is neither atomic nor associative: such a list is valid, but can't be merged or compared.
   * @internal
   */
  hasUnfitLists = false
  /**
   * Whether some type has a problem, apart from the type of undeclared keys that are not allowed.
   * @internal
   */
  hasProblems = false
  private readonly definitions = new Map<string, TypeRef>()
  private readonly named = new Map<string, Type>()
  /** Inlined types, by the object that describes them. An object that contains itself is a recursive type. */
  private readonly inPlace = new Map<TypeRef, Type>()
  private readonly inline: Type[] = []
  /** Types whose shapes are not filled in yet. */
  private readonly pending: Type[] = []

  /** @internal */
  constructor(schema: Schema) {
    this.schema = schema
    checkTypes(schema)
    for (const type of schema.types ?? []) this.definitions.set(type.name ?? "", type)
  }

  /** The names of all types, in the order of the schema. A new list each time. */
  get typeNames(): readonly string[] {
    return (this.schema.types ?? []).map(type => type.name ?? "")
  }

  /** Whether the schema has a type of this name. */
  has(name: string): boolean {
    return this.definitions.has(name)
  }

  /** Returns the type of this name. Throws a SchemaError, which suggests the nearest name, if the schema does not have it. */
  type(name: string): Type {
    if (!this.has(name)) throw new SchemaError(`${missingType(name)}${didYouMean(name, this.definitions.keys())}`)
    return this.typeOf({ namedType: name })
  }

  /**
   * Returns the type of this reference: the same object for equal references. A reference to a name that the schema lacks does not throw,
   * here or within a type: the missing type is reported when it is used.
   */
  typeOf(ref: TypeRef): Type {
    let type: Type | undefined
    if (isPlainName(ref)) type = this.reference(ref)
    else {
      type = this.inline.find(known => equalTypeRefs(known.ref, ref))
      if (type === undefined) {
        type = this.reference(ref)
        this.inline.push(type)
      }
    }
    this.compilePending()
    return type
  }

  /** Returns the type of a reference, which may not be compiled yet. */
  private reference(ref: TypeRef): Type {
    if (typeof ref.namedType !== "string") {
      const known = this.inPlace.get(ref) ?? this.declare(ref)
      this.inPlace.set(ref, known)
      return known
    }
    const id = `${ref.elementRelationship ?? ""} ${ref.namedType}`
    let type = this.named.get(id)
    if (type === undefined) {
      type = this.declare(ref)
      this.named.set(id, type)
    }
    return type
  }

  private declare(ref: TypeRef): Type {
    const type = new Type(this, ref)
    this.pending.push(type)
    return type
  }

  private compilePending(): void {
    for (let type = this.pending.pop(); type !== undefined; type = this.pending.pop()) {
      this.fill(type)
      if (type.problem !== null && !type.empty) this.hasProblems = true
    }
  }

  private fill(type: Type): void {
    try {
      this.fillShapes(type)
    } catch (error) {
      // A schema that does not come from parseSchema may hold anything. A malformed type must not stay half-compiled.
      type.scalar = null
      type.anyText = false
      type.anyBoolean = false
      type.list = null
      type.map = null
      const reason = error instanceof Error ? error.message : String(error)
      type.problem = `schema error: malformed ${refLabel(type.ref)}: ${reason}; parseSchema reports where`
    }
  }

  private fillShapes(type: Type): void {
    const atom = resolveRef(this.definitions, type.ref)
    if (atom === null) {
      type.problem = missingType(type.ref.namedType ?? "inlined type")
      return
    }
    if (typeof atom.scalar === "string") {
      type.scalar = { kind: "scalar", scalar: atom.scalar }
      type.anyText = atom.scalar === "string" || atom.scalar === "untyped"
      type.anyBoolean = atom.scalar === "boolean" || atom.scalar === "untyped"
    }
    if (atom.list) type.list = this.listShape(atom.list)
    if (atom.map) type.map = this.mapShape(atom.map)
    const alternatives = [type.scalar, type.list, type.map].filter(shape => shape !== null).length
    type.single = alternatives === 1
    if (alternatives === 0) {
      type.problem = `schema error: invalid atom: ${refLabel(type.ref)}`
    }
  }

  private listShape(list: ListAtom): ListShape {
    const keyNames = list.keys ?? []
    const itemRef = list.elementType ?? {}
    const relationship = list.elementRelationship
    if (relationship !== "atomic" && relationship !== "associative") this.hasUnfitLists = true
    return {
      kind: "list",
      atomic: relationship === "atomic",
      associative: relationship === "associative",
      item: this.reference(itemRef),
      keys: keyNames.map(name => this.listKey(itemRef, name)).sort((a, b) => compareStrings(a.name, b.name)),
      keyNames,
    }
  }

  private listKey(itemRef: TypeRef, name: string): ListKey {
    const item = resolveRef(this.definitions, itemRef)
    if (item === null) return { name, default: undefined, problem: "invalid elementType for list" }
    if (!item.map) return { name, default: undefined, problem: "associative list may not have non-map types" }
    const field = (item.map.fields ?? []).findLast(candidate => candidate.name === name)
    return { name, default: field?.default ?? undefined, problem: null }
  }

  private mapShape(map: MapAtom): MapShape {
    const fields = new Map<string, Field>()
    for (const field of map.fields ?? []) {
      if (typeof field.name !== "string") throw new SchemaError("a field without a name")
      const type = this.reference(field.type ?? {})
      fields.set(field.name, { type, element: fieldElement(field.name) })
    }
    const rest = map.elementType ?? {}
    return {
      kind: "map",
      atomic: map.elementRelationship === "atomic",
      fields,
      rest: this.reference(rest),
      deduced: isDeducedRef(rest) && !map.fields,
      unions: map.unions ?? [],
      compiledUnions: (map.unions ?? []).map(union => compileUnion(this.definitions, map, union)),
    }
  }
}

function missingType(name: string): string {
  return `schema error: no type found matching: ${name}`
}

function refLabel(ref: TypeRef): string {
  return typeof ref.namedType === "string" ? `named type: ${ref.namedType}` : "inlined"
}

function isPlainName(ref: TypeRef): boolean {
  return typeof ref.namedType === "string" && !ref.scalar && !ref.list && !ref.map
}
