// Random objects of a schema, edits of them as managers make them, and the paths inside them.
import { emptyMap, isList, isMap, type Json, type JsonMap, jsonText } from "./json.js"
import type { Random } from "./random.js"
import { randomJson, randomName, randomScalar, type ScalarKind } from "./scalars.js"
import type { Atom, ListType, MapType, Schema, TypeRef } from "./schemas.js"
import { settleUnions, switchUnions } from "./union-schemas.js"

export interface ValueOptions {
  /** Share of values of a wrong type, unknown fields and null items. */
  readonly mistakes: number
  /** Share of associative lists that get a duplicate item. */
  readonly duplicates: number
  /** Whether only lists inside items of lists get duplicate items. */
  readonly duplicatesWithin?: boolean
}

/** A serialized path: `["f:spec", "k:{\"name\":\"x\"}"]`. */
export type PathText = readonly string[]

/** Makes and edits values of one schema's types. */
export class ValueMaker {
  private left = 0
  /** How many lists with keys contain the current value. */
  private lists = 0

  constructor(
    private readonly random: Random,
    readonly schema: Schema,
    private readonly options: ValueOptions,
  ) {}

  /** Returns a value of the type, with at most about 120 nodes. */
  value(ref: TypeRef): Json {
    this.left = 120
    return this.make(ref, 0)
  }

  /** Makes some changes to the value. The result shares unchanged parts with it. */
  edit(ref: TypeRef, value: Json): Json {
    this.left = 60
    return this.change(ref, value, 0)
  }

  /** Removes duplicate items, which an applier may not write. */
  distinct(ref: TypeRef, value: Json): Json {
    const atom = this.schema.resolve(ref)
    if (isList(value)) {
      const { list } = atom ?? {}
      if (list?.elementType === undefined || !isAssociative(list)) return value
      const { elementType } = list
      const known = new Set<string>()
      const items = value.map(item => this.distinct(elementType, item))
      return items.filter(item => known.size < known.add(itemElement(list, item) ?? "").size)
    }
    if (!isMap(value) || atom?.map === undefined) return value
    const out = emptyMap()
    for (const key of Object.keys(value)) {
      const type = typeOf(atom.map, key)
      out[key] = type === undefined ? (value[key] as Json) : this.distinct(type, value[key] as Json)
    }
    return out
  }

  private make(ref: TypeRef, depth: number): Json {
    const { random } = this
    this.left--
    if (random.chance(this.options.mistakes)) return randomJson(random, 1)
    if (random.chance(ref.nullable === true ? 0.12 : depth === 0 ? 0.005 : 0.025)) return null
    const atom = this.schema.resolve(ref)
    const shape = atom === undefined ? undefined : pickShape(random, atom)
    if (atom === undefined || shape === undefined) return randomJson(random, 1)
    if (shape === "scalar") return randomScalar(random, scalarKind(atom))
    if (shape === "list") return this.makeList(atom.list as ListType, depth)
    return this.makeMap(atom.map as MapType, depth)
  }

  private makeMap(map: MapType, depth: number): JsonMap {
    const { random } = this
    const out = emptyMap()
    if (depth > 0 && random.chance(0.06)) return out
    const share = this.left < 0 ? 0 : depth === 0 ? 0.85 : depth < 4 ? 0.7 : 0.25
    for (const field of map.fields ?? []) {
      if (random.chance(share)) out[field.name] = this.make(field.type, depth + 1)
    }
    if (map.elementType !== undefined && share > 0) {
      for (let i = random.below(4); i > 0; i--) out[randomName(random)] = this.make(map.elementType, depth + 1)
    }
    if (random.chance(this.options.mistakes)) out[randomName(random)] = this.makeUnknown()
    if (map.unions !== undefined) settleUnions(random, map, out)
    return out
  }

