// The tokens with which clients ask for the next page of a list.

import { badRequest } from "../../kinds/refusal/failure.js"
import { jsonType } from "../../kinds/shape/go-decode.js"
import { base64 } from "../../value/bytes.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import { isMap, type Value } from "../../value/value.js"

/** Where a page begins. */
export interface Token {
  /** The resourceVersion of the list. */
  readonly version: number
  /** The name of the first object, behind its namespace where the list has objects of several. */
  readonly start: string
}

const format = "meta.k8s.io/v1"

/** Returns the text of a token, in the format of a real server. */
export function writeToken({ version, start }: Token): string {
  const bytes = new TextEncoder().encode(JSON.stringify({ v: format, rv: version, start }))
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** Reads a token. Throws a RequestFailure, in the words of a real server, if it is malformed. */
export function readToken(token: string): Token {
  const read = parse(decode(token))
  if (!isMap(read))
    throw invalid(`json: cannot unmarshal ${jsonType(read)} into Go value of type storage.continueToken`)
  const [v, version, start] = [own(read, "v"), own(read, "rv"), own(read, "start")]
  if (v !== format) throw invalid(`server does not recognize this encoded version ${typeof v === "string" ? v : ""}`)
  if (!Number.isSafeInteger(version) || Number(version) < 1)
    throw invalid(`incorrect encoded start resourceVersion (version ${format})`)
  if (typeof start !== "string" || start === "") throw invalid(`encoded start key empty (version ${format})`)
  return { version: Number(version), start }
}

function decode(token: string): Uint8Array {
  const valid = /^[\w-]*/.exec(token)?.[0].length ?? 0
  const isCutShort = valid === token.length && token.length % 4 === 1
  if (valid < token.length || isCutShort)
    throw invalid(`illegal base64 data at input byte ${isCutShort ? valid - 1 : valid}`)
  return Uint8Array.from(atob(token.replaceAll("-", "+").replaceAll("_", "/")), char => char.charCodeAt(0))
}

function parse(bytes: Uint8Array): Value {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Value
  } catch {
    const [first] = bytes
    if (first === undefined) throw invalid("unexpected end of JSON input")
    const shown = quoteGo(String.fromCharCode(first)).slice(1, -1)
    throw invalid(`invalid character '${shown}' looking for beginning of value`)
  }
}

function invalid(why: string) {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`)
}
