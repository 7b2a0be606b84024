// Patches: what an object becomes by a merge patch or a JSON patch. Applies and strategic merge patches have files of their own.
import { applyPatch, type Operation } from "rfc6902"
import { hasCode } from "../errors.js"
import { copyMap, own, put } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { badRequest, RequestFailure } from "./failure.js"

/** The value with the patch merged into it (RFC 7386): null removes, maps are merged, all else is replaced. */
export function mergePatch(value: Value | undefined, patch: Value): Value {
  if (!isMap(patch)) return patch
  const base = isMap(value) ? value : {}
  const out: Record<string, Value> = copyMap(base)
  for (const key in patch) {
    const change = own(patch, key) as Value
    if (change === null) delete out[key]
    else put(out, key, mergePatch(own(base, key), change))
  }
  return out
}

/** How many operations a JSON patch may have. */
const mostOperations = 10_000

/** The object after the operations of a JSON patch (RFC 6902). Throws a RequestFailure if it is malformed or can't be made. */
export function jsonPatch(object: MapValue, patch: Value): Value {
  if (!isList(patch)) throw badRequest("json: cannot unmarshal object into Go value of type jsonpatch.Patch")
  if (patch.length > mostOperations) {
    const message = `The allowed maximum operations in a JSON patch is ${mostOperations}, got ${patch.length}`
    throw new RequestFailure(413, message, "RequestEntityTooLarge", {})
  }
  // The library writes into what it is given.
  const copy = structuredClone(object) as MapValue
  const document = { root: copy }
  const operations = patch.map(operation => rooted(operation))
  let failures: readonly (Error | null)[]
  try {
    failures = applyPatch(document, operations)
  } catch (error) {
    if (hasCode(error) || !(error instanceof Error)) throw error
    failures = [error]
  }
  if (failures.some(failure => failure !== null)) throw unprocessable()
  return document.root
}

/** What the server says when a JSON patch can't be made, a failed test included. */
function unprocessable(): RequestFailure {
  return new RequestFailure(422, "the server rejected our request due to an error in our request", "Invalid", {})
}

/** The operation on a document that has the object at `/root`, so that it can also replace the whole. */
function rooted(operation: Value): Operation {
  if (!isMap(operation)) throw badRequest("json: cannot unmarshal into Go value of type jsonpatch.Operation")
  const pathOf = (key: string) => {
    const path = own(operation, key)
    return typeof path === "string" ? { [key]: `/root${path}` } : {}
  }
  return { ...operation, ...pathOf("path"), ...pathOf("from") } as unknown as Operation
}