  private makeList(list: ListType, depth: number): Json[] {
    const { random } = this
    const out: Json[] = []
    if (this.left < 0) return out
    for (let i = random.below(depth < 3 ? 5 : 2); i > 0; i--) {
      this.addItem(list, out, depth)
    }
    return out
  }

  // Appends a new item. If an associative list already has it, usually appends nothing, and sometimes a duplicate.
  private addItem(list: ListType, items: Json[], depth: number): void {
    const { random, options } = this
    const item = this.makeItem(list, depth)
    if (!isAssociative(list)) {
      items.push(item)
      return
    }
    const id = itemElement(list, item)
    if (!items.some(other => itemElement(list, other) === id)) items.push(item)
    if (random.chance(options.duplicatesWithin === true && this.lists === 0 ? 0 : options.duplicates))
      items.splice(random.below(items.length + 1), 0, this.twin(list, items, depth))
  }

  private makeItem(list: ListType, depth: number): Json {
    this.lists++
    const item = this.itemOf(list, depth)
    this.lists--
    return item
  }

  private itemOf(list: ListType, depth: number): Json {
    if (list.elementType === undefined) return this.makeUnknown()
    let item = this.make(list.elementType, depth + 1)
    if (item === null && this.random.chance(0.9)) item = this.make(list.elementType, depth + 1)
    if (list.keys === undefined || !isMap(item) || this.random.chance(isAssociative(list) ? 0.02 : 0.5)) return item
    const fields = this.schema.resolve(list.elementType)?.map?.fields
    for (const key of list.keys) {
      const field = fields?.find(candidate => candidate.name === key)
      if (field === undefined || this.random.chance(this.options.mistakes)) continue
      if (field.default !== undefined && this.random.chance(0.4)) delete item[key]
      else if (item[key] === undefined || item[key] === null) {
        item[key] = randomScalar(this.random, (field.type.scalar ?? "string") as ScalarKind)
      }
    }
    return item
  }

  private twin(list: ListType, items: readonly Json[], depth: number): Json {
    const { random } = this
    const item = items.length > 0 ? random.pick(items) : null
    if (!isMap(item) || random.chance(0.5)) return item
    const other = this.makeItem(list, depth)
    if (isMap(other)) {
      for (const key of list.keys ?? []) {
        if (item[key] === undefined) delete other[key]
        else other[key] = item[key]
      }
    }
    return other
  }

  private makeUnknown(): Json {
    return randomJson(this.random, 1)
  }

  private change(ref: TypeRef, value: Json, depth: number): Json {
    const { random } = this
    if (this.left < 0) return value
    if (random.chance(0.03)) return this.make(ref, depth)
    const atom = this.schema.resolve(ref)
    if (isMap(value) && atom?.map !== undefined) return this.changeMap(atom.map, value, depth)
    if (isList(value) && atom?.list !== undefined) return this.changeList(atom.list, value, depth)
    return random.chance(0.6) ? this.make(ref, depth) : value
  }

  private changeMap(map: MapType, value: JsonMap, depth: number): JsonMap {
    const { random } = this
    const out = emptyMap()
    for (const key of Object.keys(value)) {
      const choice = random.below(100)
      if (choice < 11) continue
      const type = typeOf(map, key)
      out[key] =
        choice < 50 && type !== undefined ? this.change(type, value[key] as Json, depth + 1) : (value[key] as Json)
    }
    for (const field of map.fields ?? []) {
      if (value[field.name] === undefined && random.chance(0.15)) out[field.name] = this.make(field.type, depth + 1)
    }
    if (map.elementType !== undefined && random.chance(0.3)) {
      out[randomName(random)] = this.make(map.elementType, depth + 1)
    }
    if (random.chance(this.options.mistakes)) out[randomName(random)] = this.makeUnknown()
    switchUnions(random, map, out, name => {
      const type = typeOf(map, name)
      if (type !== undefined) out[name] = this.make(type, depth + 1)
    })
    return out
  }

