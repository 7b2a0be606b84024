// Go types, as far as they decide the Go value that a JSON value becomes: what is absent, what is equal, and how it is printed.
import { SchemaError } from "../../errors.js"
import { compareNumbers, compareStrings } from "../../value/compare.js"
import { maxDepth } from "../../value/depth.js"
import { equalValues } from "../../value/equal.js"
import { isEmptyMap, own, put, sizeOf } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Side, type Value } from "../../value/value.js"
import type { RuleDocument, RuleField, RuleType } from "./rules.js"

/** The kind of a type behind its names. `opaque` is a type of another package that the document does not contain. */
export type GoKind = "string" | "bool" | "integer" | "float" | "bytes" | "any" | "opaque" | "struct" | "slice" | "map"

/** The type of a field, an item or a key. */
export class GoType {
  /** The type as Go spells it. */
  readonly text: string
  /** Whether it is a pointer. All following members describe the type that it points to. */
  readonly pointer: boolean
  /** The type's name in the document; null if it has none. */
  readonly name: string | null
  readonly kind: GoKind
  /** The type of a slice's items or a map's values. */
  readonly element: GoType | null
  /** The type of a map's keys. */
  readonly key: GoType | null
  /** The least and the greatest value of an integer. */
  readonly bounds: readonly [bigint, bigint] | null
  /** The JSON that Go writes for the zero value of an opaque struct; undefined for other types. */
  readonly zero: string | number | null | undefined
  /** The reason why upstream takes no rules for the type; null if it does take them. */
  readonly unruled: string | null
  /** The fields of a struct. Read on first use, since types may be recursive. */
  readonly fields: () => readonly GoField[]
  /** The fields of a struct by their keys in JSON; null if the struct embeds another. */
  readonly byKey: () => ReadonlyMap<string, GoField> | null

  constructor(what: Pick<GoType, "text" | "kind"> & Partial<GoType>) {
    this.text = what.text
    this.pointer = what.pointer ?? false
    this.name = what.name ?? null
    this.kind = what.kind
    this.element = what.element ?? null
    this.key = what.key ?? null
    this.bounds = what.bounds ?? null
    this.zero = what.zero
    this.unruled = what.unruled ?? null
    this.fields = what.fields ?? (() => [])
    this.byKey = what.byKey ?? (() => null)
  }
}

/** A field of a struct. */
export interface GoField {
  readonly name: string
  /** The key in JSON; empty for an embedded struct, whose fields count as fields of the outer struct. */
  readonly json: string
  readonly omitempty: boolean
  readonly type: GoType
  readonly source: RuleField
  /**
   * For an embedded struct, the keys that the outer struct has itself; Go leaves those fields of the embedded struct zero. Null if there
   * are none.
   */
  readonly hidden: () => ReadonlySet<string> | null
}

/** Reads type expressions against the types of a document. The same expression always gives the same type. */
export class GoTypes {
  readonly #document: RuleDocument
  readonly #known = new Map<string, GoType>()

  constructor(document: RuleDocument) {
    this.#document = document
  }

