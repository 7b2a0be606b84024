// Patches in the bodies of requests: the media types that a server accepts, and the patched objects.

import { badRequest, notImplemented, RequestFailure, unsupportedMediaType } from "../kinds/refusal/failure.js"
import { jsonType } from "../kinds/shape/go-decode.js"
import { objectKindOf } from "../schema/group-version-kind.js"
import { compareStrings } from "../value/compare.js"
import { goPrint } from "../value/format.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import type { WriteOptions } from "../write/options.js"
import { invalidPatch, patchedText, refusingPatchErrors } from "../write/patch.js"
import { jsonPatch } from "../write/patches/json-patch.js"
import { mergePatch } from "../write/patches/merge-patch.js"
import { strictWithoutText } from "../write/strict.js"
import type { PatchedObject } from "../write/write.js"
import { checkExpandedSize, decodeJson, patchTypes } from "./request/body.js"
import { duplicateField, duplicateFields } from "./request/strict.js"
import { conversionProblem, remainingPatch } from "./strategic-merge/go-conversion.js"
import { patchTypeOf } from "./strategic-merge/patch-keys.js"
import { strategicMerge } from "./strategic-merge/strategic-merge.js"

/** A patch as the request sends it. */
export interface Patch {
  /** One of `patchTypes`. */
  readonly type: string
  readonly text: string
  readonly options: WriteOptions
}

/** Throws a RequestFailure if a server takes no patches of this media type. Custom resources have no strategic merge patches. */
export function requirePatchType(type: string, isCustom: boolean): void {
  const { strategic: _, ...forCustom } = patchTypes
  const accepted: string[] = Object.values(isCustom ? forCustom : patchTypes)
  if (!accepted.includes(type)) {
    if (!isCustom) throw new RequestFailure(415, "415: Unsupported Media Type", "UnsupportedMediaType", {})
    const types = accepted.join(", ")
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${types}`,
    )
  }
}

/** Returns the patched object, with the refusal for a result that does not fit its type. Throws a RequestFailure if the patch can't be applied. */
export function patchedObject(live: MapValue, patch: Patch): PatchedObject {
  const { type, text } = patch
  const value = applyPatch(live, patch)
  checkExpandedSize(value)
  return {
    value,
    strictly: unknown => {
      const prefix = type === patchTypes.json ? "json patch " : ""
      const repeated = duplicateFields(text).map(path => prefix + duplicateField(path))
      return [...repeated, ...strictWithoutText(unknown).toSorted(compareStrings)]
    },
    refusal: (why, kind) => {
      if (type !== patchTypes.strategic) return invalidPatch(patchedText(value, live), why)
      const reason = kind === undefined ? why : (conversionProblem(value, kind) ?? why)
      return invalidPatch(goPrint(remainingPatch(decodePatch(patch) as MapValue, live)), reason)
    },
  }
}

/** Applies a patch of this type to the live object. Throws a RequestFailure if the patch can't be applied. */
function applyPatch(live: MapValue, patch: Patch): Value {
  const { type } = patch
  const body = decodePatch(patch)
  return refusingPatchErrors(() => {
    const mismatch = (goType: string) => `json: cannot unmarshal ${jsonType(body)} into Go value of type ${goType}`
    if (type === patchTypes.json) {
      if (!isList(body)) throw badPatch(patch, mismatch(isStrict(patch) ? "[]handlers.jsonPatchOp" : "jsonpatch.Patch"))
      return jsonPatch(live, body)
    }
    if (!isMap(body)) throw badPatch(patch, mismatch("map[string]interface {}"))
    if (type === patchTypes.merge) return mergePatch(live, body)
    const { apiVersion, kind } = objectKindOf(live)
    const patchType = patchTypeOf(apiVersion, kind)
    if (patchType !== undefined) return strategicMerge(live, body, patchType)
    throw notImplemented(`strategic merge patches of ${kind}`, `send ${patchTypes.merge}`)
  })
}

function decodePatch(patch: Patch): Value {
  const ignoresText = patch.type === patchTypes.merge && !isStrict(patch)
  return decodeJson(patch.text, why => badPatch(patch, ignoresText ? "Invalid JSON Patch" : why))
}

/** Returns the refusal of a patch that can't be read. Only a strict reader says what it read. */
function badPatch(patch: Patch, why: string): RequestFailure {
  return badRequest(patch.type !== patchTypes.strategic && isStrict(patch) ? `error decoding patch: ${why}` : why)
}

const isStrict = ({ options }: Patch) => options.fieldValidation !== "Ignore"
