// The operations of the conformance protocol on patches and custom resources, with the rules of an API server.

import { patchTypeOf } from "../../src/apiserver/strategic-merge/patch-keys.js"
import { strategicMerge } from "../../src/apiserver/strategic-merge/strategic-merge.js"
import { established } from "../../src/kinds/custom/definitions.js"
import { readCustomResource, validateCustomResource } from "../../src/kinds/custom/read.js"
import { checkDefinition } from "../../src/kinds/definition/problems.js"
import { fieldError } from "../../src/kinds/refusal/field-error.js"
import { loadCel } from "../../src/kinds/rules/library.js"
import { hasFormat } from "../../src/kinds/structural/formats.js"
import { dnsSubdomain } from "../../src/kinds/validation/names.js"
import { metaText } from "../../src/schema/metadata.js"
import { compareStrings } from "../../src/value/compare.js"
import { formatQuantity } from "../../src/value/quantity.js"
import { isMap, type MapValue, type Value } from "../../src/value/value.js"
import { jsonPatch } from "../../src/write/patches/json-patch.js"
import { mergePatch } from "../../src/write/patches/merge-patch.js"
import type { Operation } from "./operations.js"
import { currentParity } from "./parity.js"
import { type Request, RequestError } from "./request.js"

await loadCel()

export const apiServerOperations: Readonly<Record<string, Operation>> = {
  strategicMerge: request => {
    const type = patchTypeOf(request.text("apiVersion"), request.text("kind"))
    if (type === undefined) throw new RequestError("the kind is not built in")
    return { object: strategicMerge(mapAt(request, "live"), mapAt(request, "patch"), type) }
  },
  mergePatch: request => ({ object: mergePatch(mapAt(request, "live"), mapAt(request, "patch")) }),
  jsonPatch: request => ({ object: jsonPatch(mapAt(request, "live"), request.value("patch")) }),
  customResource: request => {
    const schema = mapAt(request, "structural")
    const { object, unknown } = readCustomResource(mapAt(request, "object"), schema)
    return {
      object,
      unknown,
      errors: validateCustomResource(object, schema, { parity: currentParity() }).map(error => ({ ...error })),
    }
  },
  admitCustomResource: request => {
    const schema = mapAt(request, "structural")
    const { object } = readCustomResource(mapAt(request, "object"), schema)
    const old = request.get("old") === undefined ? undefined : readCustomResource(mapAt(request, "old"), schema).object
    const subresource = request.flag("status") ? "status" : ""
    return {
      errors: validateCustomResource(object, schema, { old, parity: currentParity(), subresource }).map(error => ({
        ...error,
      })),
    }
  },
  definition: request => {
    const crd = mapAt(request, "crd")
    const patch = request.get("patch")
    const changed = patch === undefined ? crd : (jsonPatch(crd, patch) as MapValue)
    const isUpdate = request.flag("update")
    const found = checkDefinition(changed, isUpdate ? established(crd, new Date(0)) : undefined).errors
    // The server validates the names of all kinds.
    const name = metaText(changed, "name")
    const ofName = isUpdate
      ? []
      : dnsSubdomain(name).map(why => fieldError("FieldValueInvalid", "metadata.name", name, why))
    const errors = [...ofName, ...found].map(({ reason, message, field }) => ({ reason, message, field }))
    return { errors: errors.sort((a, b) => compareStrings(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`)) }
  },
  quantity: request => ({ text: quantityOf(request.get("text") ?? null) }),
  formats: request => {
    const has = (text: Value) => hasFormat(String(text), request.text("format"))
    return { has: request.list("texts").map(has) }
  },
}

function quantityOf(value: Value): string {
  try {
    return formatQuantity(value)
  } catch (error) {
    throw new RequestError(error instanceof RangeError ? error.message : String(error))
  }
}

function mapAt(request: Request, name: string): MapValue {
  const found = request.value(name)
  if (!isMap(found)) throw new RequestError(`${name} must be an object`)
  return found
}
