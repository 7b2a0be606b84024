// JSON patches (RFC 6902) as an API server applies them.
//
// Not with the package rfc6902: it changes its input, drops keys named `__proto__`, does not walk through those named
// `constructor`, and knows neither negative indexes nor an API server's words. What would be left to it is one splice.

import { formatGoJson } from "../../json/json.js"
import { byteLength } from "../../value/bytes.js"
import { equalValues } from "../../value/equal.js"
import { goTypeName } from "../../value/format.js"
import { copyMap, own, put } from "../../value/object.js"
import { parsePointer } from "../../value/pointer.js"
import { quoteGo } from "../../value/quote.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { PatchError } from "./patch-error.js"

/** How many operations a patch may have, and how many bytes of JSON its operations `copy` may add: the limits of an API server. */
const mostOperations = 10_000
const mostCopied = 3 * 1024 * 1024

/**
 * The value with a JSON patch (RFC 6902) applied; shares what did not change, and changes neither. Beyond the RFC, an API server
 * counts negative indexes from the end of a list, and takes a value that a map lacks for null where it is replaced, moved or
 * copied. Throws a PatchError with an API server's words: status 400 for what is no JSON patch, 413 for more than 10,000 operations,
 * and 422 where an operation does not apply, or all copies together add more than 3 MB.
 */
export function jsonPatch(live: MapValue, patch: Value): Value {
  if (!isList(patch)) throw undecodable(patch, "jsonpatch.Patch")
  for (const operation of patch) {
    if (!isMap(operation) && operation !== null) throw undecodable(operation, "jsonpatch.Operation")
  }
  if (patch.length > mostOperations) {
    const limit = `The allowed maximum operations in a JSON patch is ${mostOperations}, got ${patch.length}`
    throw new PatchError(413, `Request entity too large: ${limit}`)
  }
  const draft = new Draft(live)
  for (const operation of patch) apply(draft, (operation ?? {}) as MapValue)
  return draft.document
}

/**
 * A document that is being changed. Each list and map is copied before the first change to it, and the copies are changed in place: a
 * thousand changes to a list copy it once.
 */
class Draft {
  document: Value
  /** The lists and maps that are the draft's own. Whatever holds one of them is one too. */
  private readonly fresh = new Set<Value>()
  private copied = 0

  constructor(document: Value) {
    this.document = document
  }

  /** The list or map at the end of the way, to be changed. */
  open(way: readonly Step[]): Value[] | Record<string, Value> {
    let at = (this.document = this.owned(this.document))
    for (const step of way) {
      const next = this.owned((isList(at) ? at[step as number] : own(at as MapValue, step as string)) as Value)
      if (isList(at)) (at as Value[])[step as number] = next
      else put(at as Record<string, Value>, step as string, next)
      at = next
    }
    return at as Value[] | Record<string, Value>
  }

  private owned(container: Value): Value {
    if (this.fresh.has(container)) return container
    const copy = isList(container) ? [...container] : copyMap(container as MapValue)
    this.fresh.add(copy)
    return copy
  }

  /** The value, to be put elsewhere too. Throws a PatchError where such values add too many bytes together. */
  copy(value: Value | undefined): Value {
    if (value === undefined || value === null) return null
    this.copied += byteLength(formatGoJson(value))
    if (this.copied > mostCopied) {
      const sizes = `${this.copied}, exceeding the limit ${mostCopied}`
      throw refused(`Unable to complete the copy, the accumulated size increase of copy is ${sizes}`)
    }
    this.share(value)
    return value
  }

  /** What is in two places can't be changed in place any more. */
  private share(value: Value): void {
    if (!this.fresh.delete(value)) return
    for (const inner of isList(value) ? value : Object.values(value as MapValue)) this.share(inner)
  }
}

type Step = string | number

/** A place that an operation is about: what it is in, the way there, and its key there. */
interface Place {
  readonly parent: ListValue | MapValue
  readonly way: readonly Step[]
  readonly key: string
}

function undecodable(found: Value, type: string): PatchError {
  const names: Readonly<Record<string, string>> = { bool: "bool", string: "string", int64: "number", float64: "number" }
  const name = isList(found) ? "array" : isMap(found) ? "object" : (names[goTypeName(found)] ?? "null")
  return new PatchError(400, `json: cannot unmarshal ${name} into Go value of type ${type}`)
}

function refused(message: string): PatchError {
  return new PatchError(422, message)
}

