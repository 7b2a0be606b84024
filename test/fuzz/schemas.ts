// Random schemas. A schema is generated as a document (the tree of its YAML text), so that values can be generated for it and
// parts of it can change before its text is written.
import { type Json, mapOf, yamlSafeJsonText } from "./json.js"
import type { Random } from "./random.js"
import { randomName, randomScalar, type ScalarKind } from "./scalars.js"
import { addUnions, type Union } from "./union-schemas.js"

export interface Atom {
  scalar?: string
  list?: ListType
  map?: MapType
}
export interface TypeRef extends Atom {
  namedType?: string
  elementRelationship?: string
  nullable?: boolean
}
export interface ListType {
  elementType?: TypeRef
  elementRelationship?: string
  keys?: string[]
}
export interface MapType {
  fields?: Field[]
  unions?: Union[]
  elementType?: TypeRef
  elementRelationship?: string
}
export interface Field {
  name: string
  type: TypeRef
  default?: Json
}
export interface TypeDef extends Atom {
  name: string
}

/** A schema document, with its types by name. */
export class Schema {
  private readonly byName = new Map<string, TypeDef>()

  constructor(readonly types: readonly TypeDef[]) {
    for (const type of types) this.byName.set(type.name, type)
  }

  /** Returns the atom of a reference, with the reference's own element relationship. Undefined if no type has the name. */
  resolve(ref: TypeRef): Atom | undefined {
    const atom = ref.namedType === undefined ? ref : this.byName.get(ref.namedType)
    if (atom === undefined || ref.elementRelationship === undefined) return atom
    const { list, map } = atom
    return {
      ...atom,
      ...(list && { list: { ...list, elementRelationship: ref.elementRelationship } }),
      ...(map && { map: { ...map, elementRelationship: ref.elementRelationship } }),
    }
  }

  /** Returns the schema as a request contains it. */
  text(): string {
    return yamlSafeJsonText({ types: this.types } as unknown as Json)
  }
}

export interface SchemaOptions {
  /** The name of the objects' type. */
  readonly root: string
  /** Share of structs with unions. */
  readonly unions?: number
  /** Share of fields that are lists with keys, up to three lists deep. Random if absent. */
  readonly lists?: number
  /** Appended to the names of some fields and of all types but the root. */
  readonly suffix?: string
}

/** Returns a schema of one to seven types, some of them recursive, and usually Kubernetes' two untyped ones. */
export function randomSchema(random: Random, options: SchemaOptions): Schema {
  return new SchemaMaker(random, options).make()
}

class SchemaMaker {
  private readonly names: string[] = []
  private readonly types: TypeDef[] = []
  private readonly elementTypes: TypeDef[] = []
  private readonly suffix: string
  // The union rules are from an older release, which requires every key of an item and walks lists without a relationship.
  private readonly hasUnions: boolean

  constructor(
    private readonly random: Random,
    private readonly options: SchemaOptions,
  ) {
    this.suffix = options.suffix ?? ""
    this.hasUnions = options.unions !== undefined
  }

  make(): Schema {
    const { random, options } = this
    for (let i = random.below(6); i > 0; i--) this.names.push(`t${i}${this.suffix}`)
    const root = random.chance(0.95) ? { map: this.rootStruct() } : this.atom(2)
    this.types.push({ name: options.root, ...root })
    for (const name of this.names) this.types.push({ name, ...this.atom(1) })
    this.types.push(...this.elementTypes)
    if (random.chance(0.96)) this.types.push(...UNTYPED)
    return new Schema(this.types)
  }

  private atom(depth: number): Atom {
    const { random } = this
    const kind = random.below(100)
    if (kind < 40) return { map: this.struct(depth) }
    if (kind < 62) return { list: this.keyedList(depth) }
    if (kind < 76) return { list: this.setList() }
    if (kind < 84) return { list: { elementType: this.ref(depth - 1), ...relationship("atomic") } }
    if (kind < 93) return { map: this.plainMap(depth) }
    if (kind < 96) return { scalar: this.scalarKind() }
    return {
      ...(random.chance(0.8) && { scalar: this.scalarKind() }),
      ...(random.chance(0.8) && { list: random.chance(0.5) ? this.setList() : this.keyedList(depth) }),
      ...(random.chance(0.8) && { map: random.chance(0.5) ? this.struct(depth) : this.plainMap(depth) }),
    }
  }

  private ref(depth: number): TypeRef {
    const { random } = this
    const ref = this.bareRef(depth)
    const atom = ref.namedType === undefined ? ref : undefined
    if (random.chance(0.06) && atom?.scalar === undefined) {
      ref.elementRelationship = random.pick(
        this.hasUnions ? ["atomic", "associative"] : ["atomic", "separable", "associative"],
      )
    }
    if (random.chance(0.08)) ref.nullable = true
    return ref
  }

