// JSON patches (RFC 6902) as an API server applies them.
//
// We do not use the package rfc6902: it mutates its input, mishandles `__proto__` and `constructor`, and lacks negative indexes and the
// server's messages.

import { formatGoJson } from "../../json/json.js"
import { byteLength } from "../../value/bytes.js"
import { equalValues } from "../../value/equal.js"
import { goTypeName } from "../../value/format.js"
import { copyMap, own, put } from "../../value/object.js"
import { parsePointer } from "../../value/pointer.js"
import { quoteGo } from "../../value/quote.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { PatchError } from "./patch-error.js"

/** An API server's limits: how many operations a patch may have, and how many bytes of JSON its `copy` operations may add. */
const mostOperations = 10_000
const mostCopied = 3 * 1024 * 1024

/**
 * Applies a JSON patch (RFC 6902) and returns the result, which shares every unchanged part with `live`. Changes neither `live` nor the
 * patch. Beyond the RFC, an API server counts negative indexes from the end of a list, and treats an absent key of a map as null when its
 * value is replaced, moved or copied. Throws a PatchError with an API server's words. Its status is 400 for a value that is not a JSON patch,
 * and 413 for more than 10,000 operations. It is 422 if an operation does not apply, or if all copies together add more than 3 MB.
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
 * A document that is being changed. Each list and map is copied before its first change, and further changes are made to the copy: a thousand
 * changes to a list copy it once.
 */
class Draft {
  document: Value
  /** The lists and maps that the draft has copied. A list or map that contains one of them is also one of them. */
  private readonly fresh = new Set<Value>()
  private copied = 0

  constructor(document: Value) {
    this.document = document
  }

