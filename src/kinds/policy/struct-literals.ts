// Values of named types in expressions: `Object{spec: Object.spec{replicas: 3}}` and `JSONPatch{op: "remove", path: "/a"}`. The library that runs
// expressions has no syntax for them, so they become calls of functions with maps.

import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { Environment } from "../rules/library.js"
import { type Piece, piecesOf } from "../rules/source.js"

/** A value of the type `Object`, or of a type below it such as `Object.spec`. */
class ObjectStruct {
  readonly type: string
  readonly fields: Fields

  constructor(type: string, fields: Fields) {
    this.type = type
    this.fields = fields
  }
}

/** An operation of a JSON patch. */
class PatchStruct {
  readonly fields: Fields

  constructor(fields: Fields) {
    this.fields = fields
  }
}

type Fields = Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>

const objectCall = "structOfObject"
const patchCall = "structOfPatch"
const patchFields = new Set(["op", "path", "from", "value"])

/** Declares the types of mutations and their functions. Returns the names of the functions. */
export function registerStructs(environment: Environment): readonly string[] {
  environment.registerType("Object", { ctor: ObjectStruct, fields: {} })
  environment.registerType("JSONPatch", { ctor: PatchStruct, fields: {} })
  environment.registerFunction(`${objectCall}(string, map<string, dyn>): Object`, (type: string, fields: Fields) => {
    return new ObjectStruct(type, fields)
  })
  environment.registerFunction(`${patchCall}(map<string, dyn>): JSONPatch`, (fields: Fields) => {
    const unknown = entriesOf(fields).find(([name]) => !patchFields.has(name))
    if (unknown !== undefined) throw new RangeError(`unexpected JSONPatchType field: ${unknown[0]}`)
    return new PatchStruct(fields)
  })
  class Patches {}
  environment.registerType("JSONPatchNamespace", Patches)
  environment.registerConstant("jsonpatch", "JSONPatchNamespace", new Patches())
  environment.registerFunction("JSONPatchNamespace.escapeKey(string): string", (_: Patches, key: string) => {
    return key.replaceAll("~", "~0").replaceAll("/", "~1")
  })
  return [objectCall, patchCall, "escapeKey"]
}

/** An open bracket of an expression. */
interface Open {
  /** Whether the bracket is the one of a value of a named type. */
  readonly isStruct: boolean
  /** Whether the value of a field is being read. */
  inField: boolean
}

/** Replaces values of named types by calls of functions. Other expressions stay as they are. */
export function withStructCalls(expression: string): string {
  const pieces = [...piecesOf(expression)]
  const out: string[] = []
  const open: Open[] = []
  for (let at = 0; at < pieces.length; at++) {
    const { text, kind } = pieces[at] as Piece
    const inside = open.at(-1)
    const type = kind === "name" ? typeAt(pieces, at) : undefined
    if (type !== undefined) {
      const start = type.name === "JSONPatch" ? `${patchCall}({` : `${objectCall}(${JSON.stringify(type.name)}, {`
      out.push(start)
      open.push({ isStruct: true, inField: false })
      at = type.end
    } else if (inside?.isStruct === true && !inside.inField && kind === "name") {
      const colon = nextAfterBlanks(pieces, at + 1)
      if (pieces[colon]?.text !== ":") {
        out.push(text)
        continue
      }
      // The values of a map would have to be of one type.
      out.push(`${JSON.stringify(text)}: dyn(`)
      inside.inField = true
      at = colon
    } else if (inside?.isStruct === true && (text === "," || text === "}") && kind === "other") {
      out.push(inside.inField ? ")" : "", text === "," ? "," : "})")
      inside.inField = false
      if (text === "}") open.pop()
    } else {
      out.push(text)
      if (kind === "other" && "([{".includes(text)) open.push({ isStruct: false, inField: false })
      if (kind === "other" && ")]}".includes(text)) open.pop()
    }
  }
  return out.join("")
}

/** Returns the type whose value begins at a name, and the position of its brace. */
function typeAt(pieces: readonly Piece[], start: number): { readonly name: string; readonly end: number } | undefined {
  if (pieces[start - 1]?.text === ".") return undefined
  let name = (pieces[start] as Piece).text
  let at = start + 1
  while (pieces[at]?.text === "." && pieces[at + 1]?.kind === "name") {
    name += `.${(pieces[at + 1] as Piece).text}`
    at += 2
  }
  const end = nextAfterBlanks(pieces, at)
  const isType = name === "JSONPatch" || name === "Object" || name.startsWith("Object.")
  return isType && pieces[end]?.text === "{" ? { name, end } : undefined
}

function nextAfterBlanks(pieces: readonly Piece[], start: number): number {
  let at = start
  while (pieces[at]?.kind === "other" && (pieces[at] as Piece).text.trim() === "") at++
  return at
}

function entriesOf(fields: Fields): [string, unknown][] {
  return fields instanceof Map ? [...fields] : Object.entries(fields)
}

/** Returns the value of an expression as JSON. */
export function jsonValue(value: unknown): Value {
  if (typeof value === "bigint") return Number(value)
  if (value instanceof ObjectStruct || value instanceof PatchStruct) return jsonMap(value.fields)
  if (value instanceof Map) return jsonMap(value)
  if (value instanceof Set) return [...value].map(jsonValue)
  if (value instanceof Date) return value.toISOString().replace(".000Z", "Z")
  if (isList(value as Value)) return (value as readonly unknown[]).map(jsonValue)
  if (typeof value !== "object" || value === null) return value as Value
  if (Object.getPrototypeOf(value) === Object.prototype || Object.getPrototypeOf(value) === null) {
    return jsonMap(value as Readonly<Record<string, unknown>>)
  }
  return String(value)
}

function jsonMap(fields: Fields): MapValue {
  return Object.fromEntries(entriesOf(fields).map(([name, inner]) => [name, jsonValue(inner)]))
}

/** Returns why the types inside a value do not have the names of its fields; undefined if they do. */
export function typeMismatch(value: unknown, path = "Object"): string | undefined {
  if (value instanceof PatchStruct) return undefined
  if (value instanceof ObjectStruct) {
    if (value.type !== path) {
      return `unexpected type name ${JSON.stringify(value.type)}, expected ${JSON.stringify(path)}, which matches field name path from root Object type`
    }
    return firstMismatch(entriesOf(value.fields).map(([name, inner]) => [`${path}.${name}`, inner]))
  }
  if (isList(value as Value)) return firstMismatch((value as readonly unknown[]).map(inner => [path, inner]))
  const isPlain = value instanceof Map || isMap(value as Value)
  return isPlain ? firstMismatch(entriesOf(value as Fields).map(([, inner]) => [path, inner])) : undefined
}

function firstMismatch(parts: readonly (readonly [path: string, value: unknown])[]): string | undefined {
  for (const [path, value] of parts) {
    const found = typeMismatch(value, path)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the root type of a value in an operation: its type in the operation is the whole path. */
export function rootTypeOf(value: unknown): string {
  return value instanceof ObjectStruct ? value.type : "Object"
}
