// Patches of live objects, and a server's refusals of them.
import { formatGoJson } from "../json/json.js"
import { invalid, type RequestFailure } from "../kinds/refusal/failure.js"
import { quoteGo } from "../value/quote.js"
import { isList, type ListValue, type MapValue, type Value } from "../value/value.js"
import { jsonPatch } from "./patches/json-patch.js"
import { mergePatch } from "./patches/merge-patch.js"
import { PatchError, refusedPatch } from "./patches/patch-error.js"
import { strictWithoutText } from "./strict.js"
import type { PatchedObject } from "./write.js"

/** Applies a patch: a list is a JSON patch, a map is a merge patch. Throws a RequestFailure if the patch can't be applied. */
export function withPatch(live: MapValue, patch: MapValue | ListValue): Value {
  return refusingPatchErrors(() => (isList(patch) ? jsonPatch(live, patch) : mergePatch(live, patch)))
}

/** Returns the result of `patch`. A PatchError that it throws becomes a RequestFailure. */
export function refusingPatchErrors(patch: () => Value): Value {
  try {
    return patch()
  } catch (error) {
    throw error instanceof PatchError ? refusedPatch(error) : error
  }
}

/** The result of a patch that has no text, so a strict reader only reports unknown fields. */
export function patchedTo(value: Value): PatchedObject {
  return { value, strictly: strictWithoutText, refusal: why => invalidPatch(formatGoJson(value), why) }
}

/** The refusal of a patch whose result does not fit its type. `text` is the patch, or the result as JSON. */
export function invalidPatch(text: string, why: string): RequestFailure {
  const message = `Invalid value: ${quoteGo(text)}: ${why}`
  return invalid({ group: "", name: "" }, "", [{ reason: "FieldValueInvalid", field: "patch", message }])
}