  /** The declaration of a named type. */
  declaration(name: string): RuleType | undefined {
    return Object.hasOwn(this.#document.types, name) ? this.#document.types[name] : undefined
  }

  /** Returns the type that `text` spells. Throws a SchemaError whose message begins with `where` if there is no such type. */
  parse(text: string, where: string): GoType {
    let type = this.#known.get(text)
    if (type === undefined) {
      type = this.#read(text.trim(), where, [])
      this.#known.set(text, type)
    }
    return type
  }

  #read(text: string, where: string, names: readonly string[]): GoType {
    if (text.startsWith("*")) {
      const to = this.parse(text.slice(1), where)
      const isPlural = to.kind === "slice" || to.kind === "map"
      const what = to.pointer ? "pointers to pointers" : isPlural ? "pointers to lists and maps" : undefined
      const unruled = to.unruled ?? (what && `${what} are not supported: ${text}`)
      return new GoType({ ...to, text, pointer: true, ...(unruled !== undefined && { unruled }) })
    }
    if (text.startsWith("[]")) {
      const element = this.parse(text.slice(2), where)
      // JSON has bytes as a base64 text.
      if (isByte(element)) return new GoType({ text, kind: "bytes" })
      return new GoType({ text, kind: "slice", element, unruled: element.unruled })
    }
    const map = /^map\[([^\]]+)\](.+)$/.exec(text)
    if (map !== null) {
      const key = this.parse(map[1] as string, where)
      const isText = (key.kind === "string" || key.kind === "opaque") && !key.pointer
      const element = this.parse(map[2] as string, where)
      const unruled = isText ? element.unruled : `maps with keys other than strings are not supported: ${text}`
      return new GoType({ text, kind: "map", key: isText ? key : null, element, unruled })
    }
    return builtin(text) ?? this.#named(text, where, names)
  }

  #named(name: string, where: string, names: readonly string[]): GoType {
    const declared = this.declaration(name)
    if (declared === undefined) {
      if (name.includes(".")) return new GoType({ text: name, kind: "opaque" })
      throw new SchemaError(`${where}: unknown type ${name}`)
    }
    if (declared.fields !== undefined) return this.#struct(name, declared.fields)
    if (declared.zero !== undefined) return new GoType({ text: name, kind: "opaque", zero: declared.zero })
    if (declared.type === undefined) throw new SchemaError(`type ${name}: neither fields nor a type`)
    if (names.includes(name)) throw new SchemaError(`type ${name}: refers to itself`)
    if (names.length > maxDepth) throw new SchemaError(`type ${name}: more than ${maxDepth} names lead to it`)
    const behind = this.#read(declared.type, `type ${name}`, [...names, name])
    const unruled = behind.pointer ? "names of pointers are not supported" : behind.unruled
    return new GoType({ ...behind, text: name, name, unruled })
  }

  #struct(name: string, fields: readonly RuleField[]): GoType {
    const read = (): readonly GoField[] => {
      const made: GoField[] = fields.map(field => {
        const type = this.parse(field.type, `field ${name}.${field.name}`)
        const json = field.json ?? (field.embedded === true ? "" : field.name)
        const hidden = once(() => (json === "" ? hiddenIn(type, made) : null))
        return { name: field.name, json, omitempty: field.omitempty === true, type, source: field, hidden }
      })
      return made
    }
    return struct(name, read)
  }
}

function hiddenIn(embedded: GoType, around: readonly GoField[]): ReadonlySet<string> | null {
  const keys = new Set(around.map(({ json }) => json).filter(json => json !== ""))
  const all = (type: GoType): string[] =>
    type.fields().flatMap(({ json, type: inner }) => (json === "" ? all(inner) : [json]))
  const hidden = all(embedded).filter(json => keys.has(json))
  return hidden.length === 0 ? null : new Set(hidden)
}