  /** Returns the list or map at `steps`, which the caller may change. */
  open(steps: readonly Step[]): Value[] | Record<string, Value> {
    let at = (this.document = this.owned(this.document))
    for (const step of steps) {
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

  /** Returns the value, to be put into a second place. Throws a PatchError if the copies together have too many bytes. */
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

  /** Marks the value and its parts as parts of two places: they must be copied again before they change. */
  private share(value: Value): void {
    if (!this.fresh.delete(value)) return
    for (const inner of isList(value) ? value : Object.values(value as MapValue)) this.share(inner)
  }
}

type Step = string | number

/** The target of an operation: the list or map that contains it, the steps to that, and the key in it. */
interface Target {
  readonly parent: ListValue | MapValue
  readonly steps: readonly Step[]
  readonly key: string
}

function undecodable(value: Value, type: string): PatchError {
  const names: Readonly<Record<string, string>> = { bool: "bool", string: "string", int64: "number", float64: "number" }
  const name = isList(value) ? "array" : isMap(value) ? "object" : (names[goTypeName(value)] ?? "null")
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

/** Finds the target of a path. Returns undefined if the list or map that would contain it does not exist. */
function targetAt(document: Value, path: string): Target | undefined {
  const keys = parsePointer(path)
  const key = keys.pop()
  if (key === undefined) return undefined
  const steps: Step[] = []
  let parent: Value | undefined = document
  for (const name of keys) {
    if (isList(parent)) {
      const index = indexIn(parent, name)
      if (typeof index !== "number") return undefined
      steps.push(index)
      parent = parent[index]
    } else {
      steps.push(name)
      parent = isMap(parent) ? own(parent, name) : undefined
    }
  }
  return isList(parent) || isMap(parent) ? { parent, steps, key } : undefined
}

interface Problem {
  readonly problem: string
}

/** Returns the index of an existing item, or the problem of an index without an item. */
function indexIn(list: ListValue, key: string): number | Problem {
  const index = readInteger(key)
  if (index === undefined) return { problem: badNumber(key) }
  if (index < -list.length || index >= list.length) return { problem: outside(index) }
  return index < 0 ? index + list.length : index
}

/** Reads an integer as Go's `Atoi` does. */
function readInteger(key: string): number | undefined {
  return /^[+-]?\d+$/.test(key) ? Number(key) : undefined
}

function badNumber(key: string): string {
  return `strconv.Atoi: parsing ${quoteGo(key)}: invalid syntax`
}

function outside(index: number): string {
  return `Unable to access invalid index: ${index}: invalid index referenced`
}

/** Returns the value of a target; undefined if a map lacks its key. */
function targetValue({ parent, key }: Target): { readonly value: Value | undefined } | Problem {
  if (!isList(parent)) return { value: own(parent, key) }
  const index = indexIn(parent, key)
  return typeof index === "number" ? { value: parent[index] } : index
}

function add(draft: Draft, operation: MapValue): void {
  const path = pathOf(operation, "add operation failed to decode path: missing value")
  const target = targetAt(draft.document, path)
  if (target === undefined) throw refused(`add operation does not apply: doc is missing path: "${path}": missing value`)
  insert(draft, target, own(operation, "value") ?? null, `error in add for path: '${path}': `)
}

/** Puts a value into the target. If that is impossible, the message begins with `error`. */
function insert(draft: Draft, { parent, steps, key }: Target, value: Value, error: string): void {
  if (!isList(parent)) {
    put(draft.open(steps) as Record<string, Value>, key, value)
    return
  }
  const index = key === "-" ? parent.length : readInteger(key)
  if (index === undefined) throw refused(`${error}value was not a proper array index: '${key}': ${badNumber(key)}`)
  if (index > parent.length || index < -parent.length - 1) throw refused(error + outside(index))
  const at = index < 0 ? index + parent.length + 1 : index
  ;(draft.open(steps) as Value[]).splice(at, 0, value)
}

function remove(draft: Draft, operation: MapValue): void {
  const path = pathOf(operation, "remove operation failed to decode path: missing value")
  const target = targetAt(draft.document, path)
  if (target === undefined) {
    throw refused(`remove operation does not apply: doc is missing path: "${path}": missing value`)
  }
  take(draft, target, `error in remove for path: '${path}': `)
}

function take(draft: Draft, { parent, steps, key }: Target, error: string): void {
  if (isList(parent)) {
    const index = indexIn(parent, key)
    if (typeof index !== "number") throw refused(error + index.problem)
    ;(draft.open(steps) as Value[]).splice(index, 1)
    return
  }
  if (own(parent, key) === undefined) throw refused(`${error}Unable to remove nonexistent key: ${key}: missing value`)
  delete (draft.open(steps) as Record<string, Value>)[key]
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
  const target = targetAt(draft.document, path)
  if (target === undefined)
    throw refused(`replace operation does not apply: doc is missing path: ${path}: missing value`)
  const { parent, steps, key } = target
  if (!isList(parent)) {
    insert(draft, target, value, "")
    return
  }
  const index = indexIn(parent, key)
  if (typeof index !== "number") {
    throw refused(`replace operation does not apply: doc is missing key: ${path}: missing value`)
  }
  ;(draft.open(steps) as Value[])[index] = value
}

function transfer(draft: Draft, op: "move" | "copy", operation: MapValue): void {
  const unnamed = `${op} operation failed to decode from: operation, missing from field: missing value`
  const from = pathOf(operation, unnamed, "from")
  const source = targetAt(draft.document, from)
  if (source === undefined) {
    throw refused(`${op} operation does not apply: doc is missing from path: ${from}: missing value`)
  }
  const sourceValue = targetValue(source)
  const error = op === "move" ? `error in move for path: '${source.key}': ` : `error in copy for from: '${from}': `
  if ("problem" in sourceValue) throw refused(error + sourceValue.problem)
  if (op === "move") take(draft, source, error)
  const missing = op === "move" ? "operation missing path field: missing value" : "missing value"
  const path = pathOf(operation, `${op} operation failed to decode path: ${missing}`)
  const target = targetAt(draft.document, path)
  if (target === undefined) {
    throw refused(`${op} operation does not apply: doc is missing destination path: ${path}: missing value`)
  }
  const addError = op === "move" ? `error in move for path: '${path}': ` : "error while adding value during copy: "
  insert(draft, target, op === "copy" ? draft.copy(sourceValue.value) : (sourceValue.value ?? null), addError)
}

function test({ document }: Draft, operation: MapValue): void {
  const path = pathOf(operation, "test operation failed to decode path: operation missing path field: missing value")
  const expected = own(operation, "value") ?? null
  let value: Value = document
  if (path !== "") {
    const target = targetAt(document, path)
    if (target === undefined) throw refused(`test operation does not apply: is missing path: ${path}: missing value`)
    const atTarget = targetValue(target)
    if ("problem" in atTarget) throw refused(`error in test for path: '${path}': ${atTarget.problem}`)
    value = atTarget.value ?? null
  }
  if (!equalValues(value, expected)) throw refused(`testing value ${path} failed: test failed`)
}

const changes: ReadonlyMap<string, (draft: Draft, operation: MapValue) => void> = new Map([
  ["add", add],
  ["remove", remove],
  ["replace", replace],
  ["move", (draft: Draft, operation: MapValue) => transfer(draft, "move", operation)],
  ["copy", (draft: Draft, operation: MapValue) => transfer(draft, "copy", operation)],
  ["test", test],
])
