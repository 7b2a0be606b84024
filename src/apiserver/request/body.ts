// Reads and decodes the body of a request.
import { hasCode } from "../../errors.js"
import { type LenientDocument, readLeniently } from "../../io/yaml.js"
import { goSyntaxProblem } from "../../json/go-syntax.js"
import { parseJson } from "../../json/json.js"
import { badRequest, RequestFailure, unsupportedMediaType } from "../../kinds/refusal/failure.js"
import { jsonType } from "../../kinds/shape/go-decode.js"
import { textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { Body } from "../../write/decode.js"
import { strictWithoutText } from "../../write/strict.js"
import type { ObjectKind } from "../protobuf/envelope.js"
import { readProtobuf } from "../protobuf/read.js"
import { goYamlProblem } from "./go-yaml.js"
import type { ServerRequest } from "./request.js"
import { strictJson, strictYaml } from "./strict.js"

/** The maximal size of a body. */
const maxBytes = 3 * 1024 * 1024

/** The media types of patches. */
export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
}

/** Returns the media type of the body without parameters: `application/json`. */
export function mediaTypeOf({ headers }: ServerRequest): string {
  return (headers["content-type"] ?? "").split(";", 1).join().trim().toLowerCase()
}

/** Reads the bytes of the body. Throws a RequestFailure if the body is too large or cut off. */
async function readBytes({ headers, body }: ServerRequest): Promise<Uint8Array> {
  const refusal = () => tooLarge(`limit is ${maxBytes}`)
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw refusal()
  let bytes: Uint8Array | undefined
  if (typeof body === "function") {
    try {
      bytes = await body(maxBytes)
    } catch {
      throw badRequest("the body of the request could not be read: it was cut off")
    }
  } else bytes = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? noBytes)
  if (bytes === undefined || bytes.length > maxBytes) throw refusal()
  return bytes
}

const noBytes = new Uint8Array()

/** Reads the text of the body. Throws a RequestFailure if the body is too large, cut off, or not UTF-8. */
export async function readText(request: ServerRequest): Promise<string> {
  return decodeUtf8(await readBytes(request))
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw badRequest("the body of the request could not be read: it is not UTF-8")
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The kind that a body should have. Custom resources have no protobuf. */
export interface ExpectedBody extends ObjectKind {
  readonly isCustom: boolean
}

/** Reads the object in the body of a create or an update. Throws a RequestFailure for an unknown media type or a malformed body. */
export async function readBody(request: ServerRequest, expected: ExpectedBody): Promise<Body> {
  const bytes = await readBytes(request)
  return decodeBody(bytes, mediaTypeOf(request), expected, why => unrecognized(expected.kind, bytes, why))
}

/** Reads the options in the body of a delete; undefined if the body is empty. Throws a RequestFailure as `readBody` does. */
export async function readOptionsBody(request: ServerRequest, expected: ExpectedBody): Promise<Body | undefined> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) return undefined
  return decodeBody(bytes, mediaTypeOf(request), expected, why => new RequestFailure(500, why))
}

async function decodeBody(
  bytes: Uint8Array,
  type: string,
  expected: ExpectedBody,
  refuse: (why: string) => RequestFailure,
): Promise<Body> {
  switch (type) {
    case "":
    case "application/json": {
      const text = decodeUtf8(bytes)
      const parsed = decodeJson(text, why => refuse(`${noKind}; json parse error: ${why}`))
      const value = asObject(parsed, refuse)
      return { value, strictly: strictJson(text, value, expected.isCustom) }
    }
    case "application/yaml": {
      const text = decodeUtf8(bytes)
      const read = decodeYaml(text, refuse)
      const value = asObject(read.value, refuse)
      return { value, strictly: strictYaml(read.repeatedKeys, value, expected.isCustom) }
    }
    case "application/vnd.kubernetes.protobuf":
      if (!expected.isCustom) return { value: await readProtobuf(bytes, expected), strictly: strictWithoutText }
  }
  const accepted = ["application/json", "application/yaml"]
  if (!expected.isCustom) accepted.push("application/vnd.kubernetes.protobuf")
  throw unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  )
}

const noKind = "couldn't get version/kind"

