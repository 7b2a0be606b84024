// Path elements as text: `f:name`, `k:{"name":"http","port":80}`, `v:"value"`, `i:0`.
import { ParseError } from "../../errors.js"
import { isV7, type ParityOptions, parseJsonFloats } from "../../json/json.js"
import { readValue } from "../../json/read-value.js"
import { bytesOf, JsonReader } from "../../json/reader.js"
import { aString, requireArgument } from "../../value/argument.js"
import { ByteTable } from "../../value/byte-table.js"
import { compareStrings } from "../../value/compare.js"
import { quoteGo } from "../../value/quote.js"
import { Table } from "../../value/table.js"
import { integer, isMap, type Value } from "../../value/value.js"
import { fieldElement, indexElementOf, keyElementOf, singleKeyElement, valueElementOf } from "../create-element.js"
import type { KeyElement, KeyField, PathElement } from "../element.js"
import { keyProblem, valueProblem } from "./problems-v7.js"

/**
 * Returns the element of a FieldsV1 key; undefined if its kind is unknown. Throws a ParseError for malformed text, in the words of v6 of the
 * Go module, or with the parity `v7` in those of v7.
 */
export function parseFieldsV1Key(text: string, options?: ParityOptions): PathElement | undefined {
  requireArgument("text", text, aString)
  if (!isV7(options)) return parseElement(text)
  try {
    return parseElement(text)
  } catch (error) {
    throw error instanceof ParseError ? new ParseError(problemInV7(text) ?? error.message) : error
  }
}

function problemInV7(text: string): string | undefined {
  if (text[1] !== ":") return text.length < 2 && !(text > "\x7f") ? "key must be 2 characters long" : undefined
  return text[0] === "v"
    ? valueProblem(bytesOf(text.slice(2)))
    : text[0] === "k"
      ? keyProblem(text.slice(2))
      : undefined
}

function parseElement(text: string): PathElement | undefined {
  if (text.length < 2 && !(text > "\x7f")) throw new ParseError("key must be 2 characters long:")
  if (text[1] !== ":" || text > "\x7f") throw new ParseError(`missing colon: ${text}`)
  switch (text[0]) {
    case "f":
      return fieldElement(text.slice(2))
    case "k":
      return parseKey(text.slice(2))
    case "v":
      return valueElementOf(parseJsonFloats(text.slice(2)), true)
    case "i":
      return indexElementOf(parseIndex(text.slice(2)))
    default:
      return undefined
  }
}

function parseKey(text: string): KeyElement {
  const fields = readPlainKey(text) ?? readAnyKey(text)
  return keyElementOf(fields.length > 1 ? fields.sort((a, b) => compareStrings(a.name, b.name)) : fields, true)
}

// Reads a key without escapes. JSON.parse drops fields that come twice; the number of quotes reveals them.
function readPlainKey(text: string): KeyField[] | undefined {
  if (!text.startsWith("{") || text.includes("\\")) return undefined
  let quotes = text.split('"').length - 1
  let map: Value
  try {
    map = parseJsonFloats(text)
  } catch {
    return undefined
  }
  if (!isMap(map)) return undefined
  const fields: KeyField[] = []
  for (const name in map) {
    const value = map[name] as Value
    if (typeof value === "object" && value !== null) return undefined
    fields.push({ name, value })
    quotes -= typeof value === "string" ? 4 : 2
  }
  return quotes === 0 ? fields : undefined
}

function readAnyKey(text: string): KeyField[] {
  const reader = new JsonReader(text, { floats: true })
  const fields: KeyField[] = []
  for (let name = reader.openObject("ReadObjectCB"); name !== undefined; name = reader.nextKey("ReadObjectCB")) {
    fields.push({ name, value: readValue(reader) })
  }
  reader.expectEnd()
  return fields
}

function parseIndex(text: string): number | bigint {
  if (!/^[-+]?\d+$/.test(text)) throw new ParseError(`strconv.Atoi: parsing ${quoteGo(text)}: invalid syntax`)
  const digits = BigInt(text.startsWith("+") ? text.slice(1) : text)
  if (BigInt.asIntN(64, digits) !== digits) {
    throw new ParseError(`strconv.Atoi: parsing ${quoteGo(text)}: value out of range`)
  }
  return integer(digits)
}

/** A key of FieldsV1 that has been read before. */
export interface KnownKey {
  readonly element: PathElement
  /** Whether the element is written with the same text. */
  readonly canonical: boolean
  /** The same for the bytes of v7. */
  readonly canonicalV7: boolean
}

const keys = new Table<string, KnownKey>()

/** Finds numbers that may be beyond 2^53. An equal number in a set may be written with other digits. */
const hasLongNumber = /\d{16}/

/**
 * Like `parseFieldsV1Key`, but mostly returns the same element for the same text. Keeps `text`, which must not be a slice of a longer text.
 */
export function knownKey(text: string): KnownKey | undefined {
  const known = keys.get(text)
  if (known !== undefined) return known
  const element = parseElement(text)
  if (element === undefined) return undefined
  const long = hasLongNumber.test(text)
  return keys.add(text, {
    element,
    canonical: !long && element.text === text,
    canonicalV7: !long && element.textV7 === text,
  })
}

// The same keys come up in field sets again and again. A lookup by bytes needs no string. With a lookup of slices of the text in `keys`
// instead, reading the managedFields of a Deployment takes 1.3 times as long, and those of a CRD 1.4 times.
const elementsByBytes = new ByteTable<PathElement>()

/**
 * Returns the element of the key between quotes in `bytes[from..to)`, a run of UTF-8 with this hash. `text` has the same characters if it
 * is plain ASCII. Returns undefined if the key needs the careful reader, because it is malformed or its kind is unknown.
 */
export function elementOfBytes(
  bytes: Uint8Array,
  from: number,
  to: number,
  hash: number,
  text: string | null,
): PathElement | undefined {
  const found = elementsByBytes.get(bytes, from, to, hash)
  if (found !== undefined) return found
  const element = readQuoted(text === null ? decoder.decode(bytes.subarray(from, to)) : text.slice(from, to))
  return element === undefined ? undefined : elementsByBytes.add(bytes, from, to, hash, element)
}
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

// Leaves escapes of surrogates to the careful reader, which tells pairs from single ones.
function readQuoted(quoted: string): PathElement | undefined {
  const simple = simpleKey.exec(quoted)
  if (simple !== null) return singleKeyElement(unquote(simple[1] as string), unquote(simple[2] as string))
  if (/\\u[dD]/.test(quoted)) return undefined
  try {
    return knownKey(unquote(quoted))?.element
  } catch {
    return undefined
  }
}

/** Matches `k:{\"name\":\"value\"}` without special characters. Nearly every item of a list has such a key, so it gets a faster path. */
const simpleKey = /^k:\{\\"([ !#-[\]-~]*)\\":\\"([ !#-[\]-~]*)\\"\}$/

/** Also copies text without escapes: a slice would be slow to compare, and would keep the whole text in memory. */
function unquote(quoted: string): string {
  return JSON.parse(`"${quoted}"`) as string
}
