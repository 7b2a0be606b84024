// The types of a structural schema as CEL expressions see them, and values of these types.
//
// Expressions can't see fields that the schema does not declare. An object with declared fields is a Map of a class of its own, because the
// library tells types apart by their classes; its keys are the escaped names of the fields.

import { byteLength } from "../../value/bytes.js"
import { equalValues } from "../../value/equal.js"
import { listAt } from "../../value/fields.js"
import { groupBy } from "../../value/groups.js"
import { asFloat } from "../../value/number.js"
import { own } from "../../value/object.js"
import { oncePer } from "../../value/once-per.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { isTrue, restOf, schemaAt } from "../structural/schema.js"
import { runningMeter } from "./cost.js"
import type { Environment } from "./library.js"

/** A schema as CEL expressions see it. */
export interface Declared {
  /** The name of the type. */
  readonly type: string
  /** Converts a value for expressions. Throws the library's error for a text that does not have its format. */
  readonly read: (value: Value) => unknown
  /** The declarations of the fields, by their names in the schema. */
  readonly fields: ReadonlyMap<string, Declared>
  readonly items: Declared | undefined
  readonly rest: Declared | undefined
  /** The greatest number of characters, items or entries; 0 for other values. */
  readonly most: number
  /** The least number of bytes of the value as JSON. */
  readonly least: number
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
)
const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
}