function apply(draft: Draft, operation: MapValue): void {
  const op = own(operation, "op")
  const change = typeof op === "string" ? changes.get(op) : undefined
  if (change === undefined) throw refused(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`)
  change(draft, operation)
}

function pathOf(operation: MapValue, otherwise: string, member = "path"): string {
  const path = own(operation, member)
  if (typeof path !== "string") throw refused(otherwise)
  return path
}

/** The place, or undefined if what it would be in is not there. */
function placeAt(document: Value, path: string): Place | undefined {
  const keys = parsePointer(path)
  const key = keys.pop()
  if (key === undefined) return undefined
  const way: Step[] = []
  let parent: Value | undefined = document
  for (const name of keys) {
    if (isList(parent)) {
      const index = indexIn(parent, name)
      if (typeof index !== "number") return undefined
      way.push(index)
      parent = parent[index]
    } else {
      way.push(name)
      parent = isMap(parent) ? own(parent, name) : undefined
    }
  }
  return isList(parent) || isMap(parent) ? { parent, way, key } : undefined
}

interface Problem {
  readonly problem: string
}

/** The index of an item that exists, or why there is none. */
function indexIn(list: ListValue, key: string): number | Problem {
  const index = numberOf(key)
  if (index === undefined) return { problem: badNumber(key) }
  if (index < -list.length || index >= list.length) return { problem: outside(index) }
  return index < 0 ? index + list.length : index
}

/** The integer as Go's `Atoi` reads it. */
function numberOf(key: string): number | undefined {
  return /^[+-]?\d+$/.test(key) ? Number(key) : undefined
}

function badNumber(key: string): string {
  return `strconv.Atoi: parsing ${quoteGo(key)}: invalid syntax`
}

function outside(index: number): string {
  return `Unable to access invalid index: ${index}: invalid index referenced`
}

/** The value at the place; undefined where a map lacks it. */
function valueIn({ parent, key }: Place): { readonly value: Value | undefined } | Problem {
  if (!isList(parent)) return { value: own(parent, key) }
  const index = indexIn(parent, key)
  return typeof index === "number" ? { value: parent[index] } : index
}

function add(draft: Draft, operation: MapValue): void {
  const path = pathOf(operation, "add operation failed to decode path: missing value")
  const place = placeAt(draft.document, path)
  if (place === undefined) throw refused(`add operation does not apply: doc is missing path: "${path}": missing value`)
  insert(draft, place, own(operation, "value") ?? null, `error in add for path: '${path}': `)
}

/** Puts the value in at the place; `error` begins the message if it can't be. */
function insert(draft: Draft, { parent, way, key }: Place, value: Value, error: string): void {
  if (!isList(parent)) {
    put(draft.open(way) as Record<string, Value>, key, value)
    return
  }
  const index = key === "-" ? parent.length : numberOf(key)
  if (index === undefined) throw refused(`${error}value was not a proper array index: '${key}': ${badNumber(key)}`)
  if (index > parent.length || index < -parent.length - 1) throw refused(error + outside(index))
  const at = index < 0 ? index + parent.length + 1 : index
  ;(draft.open(way) as Value[]).splice(at, 0, value)
}

function remove(draft: Draft, operation: MapValue): void {
  const path = pathOf(operation, "remove operation failed to decode path: missing value")
  const place = placeAt(draft.document, path)
  if (place === undefined) {
    throw refused(`remove operation does not apply: doc is missing path: "${path}": missing value`)
  }
  take(draft, place, `error in remove for path: '${path}': `)
}

function take(draft: Draft, { parent, way, key }: Place, error: string): void {
  if (isList(parent)) {
    const index = indexIn(parent, key)
    if (typeof index !== "number") throw refused(error + index.problem)
    ;(draft.open(way) as Value[]).splice(index, 1)
    return
  }
  if (own(parent, key) === undefined) throw refused(`${error}Unable to remove nonexistent key: ${key}: missing value`)
  delete (draft.open(way) as Record<string, Value>)[key]
}

function replace(draft: Draft, operation: MapValue): void {
  const missing = "replace operation failed to decode path: operation missing path field: missing value"
  const path = pathOf(operation, missing)
  const value = own(operation, "value") ?? null
  if (path === "") {
    if (!isList(value) && !isMap(value)) throw refused("replace operation value must be object or array: %!w(<nil>)")
    draft.document = value
    return
  }
  const place = placeAt(draft.document, path)
  if (place === undefined)
    throw refused(`replace operation does not apply: doc is missing path: ${path}: missing value`)
  const { parent, way, key } = place
  if (!isList(parent)) {
    insert(draft, place, value, "")
    return
  }
  const index = indexIn(parent, key)
  if (typeof index !== "number") {
    throw refused(`replace operation does not apply: doc is missing key: ${path}: missing value`)
  }
  ;(draft.open(way) as Value[])[index] = value
}

function transfer(draft: Draft, op: "move" | "copy", operation: MapValue): void {
  const unnamed = `${op} operation failed to decode from: operation, missing from field: missing value`
  const from = pathOf(operation, unnamed, "from")
  const source = placeAt(draft.document, from)
  if (source === undefined) {
    throw refused(`${op} operation does not apply: doc is missing from path: ${from}: missing value`)
  }
  const found = valueIn(source)
  const error = op === "move" ? `error in move for path: '${source.key}': ` : `error in copy for from: '${from}': `
  if ("problem" in found) throw refused(error + found.problem)
  if (op === "move") take(draft, source, error)
  const missing = op === "move" ? "operation missing path field: missing value" : "missing value"
  const path = pathOf(operation, `${op} operation failed to decode path: ${missing}`)
  const place = placeAt(draft.document, path)
  if (place === undefined) {
    throw refused(`${op} operation does not apply: doc is missing destination path: ${path}: missing value`)
  }
  const target = op === "move" ? `error in move for path: '${path}': ` : "error while adding value during copy: "
  insert(draft, place, op === "copy" ? draft.copy(found.value) : (found.value ?? null), target)
}

function test({ document }: Draft, operation: MapValue): void {
  const path = pathOf(operation, "test operation failed to decode path: operation missing path field: missing value")
  const expected = own(operation, "value") ?? null
  let found: Value = document
  if (path !== "") {
    const place = placeAt(document, path)
    if (place === undefined) throw refused(`test operation does not apply: is missing path: ${path}: missing value`)
    const there = valueIn(place)
    if ("problem" in there) throw refused(`error in test for path: '${path}': ${there.problem}`)
    found = there.value ?? null
  }
  if (!equalValues(found, expected)) throw refused(`testing value ${path} failed: test failed`)
}

const changes: ReadonlyMap<string, (draft: Draft, operation: MapValue) => void> = new Map([
  ["add", add],
  ["remove", remove],
  ["replace", replace],
  ["move", (draft: Draft, operation: MapValue) => transfer(draft, "move", operation)],
  ["copy", (draft: Draft, operation: MapValue) => transfer(draft, "copy", operation)],
  ["test", test],
])