function struct(name: string, read: () => readonly GoField[]): GoType {
  const fields = once(read)
  const byKey = once(() => {
    if (fields().some(({ json }) => json === "")) return null
    return new Map(fields().map(field => [field.json, field]))
  })
  return new GoType({ text: name, kind: "struct", name, fields, byKey })
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function builtin(text: string): GoType | null {
  if (text === "string" || text === "bool") return new GoType({ text, kind: text })
  if (text === "float64" || text === "float32") return new GoType({ text, kind: "float" })
  if (text === "any" || text === "interface{}") return new GoType({ text, kind: "any" })
  const [, unsigned, bits] = /^(u?)int(8|16|32|64|)$|^byte$|^rune$/.exec(text) ?? []
  if (unsigned === undefined && text !== "byte" && text !== "rune") return null
  const size = BigInt(bits === undefined ? (text === "byte" ? 8 : 32) : bits === "" ? 64 : bits)
  const positive = unsigned === "u" || text === "byte"
  const limit = 1n << (positive ? size : size - 1n)
  return new GoType({ text, kind: "integer", bounds: [positive ? 0n : -limit, limit - 1n] })
}

function isByte({ kind, pointer, bounds }: GoType): boolean {
  return kind === "integer" && !pointer && bounds?.[0] === 0n && bounds[1] === 255n
}

/** Whether the type is a struct and not a pointer, so that it is never unset. */
export function isPlainStruct({ kind, pointer, zero }: GoType): boolean {
  return !pointer && (kind === "struct" || zero !== undefined)
}

/** Whether Go has a nil value of the type. */
export function isNilable(type: GoType): boolean {
  return type.pointer || type.kind === "slice" || type.kind === "map" || type.kind === "any" || type.kind === "bytes"
}

const emptyStruct: MapValue = Object.freeze({})

/**
 * Returns the value that Go reads from JSON for the type. If `raw` is absent or does not fit, that is the zero value; undefined stands for
 * nil.
 */
export function goValue(type: GoType, raw: Side): Side {
  switch (type.kind) {
    case "string":
      return typeof raw === "string" ? raw : type.pointer ? undefined : ""
    case "bool":
      return typeof raw === "boolean" ? raw : type.pointer ? undefined : false
    case "integer":
    case "float":
      return typeof raw === "number" || typeof raw === "bigint" ? raw : type.pointer ? undefined : 0
    case "struct":
      return isMap(raw) ? raw : type.pointer ? undefined : emptyStruct
    case "slice":
      return isList(raw) ? raw : undefined
    case "map":
      return isMap(raw) ? raw : undefined
    case "bytes":
      return typeof raw === "string" ? raw : undefined
    case "any":
    case "opaque":
      return raw === null ? undefined : raw
  }
}

/** Returns the value of a field. `object` is a struct, or undefined for nil, which has no fields. */
export function fieldValue(field: GoField, object: Side): Side {
  if (object === undefined) return undefined
  if (field.json === "") return embeddedValue(field, object)
  return goValue(field.type, own(object as MapValue, field.json))
}

function embeddedValue({ type, hidden }: GoField, object: Value): Side {
  const keys = hidden()
  let inner = object
  if (keys !== null) {
    const visible: Record<string, Value> = {}
    for (const key in object as MapValue) if (!keys.has(key)) put(visible, key, (object as MapValue)[key] as Value)
    inner = visible
  }
  return type.pointer && !hasFieldOf(type, inner) ? undefined : inner
}

/** Whether one of the fields is given. Otherwise Go does not create an embedded struct that is a pointer. */
function hasFieldOf(type: GoType, object: Value): boolean {
  return type.fields().some(({ json, type: inner }) => {
    return json === "" ? hasFieldOf(inner, object) : own(object as MapValue, json) !== undefined
  })
}

/** Whether Go calls the value unset: nil, an empty list or map, or a zero value. */
export function isUnset(type: GoType, value: Side): boolean {
  if (value === undefined) return true
  if (type.pointer) return false
  switch (type.kind) {
    case "slice":
      return (value as ListValue).length === 0
    case "map":
      return isEmptyMap(value as MapValue)
    case "string":
    case "bytes":
      return value === ""
    case "bool":
      return value === false
    case "integer":
    case "float":
      return value === 0 || value === 0n
    case "struct":
      return type.fields().every(field => isUnset(field.type, fieldValue(field, value)))
    case "any":
      return false
    case "opaque":
      return value === "" || value === false || value === 0
  }
}

/** Whether Go calls two values of the type equal. A nil list equals an empty one, and an absent value equals a zero value. */
export function equalGo(type: GoType, a: Side, b: Side): boolean {
  // Values that are equal as JSON are equal in Go; most are.
  return a === b || (a !== undefined && b !== undefined && equalValues(a, b)) || equalTyped(type, a, b)
}

function equalTyped(type: GoType, a: Side, b: Side): boolean {
  if (a === b) return true
  if (type.pointer && (a === undefined || b === undefined)) return false
  switch (type.kind) {
    case "string":
    case "bool":
      return false
    case "integer":
    case "float":
      return a !== undefined && b !== undefined && compareNumbers(a as number | bigint, b as number | bigint) === 0
    case "bytes":
      return (a ?? "") === (b ?? "")
    case "any":
    case "opaque":
      return a !== undefined && b !== undefined && equalValues(a, b)
    case "slice":
      return equalSlices(type.element as GoType, (a ?? []) as ListValue, (b ?? []) as ListValue)
    case "map":
      return equalMaps(type.element as GoType, (a ?? emptyStruct) as MapValue, (b ?? emptyStruct) as MapValue)
    case "struct":
      return a !== undefined && b !== undefined && equalStructs(type, a as MapValue, b as MapValue)
  }
}

/** Compares the keys that are present, which are few of the many fields of Kubernetes' types. */
function equalStructs(type: GoType, a: MapValue, b: MapValue): boolean {
  const byKey = type.byKey()
  if (byKey === null) {
    return type.fields().every(field => equalTyped(field.type, fieldValue(field, a), fieldValue(field, b)))
  }
  for (const key in a) {
    const [value, other] = [a[key], own(b, key)]
    if (value === other) continue
    const field = byKey.get(key)
    if (field === undefined) continue
    if (!equalTyped(field.type, goValue(field.type, value), goValue(field.type, other))) return false
  }
  for (const key in b) {
    const field = byKey.get(key)
    if (field === undefined || own(a, key) !== undefined) continue
    if (!equalTyped(field.type, goValue(field.type, undefined), goValue(field.type, b[key]))) return false
  }
  return true
}

function equalSlices(element: GoType, a: ListValue, b: ListValue): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    if (!equalTyped(element, goValue(element, a[i]), goValue(element, b[i]))) return false
  }
  return true
}

