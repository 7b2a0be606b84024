// JSON patches (RFC 6902) as an API server applies them.
//
// Not with the package rfc6902: it changes its input, drops keys named `__proto__`, does not walk through those named
// `constructor`, and knows neither negative indexes nor an API server's words. What would be left to it is one splice.
import { equalValues } from "../value/equal.js"
import { goTypeName } from "../value/format.js"
import { copyMap, own, put } from "../value/object.js"
import { quoteGo } from "../value/quote.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
import { PatchError } from "./patch-error.js"

/**
 * The value with a JSON patch (RFC 6902) applied; shares what did not change, and changes neither. Beyond the RFC, an API server
 * counts negative indexes from the end of a list, and takes a value that a map lacks for null where it is replaced, moved or
 * copied. Throws a PatchError with an API server's words: status 400 for what is no JSON patch, 422 where an operation does not
 * apply.
 */
export function jsonPatch(live: MapValue, patch: Value): Value {
  if (!isList(patch)) throw undecodable(patch, "jsonpatch.Patch")
  for (const operation of patch) {
    if (!isMap(operation) && operation !== null) throw undecodable(operation, "jsonpatch.Operation")
  }
  let document: Value = live
  for (const operation of patch) document = applied(document, (operation ?? {}) as MapValue)
  return document
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

function applied(document: Value, operation: MapValue): Value {
  const op = own(operation, "op")
  switch (op) {
    case "add":
      return added(document, operation)
    case "remove":
      return removed(document, operation)
    case "replace":
      return replaced(document, operation)
    case "move":
    case "copy":
      return transferred(document, op, operation)
    case "test":
      return tested(document, operation)
    default:
      throw refused(`Unexpected kind: ${typeof op === "string" ? op : "unknown"}`)
  }
}

function pathOf(operation: MapValue, otherwise: string, member = "path"): string {
  const path = own(operation, member)
  if (typeof path !== "string") throw refused(otherwise)
  return path
}

/** The place, or undefined if what it would be in is not there. */
function placeAt(document: Value, path: string): Place | undefined {
  const [, ...tokens] = path.split("/")
  const keys = tokens.map(token => token.replace(/~[01]/g, found => (found === "~1" ? "/" : "~")))
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

/** The document with another container at the end of the way. */
function withContainer(document: Value, way: readonly Step[], container: ListValue | MapValue, depth = 0): Value {
  const step = way[depth]
  if (step === undefined) return container
  if (isList(document)) {
    return document.map((item, i) => (i === step ? withContainer(item, way, container, depth + 1) : item))
  }
  const out = copyMap(document as MapValue)
  put(out, step as string, withContainer(own(out, step as string) as Value, way, container, depth + 1))
  return out
}

function added(document: Value, operation: MapValue): Value {
  const path = pathOf(operation, "add operation failed to decode path: missing value")
  const place = placeAt(document, path)
  if (place === undefined) throw refused(`add operation does not apply: doc is missing path: "${path}": missing value`)
  return inserted(document, place, own(operation, "value") ?? null, `error in add for path: '${path}': `)
}

/** The document with the value put in at the place; `error` begins the message if it can't be. */
function inserted(document: Value, { parent, way, key }: Place, value: Value, error: string): Value {
  if (!isList(parent)) {
    const out = copyMap(parent)
    put(out, key, value)
    return withContainer(document, way, out)
  }
  const index = key === "-" ? parent.length : numberOf(key)
  if (index === undefined) throw refused(`${error}value was not a proper array index: '${key}': ${badNumber(key)}`)
  if (index > parent.length || index < -parent.length - 1) throw refused(error + outside(index))
  const at = index < 0 ? index + parent.length + 1 : index
  return withContainer(document, way, parent.toSpliced(at, 0, value))
}

function removed(document: Value, operation: MapValue): Value {
  const path = pathOf(operation, "remove operation failed to decode path: missing value")
  const place = placeAt(document, path)
  if (place === undefined) {
    throw refused(`remove operation does not apply: doc is missing path: "${path}": missing value`)
  }
  return without(document, place, `error in remove for path: '${path}': `)
}

function without(document: Value, { parent, way, key }: Place, error: string): Value {
  if (isList(parent)) {
    const index = indexIn(parent, key)
    if (typeof index !== "number") throw refused(error + index.problem)
    return withContainer(document, way, parent.toSpliced(index, 1))
  }
  if (own(parent, key) === undefined) throw refused(`${error}Unable to remove nonexistent key: ${key}: missing value`)
  const out = copyMap(parent)
  delete out[key]
  return withContainer(document, way, out)
}

function replaced(document: Value, operation: MapValue): Value {
  const missing = "replace operation failed to decode path: operation missing path field: missing value"
  const path = pathOf(operation, missing)
  const value = own(operation, "value") ?? null
  if (path === "") {
    if (isList(value) || isMap(value)) return value
    throw refused("replace operation value must be object or array: %!w(<nil>)")
  }
  const place = placeAt(document, path)
  if (place === undefined)
    throw refused(`replace operation does not apply: doc is missing path: ${path}: missing value`)
  const { parent, way, key } = place
  if (!isList(parent)) return inserted(document, place, value, "")
  const index = indexIn(parent, key)
  if (typeof index !== "number") {
    throw refused(`replace operation does not apply: doc is missing key: ${path}: missing value`)
  }
  return withContainer(document, way, parent.with(index, value))
}

function transferred(document: Value, op: "move" | "copy", operation: MapValue): Value {
  const unnamed = `${op} operation failed to decode from: operation, missing from field: missing value`
  const from = pathOf(operation, unnamed, "from")
  const source = placeAt(document, from)
  if (source === undefined) {
    throw refused(`${op} operation does not apply: doc is missing from path: ${from}: missing value`)
  }
  const found = valueIn(source)
  const error = op === "move" ? `error in move for path: '${source.key}': ` : `error in copy for from: '${from}': `
  if ("problem" in found) throw refused(error + found.problem)
  const rest = op === "move" ? without(document, source, error) : document
  const missing = op === "move" ? "operation missing path field: missing value" : "missing value"
  const path = pathOf(operation, `${op} operation failed to decode path: ${missing}`)
  const place = placeAt(rest, path)
  if (place === undefined) {
    throw refused(`${op} operation does not apply: doc is missing destination path: ${path}: missing value`)
  }
  const target = op === "move" ? `error in move for path: '${path}': ` : "error while adding value during copy: "
  return inserted(rest, place, found.value ?? null, target)
}

function tested(document: Value, operation: MapValue): Value {
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
  return document
}
