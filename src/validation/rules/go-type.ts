// Go types: reads type expressions against the types of a document.
import { SchemaError } from "../../errors.js"
import { maxDepth } from "../../value/depth.js"
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
  private readonly document: RuleDocument
  private readonly known = new Map<string, GoType>()

  constructor(document: RuleDocument) {
    this.document = document
  }

  /** The declaration of a named type. */
  declaration(name: string): RuleType | undefined {
    return Object.hasOwn(this.document.types, name) ? this.document.types[name] : undefined
  }

  /** Returns the type that `text` spells. Throws a SchemaError whose message begins with `where` if there is no such type. */
  parse(text: string, where: string): GoType {
    let type = this.known.get(text)
    if (type === undefined) {
      type = this.read(text.trim(), where, [])
      this.known.set(text, type)
    }
    return type
  }

  private read(text: string, where: string, names: readonly string[]): GoType {
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
    return builtin(text) ?? this.named(text, where, names)
  }

  private named(name: string, where: string, names: readonly string[]): GoType {
    const declared = this.declaration(name)
    if (declared === undefined) {
      if (name.includes(".")) return new GoType({ text: name, kind: "opaque" })
      throw new SchemaError(`${where}: unknown type ${name}`)
    }
    if (declared.fields !== undefined) return this.struct(name, declared.fields)
    if (declared.zero !== undefined) return new GoType({ text: name, kind: "opaque", zero: declared.zero })
    if (declared.type === undefined) throw new SchemaError(`type ${name}: neither fields nor a type`)
    if (names.includes(name)) throw new SchemaError(`type ${name}: refers to itself`)
    if (names.length > maxDepth) throw new SchemaError(`type ${name}: more than ${maxDepth} names lead to it`)
    const behind = this.read(declared.type, `type ${name}`, [...names, name])
    const unruled = behind.pointer ? "names of pointers are not supported" : behind.unruled
    return new GoType({ ...behind, text: name, name, unruled })
  }

  private struct(name: string, fields: readonly RuleField[]): GoType {
    const read = (): readonly GoField[] => {
      const all: GoField[] = fields.map(field => {
        const type = this.parse(field.type, `field ${name}.${field.name}`)
        const json = field.json ?? (field.embedded === true ? "" : field.name)
        const hidden = once(() => (json === "" ? hiddenIn(type, all) : null))
        return { name: field.name, json, omitempty: field.omitempty === true, type, source: field, hidden }
      })
      return all
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

function once<T>(compute: () => T): () => T {
  let result: { readonly value: T } | null = null
  return () => {
    result ??= { value: compute() }
    return result.value
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