  private changeList(list: ListType, value: readonly Json[], depth: number): Json[] {
    const { random } = this
    const out: Json[] = []
    for (const item of value) {
      const choice = random.below(100)
      if (choice < 18) continue
      out.push(choice < 50 ? this.changeItem(list, item, depth) : item)
    }
    if (random.chance(0.35)) this.addItem(list, out, depth)
    if (random.chance(0.1)) return random.shuffled(out)
    if (random.chance(this.options.mistakes)) out.push(null)
    return out
  }

  private changeItem(list: ListType, item: Json, depth: number): Json {
    if (list.elementType === undefined) return item
    if (list.keys === undefined)
      return list.elementRelationship === "associative" ? item : this.change(list.elementType, item, depth)
    this.lists++
    const changed = this.change(list.elementType, item, depth + 1)
    this.lists--
    if (isMap(changed) && isMap(item) && isAssociative(list)) {
      for (const key of list.keys) {
        const before = item[key]
        if (before === undefined) delete changed[key]
        else changed[key] = before
      }
    }
    return changed
  }
}

function isAssociative(list: ListType): boolean {
  return list.elementRelationship === "associative"
}

function pickShape(random: Random, atom: Atom): keyof Atom | undefined {
  if (atom.map !== undefined && atom.scalar === undefined && atom.list === undefined) return "map"
  const shapes: (keyof Atom)[] = []
  if (atom.scalar !== undefined) shapes.push("scalar")
  if (atom.list !== undefined) shapes.push("list")
  if (atom.map !== undefined) shapes.push("map")
  return shapes.length > 0 ? random.pick(shapes) : undefined
}

function scalarKind(atom: Atom): ScalarKind {
  return (atom.scalar ?? "untyped") as ScalarKind
}

function typeOf(map: MapType, key: string): TypeRef | undefined {
  return map.fields?.find(field => field.name === key)?.type ?? map.elementType
}

/** Returns the serialized path element of an item of an associative list, with key fields in the schema's order. */
function itemElement(list: ListType, item: Json, defaults?: ReadonlyMap<string, Json>): string {
  if (list.keys === undefined) return `v:${jsonText(item)}`
  const fields = emptyMap()
  if (isMap(item)) {
    for (const key of list.keys) {
      const value = item[key] ?? defaults?.get(key)
      if (value !== undefined) fields[key] = value
    }
  }
  return `k:${jsonText(fields)}`
}

/** Returns every path inside the value by its type, including inner nodes, but nothing below an atomic list or map. */
export function pathsOf(schema: Schema, ref: TypeRef, value: Json): PathText[] {
  const out: PathText[] = []
  collect(schema, ref, value, [], out)
  return out
}

function collect(schema: Schema, ref: TypeRef, value: Json, at: string[], out: PathText[]): void {
  if (at.length > 0) out.push(at.slice())
  const atom = schema.resolve(ref)
  if (isMap(value) && atom?.map !== undefined && atom.map.elementRelationship !== "atomic") {
    for (const key of Object.keys(value)) {
      const type = typeOf(atom.map, key)
      at.push(`f:${key}`)
      if (type === undefined) out.push(at.slice())
      else collect(schema, type, value[key] as Json, at, out)
      at.pop()
    }
  } else if (isList(value) && atom?.list !== undefined && atom.list.elementRelationship === "associative") {
    const { list } = atom
    for (const item of value) {
      at.push(itemElement(list, item, keyDefaults(schema, list)))
      if (list.elementType === undefined) out.push(at.slice())
      else collect(schema, list.elementType, item, at, out)
      at.pop()
    }
  }
}

function keyDefaults(schema: Schema, list: ListType): ReadonlyMap<string, Json> {
  const defaults = new Map<string, Json>()
  const fields = list.elementType === undefined ? [] : (schema.resolve(list.elementType)?.map?.fields ?? [])
  for (const field of fields) if (field.default !== undefined) defaults.set(field.name, field.default)
  return defaults
}
