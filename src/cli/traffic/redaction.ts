// Hides the values of Secrets, tokens, and fields of --mask in requests and responses that are recorded.

import { equalValues } from "../../value/equal.js"
import { mapAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { Secrets } from "../secrets/secrets.js"
import { type Address, mapInYaml } from "./exchange.js"

/** Takes the place of a body that may have a secret, and whose parts are unknown. */
const hidden = "(hidden)"

/** Returns the body of a request to this address, or of its response, with marks in the place of hidden values. */
export function redacted(body: Value, address: Address | undefined, secrets: Secrets): Value {
  if (secrets.shows) return body
  const isOfSecrets = address?.group === "" && address.resource === "secrets"
  const mayHide = isOfSecrets || address?.subresource === "token" || address?.resource === "tokenreviews"
  const map = typeof body === "string" ? mapInYaml(body) : undefined
  const value = map ?? body
  const isUnread = typeof value === "string" ? mayHide || value.includes("Secret") : mayHide && isBinary(value)
  if (isUnread) {
    secrets.hasHidden = true
    return hidden
  }
  const found = withoutTokens(isOfSecrets ? withoutSecrets(value, secrets) : secrets.redact(value), secrets)
  // YAML that hides nothing stays as it is.
  return map !== undefined && equalValues(found, map) ? body : found
}

function isBinary(value: Value): boolean {
  return isMap(value) && own(value, "base64") !== undefined
}

/**
 * Hides the values of Secrets in an object, a patch, a list, a table or events. Clients may leave out the kind of an object, and patches have none. The
 * metadata in a table may have a copy of its Secret.
 */
function withoutSecrets(value: Value, secrets: Secrets): Value {
  if (isList(value) && !value.some(item => isMap(item) && own(item, "op") !== undefined)) {
    return value.map(item => withoutSecrets(item, secrets))
  }
  const map: MapValue = isMap(value) ? value : {}
  const inner = ["items", "rows", "object"].find(key => own(map, key) !== undefined)
  if (inner !== undefined) return withKeys(map, { [inner]: withoutSecrets(own(map, inner) as Value, secrets) })
  return mapAt({ whole: secrets.redact({ object: "secret", patch: value }) }, "whole").patch as Value
}

/** The places of tokens, by the kinds that have them. */
const tokenPlaces: ReadonlyMap<string, string> = new Map([
  ["TokenRequest", "status"],
  ["TokenReview", "spec"],
])

function withoutTokens(value: Value, secrets: Secrets): Value {
  const place = isMap(value) ? tokenPlaces.get(textAt(value, "kind")) : undefined
  if (place === undefined) return value
  const part = mapAt(value as MapValue, place)
  if (own(part, "token") === undefined) return value
  secrets.hasHidden = true
  return withKeys(value as MapValue, { [place]: withKeys(part, { token: hidden }) })
}