/** Returns the value as an object: null is one without fields. Throws `refusal` if its kind or version can't be read. */
function asObject(value: Value, refusal: (why: string) => RequestFailure): MapValue {
  if (value === null) return {}
  const mismatch = (of: Value, target: string) =>
    refusal(`${noKind}; json parse error: json: cannot unmarshal ${jsonType(of)} into Go ${target}`)
  if (!isMap(value)) {
    const fields = 'APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\""'
    throw mismatch(value, `value of type struct { ${fields} }`)
  }
  for (const key of ["apiVersion", "kind"]) {
    const given = own(value, key) ?? ""
    if (typeof given !== "string") throw mismatch(given, `struct field .${key} of type string`)
  }
  const version = textAt(value, "apiVersion")
  if (version.split("/").length > 2) throw refusal(`unexpected GroupVersion string: ${version}`)
  return value
}

/** Returns the refusal of a body that can't be read as an object of any kind. It shows the first bytes, in hex unless they look like JSON. */
function unrecognized(kind: string, bytes: Uint8Array, why: string): RequestFailure {
  const start = bytes.subarray(0, 30)
  const isMap = bytes[0] === 0x7b
  const shown = isMap
    ? new TextDecoder().decode(start)
    : Array.from(start, byte => byte.toString(16).padStart(2, "0")).join("")
  const summary = `${shown || "<empty>"}${bytes.length > start.length ? " ..." : ""}`
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary})`)
}

/**
 * Limits on the characters of a value's keys and strings, where each value counts for eight more, and on the characters of the paths of its
 * fields. Both can be far more than the body: a YAML alias repeats a value at the cost of a few bytes, and a long key is in the path of
 * every field below it.
 */
const maxTextLength = 32 * 1024 * 1024
const maxPathsLength = 64 * 1024 * 1024

/** Throws a RequestFailure if the value would exceed a limit with its aliases expanded. */
export function checkExpandedSize(value: Value): void {
  subtractSize(value, 0, { characters: maxTextLength, paths: maxPathsLength })
}

function subtractSize(value: Value, pathLength: number, budget: { characters: number; paths: number }): void {
  budget.characters -= typeof value === "string" ? value.length + 8 : 8
  budget.paths -= pathLength
  if (budget.characters < 0) {
    throw tooLarge(`its texts have more than ${maxTextLength} characters once aliases are written out`)
  }
  if (budget.paths < 0) throw tooLarge(`the paths of its fields have more than ${maxPathsLength} characters together`)
  if (isList(value)) for (const item of value) subtractSize(item, pathLength + 3, budget)
  else if (isMap(value)) {
    for (const key in value) {
      budget.characters -= key.length
      subtractSize(value[key] as Value, pathLength + key.length + 1, budget)
    }
  }
}

function tooLarge(why: string): RequestFailure {
  return new RequestFailure(413, `Request entity too large: ${why}`, "RequestEntityTooLarge", {})
}

/** Parses JSON. Throws a RequestFailure if the value is too large, or `refusal` with Go's message if the text is malformed. */
export function decodeJson(text: string, refusal: (why: string) => RequestFailure): Value {
  try {
    const value = parseJson(text)
    checkExpandedSize(value)
    return value
  } catch (error) {
    if (hasCode(error)) throw refusal(goSyntaxProblem(text) ?? error.message)
    throw error
  }
}

/** Reads YAML as a server does. Throws a RequestFailure if the value is too large, or `refusal` if the text is malformed. */
function decodeYaml(text: string, refusal: (why: string) => RequestFailure): LenientDocument {
  try {
    const read = readLeniently(text)
    checkExpandedSize(read.value)
    return read
  } catch (error) {
    if (hasCode(error)) throw refusal(goYamlProblem(text, error.message))
    throw error
  }
}

/** The configuration in the body of an apply. */
export interface ApplyConfig {
  readonly config: MapValue
  readonly repeatedKeys: LenientDocument["repeatedKeys"]
}

/** Reads the configuration in the body of an apply, which is YAML or JSON. Throws a RequestFailure if it is not a map. */
export function readApplyConfig(text: string): ApplyConfig {
  const { value, repeatedKeys } = decodeYaml(text, why => badRequest(`error encoding patch: ${why}`))
  if (isMap(value)) return { config: value, repeatedKeys }
  const why = `json: cannot unmarshal ${jsonType(value)} into Go value of type map[string]interface {}`
  throw badRequest(`error decoding patch: error unmarshaling JSON: while decoding JSON: ${why}`)
}
