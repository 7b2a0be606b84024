// Tokens of ServiceAccounts: JSON web tokens, as a server issues them, but not signed.

import { parseJson } from "../../json/json.js"
import { base64 } from "../../value/bytes.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"

/** The issuer of the tokens, and their default audience. */
export const tokenIssuer = "https://kubernetes.default.svc"

/** Returns a token with these claims. */
export function writeToken(claims: MapValue): string {
  return `${encodePart({ alg: "none", typ: "JWT" })}.${encodePart({ ...claims, iss: tokenIssuer })}.`
}

function encodePart(part: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(part))
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** Returns the claims of a token that this server or another one like it wrote; undefined for any other text. */
export function readToken(token: string): MapValue | undefined {
  const [, claims = "", signature] = token.split(".")
  if (signature !== "") return undefined
  try {
    const binary = atob(claims.replaceAll("-", "+").replaceAll("_", "/"))
    const read = parseJson(new TextDecoder().decode(Uint8Array.from(binary, each => each.charCodeAt(0))))
    return isMap(read) && own(read, "iss") === tokenIssuer ? read : undefined
  } catch {
    return undefined
  }
}
