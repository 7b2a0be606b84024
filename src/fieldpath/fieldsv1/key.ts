// Path elements as text: `f:name`, `k:{"name":"http","port":80}`, `v:"value"`, `i:0`.
import { ParseError } from "../../errors.js"
import { formatJson, parseJsonFloats } from "../../json/json.js"
import { quotePlainJson } from "../../json/quote.js"
import { readValue } from "../../json/read-value.js"
import { expectEnd, JsonReader, nextKey, openObject } from "../../json/reader.js"
import { compareStrings } from "../../value/compare.js"
import { quoteGo } from "../../value/quote.js"
import { detached, Table } from "../../value/table.js"
import { integer, isMap, type Value } from "../../value/value.js"
import {
  fieldElement,
  indexElementOf,
  invalidElement,
  type KeyElement,
  type KeyField,
  keyElementOf,
  type PathElement,
  valueElementOf,
} from "../element.js"

/** The element as FieldsV1 spells it. */
export function formatFieldsV1Key(element: PathElement): string {
  switch (element.kind) {
    case "field":
      return `f:${element.name}`
    case "key":
      return `k:{${element.fields.map(({ name, value }) => `${quotePlainJson(name)}:${formatJson(value)}`).join(",")}}`
    case "value":
      return `v:${formatJson(element.value)}`
    case "index":
      if (element === invalidElement) throw new ParseError("invalid PathElement")
      return `i:${element.index}`
  }
}

/** The element of a FieldsV1 key; undefined where it is of a kind not known here. Throws a ParseError in upstream's words. */
export function parseFieldsV1Key(text: string): PathElement | undefined {
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

// A key without escapes. JSON.parse drops fields of the same name, which is seen by the quotes that are then missing.
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
  for (let name = openObject(reader, "ReadObjectCB"); name !== undefined; name = nextKey(reader, "ReadObjectCB")) {
    fields.push({ name, value: readValue(reader) })
  }
  expectEnd(reader)
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

const elementsByText = new Table<string, PathElement>()

/** As `parseFieldsV1Key`, but the same text mostly gives the same element again. */
export function elementOfText(text: string): PathElement | undefined {
  const known = elementsByText.get(text)
  if (known !== undefined) return known
  const own = detached(text)
  const element = parseFieldsV1Key(own)
  return element === undefined ? undefined : elementsByText.add(own, element)
}