function equalMaps(element: GoType, a: MapValue, b: MapValue): boolean {
  if (sizeOf(a) !== sizeOf(b)) return false
  for (const key in a) {
    const other = own(b, key)
    if (other === undefined) return false
    if (!equalTyped(element, goValue(element, a[key]), goValue(element, other))) return false
  }
  return true
}

/** Returns the value as Go writes it to JSON: all fields of a struct in their order, with zero values for those without `omitempty`. */
export function goJson(type: GoType, value: Side): Value {
  if (value === undefined) return type.pointer ? null : (type.zero ?? null)
  if (type.kind === "slice") {
    const element = type.element as GoType
    return (value as ListValue).map(item => goJson(element, goValue(element, item)))
  }
  if (type.kind !== "struct" && type.kind !== "map") return value
  const written: Record<string, Value> = {}
  if (type.kind === "struct") writeStruct(written, type, value)
  else {
    const element = type.element as GoType
    const keys = Object.keys(value as MapValue).sort(compareStrings)
    for (const key of keys) put(written, key, goJson(element, goValue(element, (value as MapValue)[key])))
  }
  return written
}

function writeStruct(
  written: Record<string, Value>,
  type: GoType,
  value: Side,
  hidden: ReadonlySet<string> | null = null,
): void {
  if (value === undefined) return
  for (const field of type.fields()) {
    if (hidden?.has(field.json)) continue
    const inner = fieldValue(field, value)
    if (field.json === "") writeStruct(written, field.type, inner, union(hidden, field.hidden()))
    else if (!field.omitempty || !leftOut(field.type, inner)) put(written, field.json, goJson(field.type, inner))
  }
}

function union(a: ReadonlySet<string> | null, b: ReadonlySet<string> | null): ReadonlySet<string> | null {
  return a === null || b === null ? (a ?? b) : new Set([...a, ...b])
}

/** Whether `omitempty` leaves the value out. It never leaves out a struct. */
function leftOut(type: GoType, value: Side): boolean {
  return isPlainStruct(type) ? false : isUnset(type, value)
}
