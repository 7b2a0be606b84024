// The body of a request: its bytes, and the values in them.
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

/** How many bytes a body may have. */
const mostBytes = 3 * 1024 * 1024

/** The types of bodies of patches. */
export const patchTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
}

/** The type of the body without parameters: `application/json`. */
export function mediaTypeOf({ headers }: ServerRequest): string {
  return (headers["content-type"] ?? "").split(";", 1).join().trim().toLowerCase()
}

/** The bytes of the body. Throws a RequestFailure if it is too large or cut off. */
async function readBytes({ headers, body }: ServerRequest): Promise<Uint8Array> {
  const refusal = () => tooLarge(`limit is ${mostBytes}`)
  if (Number(headers["content-length"] ?? 0) > mostBytes) throw refusal()
  let bytes: Uint8Array | undefined
  if (typeof body === "function") {
    try {
      bytes = await body(mostBytes)
    } catch {
      throw badRequest("the body of the request could not be read: it was cut off")
    }
  } else bytes = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? noBytes)
  if (bytes === undefined || bytes.length > mostBytes) throw refusal()
  return bytes
}

const noBytes = new Uint8Array()

/** The text of the body. Throws a RequestFailure if it is too large, cut off, or not UTF-8. */
export async function readText(request: ServerRequest): Promise<string> {
  return textOf(await readBytes(request))
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw badRequest("the body of the request could not be read: it is not UTF-8")
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** What the body of a request is to be: custom resources have no protobuf. */
export interface Expected extends ObjectKind {
  readonly isCustom: boolean
}

/**
 * The object in the body of a create, an update or a delete; undefined if the body is empty. Throws a RequestFailure for other
 * types and for a malformed body.
 */
export async function readBody(request: ServerRequest, expected: Expected): Promise<Body | undefined> {
  const bytes = await readBytes(request)
  if (bytes.length === 0) return undefined
  switch (mediaTypeOf(request)) {
    case "":
    case "application/json":
      return jsonBody(textOf(bytes), expected.isCustom)
    case "application/yaml": {
      const text = textOf(bytes)
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
 * How many characters the texts of a value may have, each value and key counting eight more, and the paths of its fields. Both can be
 * far more than the body has: an alias of YAML stands for any number of texts, and a long key is in the paths of all that is below it.
 */
const mostCharacters = 32 * 1024 * 1024
const mostOfPaths = 64 * 1024 * 1024

/** Throws a RequestFailure for a value that would be too large, or have too long paths, were it written out. */
export function requireModest(value: Value): void {
  measure(value, 0, { characters: mostCharacters, paths: mostOfPaths })
}

function measure(value: Value, path: number, left: { characters: number; paths: number }): void {
  left.characters -= typeof value === "string" ? value.length + 8 : 8
  left.paths -= path
  if (left.characters < 0)
    throw tooLarge(`its texts have more than ${mostCharacters} characters once aliases are written out`)
  if (left.paths < 0) throw tooLarge(`the paths of its fields have more than ${mostOfPaths} characters together`)
  if (isList(value)) for (const item of value) measure(item, path + 3, left)
  else if (isMap(value)) {
    for (const key in value) {
      left.characters -= key.length
      measure(value[key] as Value, path + key.length + 1, left)
    }
  }
}

function tooLarge(why: string): RequestFailure {
  return new RequestFailure(413, `Request entity too large: ${why}`, "RequestEntityTooLarge", {})
}

function jsonBody(text: string, isCustom: boolean): Body {
  return { value: decodeJson(text), strictly: strictJson(text, isCustom) }
}

export function decodeJson(text: string): Value {
  try {
    const value = parseJson(text)
    requireModest(value)
    return value
  } catch (error) {
    if (hasCode(error)) throw badRequest(`error decoding JSON: ${error.message}`)
    throw error
  }
}

/** The value of a YAML text as a server reads it; `describe` words the refusal of a malformed one. */
export function decodeYaml(text: string, describe: (message: string) => string): Value {
  try {
    const value = parseYaml(text, { lenient: true })
    requireModest(value)
    return value
  } catch (error) {
    if (hasCode(error)) throw badRequest(describe(error.message))
    throw error
  }
}

/** The configuration in the body of an apply, which is YAML or JSON. Throws a RequestFailure if it is not a map. */
export function applyBody(text: string): MapValue {
  const value = decodeYaml(text, message => `error encoding patch: ${message}`)
  if (isMap(value)) return value
  const found = goTypes[value === null ? "null" : isList(value) ? "array" : typeof value]
  const why = `json: cannot unmarshal ${found} into Go value of type map[string]interface {}`
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
