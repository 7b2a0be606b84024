// Patches of live objects, and the words in which a server refuses them.
import { formatGoJson } from "../json/json.js"
import { invalid, type RequestFailure } from "../kinds/refusal/failure.js"
import { quoteGo } from "../value/quote.js"
import { isList, type ListValue, type MapValue, type Value } from "../value/value.js"
import { jsonPatch } from "./patches/json-patch.js"
import { mergePatch } from "./patches/merge-patch.js"
import { PatchError, refusedPatch } from "./patches/patch-error.js"
import { strictWithoutText } from "./strict.js"
import type { Patched } from "./write.js"

/** The live object with a JSON patch, which is a list, or a merge patch. Throws a RequestFailure if the patch can't be applied. */
export function withPatch(live: MapValue, patch: MapValue | ListValue): Value {
  return orRefused(() => (isList(patch) ? jsonPatch(live, patch) : mergePatch(live, patch)))
}

/** What a patch makes. Throws a RequestFailure if the patch can't be applied. */
export function orRefused(patch: () => Value): Value {
  try {
    return patch()
  } catch (error) {
    throw error instanceof PatchError ? refusedPatch(error) : error
  }
}

/** The object that a patch made, if the patch has no text with problems of its own. */
export function patchedTo(value: Value): Patched {
  return { value, strictly: strictWithoutText, refusal: why => invalidPatch(formatGoJson(value), why) }
}

/** The patch, or what it made of the object, is no object of the kind. */
export function invalidPatch(shown: string, why: string): RequestFailure {
  const message = `Invalid value: ${quoteGo(shown)}: ${why}`
  return invalid({ group: "", name: "" }, "", [{ reason: "FieldValueInvalid", field: "patch", message }])
}