/** Returns the name of a property in expressions; undefined if they can't name it. */
export function escapeName(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`
  return /^[A-Za-z_./-][\w./-]*$/.test(name) ? name.replace(/__|[-./]/g, found => escapes[found] as string) : undefined
}

/** Declares the types of schemas in an environment. */
export class Types {
  private readonly environment: Environment
  /** An environment to clone. Cloning an environment ends its registrations. */
  private readonly base: Environment
  private readonly compared = new Set<string>()
  /** The types of the fields of each object, by their names in expressions. */
  readonly fields = new Map<string, Readonly<Record<string, string>>>()
  private count = 0

  constructor(environment: Environment, base: Environment) {
    this.environment = environment
    this.base = base
  }

  /** Declares a schema. Returns undefined if expressions see nothing of it. `isRoot` is true for custom resources and embedded resources. */
  declare(schema: MapValue, isRoot = isTrue(schema, "x-kubernetes-embedded-resource")): Declared | undefined {
    const declared = this.declareType(schema, isRoot)
    if (declared === undefined || !isTrue(schema, "nullable")) return declared
    return { ...declared, type: "dyn", read: value => (value === null ? null : declared.read(value)) }
  }

  private declareType(schema: MapValue, isRoot: boolean): Declared | undefined {
    if (isTrue(schema, "x-kubernetes-int-or-string")) return scalar("dyn", wholeNumber, mostOfText(schema), 1)
    if (isRoot) return this.object(schema, true)
    switch (own(schema, "type")) {
      case "array":
        return this.list(schema)
      case "object":
        return restOf(schema) === undefined ? this.object(schema, false) : this.map(schema, restOf(schema) as MapValue)
      case "string":
        return this.string(schema)
      case "boolean":
        return scalar("bool", value => value, 0, 4)
      case "number":
        return scalar("double", asFloat)
      case "integer":
        return scalar("int", wholeNumber)
      default:
        return undefined
    }
  }

  private string(schema: MapValue): Declared {
    const format = own(schema, "format")
    const evaluated = (text: string) => {
      const run = this.base.clone().registerVariable("text", "string").parse(text)
      return (value: Value) => (typeof value === "string" ? run({ text: value }) : value)
    }
    if (format === "duration") return scalar("google.protobuf.Duration", evaluated("duration(text)"), 32, 3)
    if (format === "date")
      return scalar("google.protobuf.Timestamp", evaluated('timestamp(text + "T00:00:00Z")'), 12, 12)
    if (format === "date-time") return scalar("google.protobuf.Timestamp", evaluated("timestamp(text)"), 32, 21)
    if (format !== "byte") return scalar("string", value => value, mostOfText(schema), 2)
    const most = limitOf(schema, "maxLength") ?? mostBytes - 2
    return scalar("bytes", value => (typeof value === "string" ? bytesOf(value) : value), most, 2)
  }

  private list(schema: MapValue): Declared | undefined {
    const items = schemaAt(schema, "items")
    const item = items && this.declare(items)
    if (item === undefined) return undefined
    const type = `list<${item.type}>`
    const listType = own(schema, "x-kubernetes-list-type")
    if (listType === "map") this.compare(type)
    const read = memoized(value => {
      if (!isList(value)) return value
      const list = value.map(item.read)
      if (listType === "map") associative.add(list)
      return listType === "set" ? new Set(list) : list
    })
    const most = limitOf(schema, "maxItems") ?? Math.floor((mostBytes - 2) / (item.least + 1))
    return { ...leaf, type, read, items: item, most }
  }

  private map(schema: MapValue, rest: MapValue): Declared | undefined {
    const entry = this.declare(rest)
    if (entry === undefined) return undefined
    const type = `map<string, ${entry.type}>`
    const read = memoized(value =>
      isMap(value) ? new Map(Object.entries(value).map(([key, inner]) => [key, entry.read(inner)])) : value,
    )
    const most = limitOf(schema, "maxProperties") ?? Math.floor((mostBytes - 2) / (entry.least + 6))
    return { ...leaf, type, read, rest: entry, most }
  }

  private object(schema: MapValue, isRoot: boolean): Declared {
    const properties = isRoot ? withObjectMeta(schema) : (schemaAt(schema, "properties") ?? {})
    const fields = new Map<string, Declared>()
    const named: Record<string, string> = Object.create(null)
    const required = listAt(schema, "required")
    let least = 2
    for (const name of Object.keys(properties)) {
      const property = schemaAt(properties, name)
      const declared = property && this.declare(property)
      if (property === undefined || declared === undefined) continue
      fields.set(name, declared)
      if (required.includes(name) && own(property, "default") === undefined) {
        least += byteLength(name) + declared.least + 4
      }
      const escaped = escapeName(name)
      if (escaped !== undefined) named[escaped] = declared.type
    }
    const type = `Object${++this.count}`
    const ctor = class extends Map<string, unknown> {}
    this.environment.registerType(type, { ctor, fields: named })
    this.fields.set(type, named)
    this.compare(type)
    const read = memoized(value => (isMap(value) ? readFields(new ctor(), value, fields) : value))
    return { ...leaf, type, read, fields, least }
  }

  /** Go: sets and associative lists are equal in any order. */
  private compare(type: string): void {
    if (this.compared.has(type)) return
    this.compared.add(type)
    this.environment.registerOperator(`${type} == ${type}`, (a: unknown, b: unknown) => isSame(a, b))
  }
}

function readFields(
  out: Map<string, unknown>,
  value: MapValue,
  fields: ReadonlyMap<string, Declared>,
): Map<string, unknown> {
  for (const [name, declared] of fields) {
    const inner = own(value, name)
    const escaped = escapeName(name)
    if (inner !== undefined && escaped !== undefined) out.set(escaped, declared.read(inner))
  }
  return out
}

/** Returns the properties of a resource: the ones in its schema, and the ones that every object has. */
function withObjectMeta(schema: MapValue): MapValue {
  const text = { type: "string" }
  const metadata = { type: "object", properties: { name: text, generateName: text } }
  return { ...schemaAt(schema, "properties"), apiVersion: text, kind: text, metadata }
}

function scalar(type: string, read: (value: Value) => unknown, most = 0, least = 1): Declared {
  return { ...leaf, type, read, most, least }
}

/** The parts of a declaration that has none, and its least sizes. */
export const leaf = { fields: new Map<string, Declared>(), items: undefined, rest: undefined, most: 0, least: 2 }

/** The greatest size of a request. */
export const mostBytes = 3 * 1024 * 1024

/** Returns the limit of a keyword such as `maxItems`. */
export function limitOf(schema: MapValue, keyword: string): number | undefined {
  const limit = own(schema, keyword)
  return typeof limit === "number" ? Math.max(0, limit) : undefined
}

function mostOfText(schema: MapValue): number {
  const limit = limitOf(schema, "maxLength")
  // A character has up to four bytes.
  if (limit !== undefined) return 4 * limit
  const values = isTrue(schema, "x-kubernetes-int-or-string") ? [] : listAt(schema, "enum")
  if (values.length === 0) return mostBytes - 2
  return Math.max(...values.map(value => (typeof value === "string" ? byteLength(value) : 0)))
}

function wholeNumber(value: Value): unknown {
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0))
}

/** Returns a function like `read` that reads each list and map once: expressions at several levels see the same values. */
function memoized(read: (value: Value) => unknown): (value: Value) => unknown {
  const readParts = oncePer(read as (value: ListValue | MapValue) => object)
  return value => (typeof value === "object" && value !== null ? readParts(value) : read(value))
}

/** The lists whose order does not matter. Lists of type set are Sets instead. */
const associative = new WeakSet<readonly unknown[]>()

/** Whether two values of expressions are equal. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (isListLike(a) && isListLike(b)) return isSameList(a, b)
  if (a instanceof Map && b instanceof Map) {
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && isSame(value, b.get(key)))
  }
  if (a instanceof Uint8Array && b instanceof Uint8Array) return equalValues([...a], [...b])
  if (typeof a !== typeof b && isNumber(a) && isNumber(b)) return Number(a) === Number(b)
  // Times and durations are compared by value.
  return typeof a === "object" && a !== null && b !== null && typeof b === "object" && a.valueOf() === b.valueOf()
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint"
}

/** A list in an expression. */
export type ListLike = readonly unknown[] | ReadonlySet<unknown>

function isListLike(value: unknown): value is ListLike {
  return Array.isArray(value) || value instanceof Set
}

function isSameList(a: ListLike, b: ListLike): boolean {
  const anyOrder = [a, b].some(list => list instanceof Set || associative.has(list as readonly unknown[]))
  const first = [...a]
  const second = [...b]
  if (first.length !== second.length) return false
  return anyOrder ? areAmong(first, second) : first.every((item, i) => isSame(item, second[i]))
}

/** Whether each item is equal to one of the others. */
function areAmong(items: readonly unknown[], others: readonly unknown[]): boolean {
  const byText = groupBy(others, bucketOf)
  const meter = runningMeter()
  return items.every(item => {
    const alike = byText.get(bucketOf(item)) ?? []
    meter.spend(alike.length)
    return alike.some(other => isSame(item, other))
  })
}

/** Returns a text that is the same for equal values, and seldom for others. */
function bucketOf(value: unknown): string {
  if (isListLike(value)) return `[${[...value].map(bucketOf).sort().join()}]`
  if (value instanceof Map) {
    return `{${[...value]
      .map(([key, inner]) => `${key}:${bucketOf(inner)}`)
      .sort()
      .join()}}`
  }
  return isNumber(value) ? String(Number(value)) : String(value)
}
