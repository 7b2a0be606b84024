// Patches of live objects, and a server's refusals of them.
import { formatGoJson } from "../json/json.js"
import { invalid, type RequestFailure } from "../kinds/refusal/failure.js"
import { kubernetesTypeName } from "../kubernetes/types.js"
import { objectKindOf } from "../schema/group-version-kind.js"
import { compareStrings } from "../value/compare.js"
import { own } from "../value/object.js"
import { quoteGo } from "../value/quote.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"
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
export function patchedTo(value: Value, live: MapValue): PatchedObject {
  return { value, strictly: strictWithoutText, refusal: why => invalidPatch(patchedText(value, live), why) }
}

/** The fields of metadata, and of the items of its lists, in the order of the Go structs. */
const goOrder: Readonly<Record<string, string>> = {
  metadata:
    "name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp " +
    "deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields",
  ownerReferences: "apiVersion kind name uid controller blockOwnerDeletion",
  managedFields: "manager operation apiVersion time fieldsType fieldsV1 subresource",
}

/** Returns a patched object as JSON. The keys of maps are sorted, but metadata of a Go type that the patch leaves alone has Go's order. */
export function patchedText(value: Value, live: MapValue): string {
  const { apiVersion, kind } = objectKindOf(live)
  const hasGoType = kubernetesTypeName(apiVersion, kind) !== undefined
  if (!isMap(value) || !hasGoType || own(value, "metadata") !== own(live, "metadata")) return formatGoJson(value)
  return memberText(value, Object.keys(value).sort(compareStrings))
}

function memberText(map: MapValue, keys: readonly string[]): string {
  const text = (key: string, value: Value): string => {
    const order = goOrder[key]?.split(" ")
    if (order !== undefined && isList(value)) return `[${value.map(item => text(key, item)).join()}]`
    return order !== undefined && isMap(value) ? memberText(value, order) : formatGoJson(value)
  }
  const present = keys.filter(key => own(map, key) !== undefined)
  return `{${present.map(key => `${formatGoJson(key)}:${text(key, own(map, key) as Value)}`).join()}}`
}

/** The refusal of a patch whose result does not fit its type. `text` is the patch, or the result as JSON. */
export function invalidPatch(text: string, why: string): RequestFailure {
  const message = `Invalid value: ${quoteGo(text)}: ${why}`
  return invalid({ group: "", name: "" }, "", [{ reason: "FieldValueInvalid", field: "patch", message }])
}