  private bareRef(depth: number): TypeRef {
    const { random, options } = this
    if (options.lists !== undefined && depth > 0 && random.chance(options.lists)) return { list: this.keyedList(depth) }
    const kind = random.below(100)
    if (kind < 38) return { scalar: this.scalarKind() }
    if (kind < 75 && this.names.length > 0) return { namedType: random.pick(this.names) }
    if (kind < 80) return { namedType: "__untyped_atomic_" }
    if (kind < 85) return { namedType: "__untyped_deduced_" }
    if (kind < 86 && this.names.length > 0) return { namedType: this.options.root }
    return depth > 0 ? this.atom(depth - 1) : { scalar: this.scalarKind() }
  }

  private struct(depth: number): MapType {
    const { random } = this
    const fields: Field[] = []
    for (const name of this.fieldNames(random.between(2, 7))) fields.push({ name, type: this.ref(depth - 1) })
    const map: MapType = { fields }
    if (random.chance(this.options.unions ?? 0)) map.unions = addUnions(random, fields, () => this.ref(depth - 1))
    if (random.chance(0.12)) map.elementType = this.ref(depth - 1)
    if (random.chance(0.12)) map.elementRelationship = random.pick(["atomic", "separable", "separable"])
    return map
  }

  // Whole objects are seldom atomic.
  private rootStruct(): MapType {
    const map = this.struct(this.options.lists === undefined ? 2 : 4)
    if (this.random.chance(0.8)) delete map.elementRelationship
    return map
  }

  private plainMap(depth: number): MapType {
    const map: MapType = { elementType: this.ref(depth - 1) }
    if (this.random.chance(0.4)) map.elementRelationship = this.random.pick(["atomic", "separable", "associative"])
    return map
  }

  private setList(): ListType {
    return { elementType: { scalar: this.scalarKind() }, ...relationship("associative") }
  }

  private keyedList(depth: number): ListType {
    const { random } = this
    const struct = this.struct(depth)
    const fields = struct.fields ?? []
    const keys = this.fieldNames(this.hasUnions ? 1 : random.weighted(KEY_COUNTS))
    for (const name of keys) {
      const field: Field = { name, type: { scalar: this.scalarKind() } }
      if (random.chance(0.25)) field.default = randomScalar(random, field.type.scalar as ScalarKind)
      const at = fields.findIndex(other => other.name === name)
      if (at >= 0) fields[at] = field
      else if (random.chance(0.97)) fields.unshift(field)
    }
    const elementType = random.chance(0.5) ? { map: struct } : this.named({ map: struct })
    return { elementType, ...relationship("associative"), keys }
  }

  private named(atom: Atom): TypeRef {
    const name = `item${this.elementTypes.length}${this.suffix}`
    this.elementTypes.push({ name, ...atom })
    return { namedType: name }
  }

  private scalarKind(): ScalarKind {
    return this.random.weighted(SCALAR_KINDS)
  }

  private fieldNames(count: number): string[] {
    const names = new Set<string>()
    for (let i = 0; i < count; i++) {
      const name = randomName(this.random)
      names.add(this.suffix !== "" && this.random.chance(0.5) ? name + this.suffix : name)
    }
    return [...names]
  }
}

const KEY_COUNTS: readonly (readonly [number, number])[] = [
  [70, 1],
  [25, 2],
  [5, 3],
]
const SCALAR_KINDS: readonly (readonly [number, ScalarKind])[] = [
  [45, "string"],
  [25, "numeric"],
  [15, "boolean"],
  [15, "untyped"],
]

function relationship(elementRelationship: string): { elementRelationship: string } {
  return { elementRelationship }
}

/** Kubernetes' types for values without a schema. */
export const UNTYPED: readonly TypeDef[] = [
  {
    name: "__untyped_atomic_",
    scalar: "untyped",
    list: { elementType: { namedType: "__untyped_atomic_" }, ...relationship("atomic") },
    map: { elementType: { namedType: "__untyped_atomic_" }, ...relationship("atomic") },
  },
  {
    name: "__untyped_deduced_",
    scalar: "untyped",
    list: { elementType: { namedType: "__untyped_atomic_" }, ...relationship("atomic") },
    map: { elementType: { namedType: "__untyped_deduced_" }, ...relationship("separable") },
  },
]

/** Returns a schema document with a small mistake, to test the reader of schemas. */
export function brokenSchemaText(random: Random, schema: Schema): string {
  const types: Json[] = JSON.parse(schema.text()).types
  const type = random.pick(types) as { [key: string]: Json }
  switch (random.below(8)) {
    case 0:
      type.scalar = random.pick<Json>(["number", "int", 1, null, [], ""])
      break
    case 1:
      type.list = random.pick<Json>([[], null, "x", mapOf({ keys: "name" }), mapOf({ elementType: "string" })])
      break
    case 2:
      type.map = random.pick<Json>([[], null, mapOf({ fields: {} as never }), mapOf({ fields: [mapOf({ nam: "a" })] })])
      break
    case 3:
      type[randomName(random)] = randomScalar(random, "untyped")
      break
    case 4:
      types.push(type)
      break
    case 5:
      delete type.name
      break
    case 6:
      return random.pick(["", "null", "[]", "types: {}", "types: [1]", "types:\n- name: a\n  - b", "{", "types: null"])
    default:
      type.name = random.pick<Json>([1, true, null, "", "root"])
  }
  return yamlSafeJsonText(mapOf({ types }))
}
