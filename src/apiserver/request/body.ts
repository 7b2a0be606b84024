// Reads and decodes the body of a request.
import { hasCode } from "../../errors.js"
import { parseYaml } from "../../io/yaml.js"
import { parseJson } from "../../json/json.js"
import { badRequest, RequestFailure, unsupportedMediaType } from "../../kinds/refusal/failure.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { Body } from "../../write/decode.js"
import { strictWithoutText } from "../../write/strict.js"
import type { ObjectKind } from "../protobuf/envelope.js"
import { readProtobuf } from "../protobuf/read.js"
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

/**
 * Reads the object in the body of a create, an update or a delete; undefined if the body is empty. Throws a RequestFailure for an unknown
 * media type or a malformed body.
 */
export async function readBody(request: ServerRequest, expected: ExpectedBody): Promise<Body | undefined> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) return undefined
  switch (mediaTypeOf(request)) {
    case "":
    case "application/json":
      return jsonBody(decodeUtf8(bytes), expected.isCustom)
    case "application/yaml": {
      const text = decodeUtf8(bytes)
      const value = decodeYaml(text, message => `error decoding body: ${message}`)
      return { value, strictly: strictYaml(text, value, expected.isCustom) }
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

function jsonBody(text: string, isCustom: boolean): Body {
  const value = decodeJson(text)
  return { value, strictly: strictJson(text, value, isCustom) }
}

/** Parses JSON. Throws a RequestFailure if the text is malformed or the value too large. */
export function decodeJson(text: string): Value {
  try {
    const value = parseJson(text)
    checkExpandedSize(value)
    return value
  } catch (error) {
    if (hasCode(error)) throw badRequest(`error decoding JSON: ${error.message}`)
    throw error
  }
}

/**
 * Parses YAML as a server does. Throws a RequestFailure if the value is too large, or the text malformed: then with `formatProblem`'s
 * message.
 */
export function decodeYaml(text: string, formatProblem: (message: string) => string): Value {
  try {
    const value = parseYaml(text, { lenient: true })
    checkExpandedSize(value)
    return value
  } catch (error) {
    if (hasCode(error)) throw badRequest(formatProblem(error.message))
    throw error
  }
}

/** Parses the configuration in the body of an apply, which is YAML or JSON. Throws a RequestFailure if it is not a map. */
export function parseApplyConfig(text: string): MapValue {
  const value = decodeYaml(text, message => `error encoding patch: ${message}`)
  if (isMap(value)) return value
  const typeName = goTypes[value === null ? "null" : isList(value) ? "array" : typeof value]
  const why = `json: cannot unmarshal ${typeName} into Go value of type map[string]interface {}`
  throw badRequest(`error decoding patch: error unmarshaling JSON: while decoding JSON: ${why}`)
}

const goTypes: Readonly<Record<string, string>> = {
  array: "array",
  bigint: "number",
  boolean: "bool",
  null: "null",
  number: "number",
  string: "string",
}
