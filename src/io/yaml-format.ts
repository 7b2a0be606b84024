// Values as YAML in the layout kubectl prints: block style, list items not indented below their key, quotes only where needed.

import { ValidationError } from "../errors.js"
import { writeJson } from "../json/json.js"
import { own } from "../value/object.js"
import { notJson } from "../value/plain.js"
import { isList, type MapValue, type Value } from "../value/value.js"
import { maxYamlDepth, tooDeepForYaml } from "./syntax/depth.js"
import { resolvePlain } from "./syntax/scalar.js"

/**
 * Returns the value as a YAML document, with keys in their own order. Quotes strings that YAML 1.1 or 1.2 would not read as strings. Throws a
 * ValidationError for a number that is not finite or an object that is not plain, and a StructuredMergeError for more than 500 levels.
 */
export function formatYaml(value: Value): string {
  return isContainer(value) ? formatContainer(value, "", 0) : `${formatScalar(value, "")}\n`
}

/** The quotes of a scalar: the same as in the scalar that it replaces, or as few as possible. */
export type QuoteStyle = "double" | "single" | "any"

/** Formats a scalar, an empty list or an empty map on one line of block style. */
export function scalarText(value: Value, quotes: QuoteStyle): string {
  if (typeof value !== "string") return formatScalar(value, "")
  if (quotes === "double" || value.includes("\n")) return quote(value)
  return quotes === "single" && printable.test(value) ? `'${value.replaceAll("'", "''")}'` : formatLine(value)
}

/** Formats a value on one line of flow style, which is JSON, except for -0. */
export function flowText(value: Value): string {
  if (isList(value)) return `[${value.map(flowText).join(", ")}]`
  if (typeof value === "string") return quote(value)
  if (typeof value !== "object" || value === null) return formatScalar(value, "")
  const map: MapValue = value
  return `{${Object.keys(map)
    .map(key => `${quote(key)}: ${flowText(own(map, key) as Value)}`)
    .join(", ")}}`
}

/** Formats a list or map, which must not be empty, in block style: lines that begin with `indent` and end with a line break. */
export function blockText(value: Value, indent: string): string {
  return formatContainer(value, indent, 0)
}

// Every line of a container begins with `indent` and ends with a line break.
function formatContainer(value: Value, indent: string, depth: number): string {
  if (depth >= maxYamlDepth) throw tooDeepForYaml()
  const problem = notJson(value)
  if (problem !== null) throw new ValidationError([{ path: "", message: problem }])
  let out = ""
  if (isList(value)) {
    for (const item of value) {
      const text = isContainer(item) ? formatContainer(item, `${indent}  `, depth + 1) : ""
      // The first line of a nested list or map follows the dash.
      out += text === "" ? `${indent}- ${formatScalar(item, indent)}\n` : `${indent}- ${text.slice(indent.length + 2)}`
    }
    return out
  }
  const map = value as MapValue
  for (const key in map) {
    const entry = own(map, key) as Value
    out += indent + formatKey(key, indent)
    if (isContainer(entry)) out += `:\n${formatContainer(entry, isList(entry) ? indent : `${indent}  `, depth + 1)}`
    else out += `: ${formatScalar(entry, indent)}\n`
  }
  return out
}

/** Whether the value has lines of its own. An empty list or map has none: it is written in place, like a scalar. */
export function isContainer(value: Value): boolean {
  if (typeof value !== "object" || value === null) return false
  if (isList(value)) return value.length > 0
  for (const _ in value) return true
  return false
}

function formatScalar(value: Value, indent: string): string {
  if (typeof value === "string") return formatString(value, indent)
  return Object.is(value, -0) ? "-0.0" : writeJson(value)
}

function formatString(text: string, indent: string): string {
  return text.includes("\n") && block.test(text) ? formatBlock(text, `${indent}  `) : formatLine(text)
}

// A key gets a question mark if it is too long for readers to look ahead to its colon.
function formatKey(text: string, indent: string): string {
  const key = formatLine(text)
  return key.length <= 1000 ? key : `? ${key}\n${indent}`
}

function formatLine(text: string): string {
  if (!printable.test(text)) return quote(text)
  if (resolvePlain(text) !== text || ambiguous.test(text)) return quote(text)
  return plainStart.test(text) && !plainEnd.test(text) ? text : `'${text.replaceAll("'", "''")}'`
}

/** Lines that fit into a block unchanged: no space or line break at the start, and no characters that a reader would change. */
const block =
  /^(?=[^\s])[\n\t -~\xa0-\u061b\u061d-\u200d\u2010-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u

/** No control characters and no marks that change the direction of writing: these need escapes, and so quotes. */
const printable =
  /^[ -~\xa0-\u061b\u061d-\u200d\u2010-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u

/** Matches strings of yaml.v2 that some other readers do not read as strings: sexagesimals, dates, merge keys, octals. */
const ambiguous = /^(?:[-+]?[\d.][\d_,.:]*(?:[eE][-+]?\d+)?|0[xo][\da-fA-F]+|\d{4}-\d\d?-\d\d?.*|<<|=|\.{3}.*|-{3}.*)$/

/** No indicator at the start, except a dash, colon or question mark right before other text. */
const plainStart = /^(?:[^-\s?:,[\]{}#&*!|>'"%@`]|[-?:](?=[^\s,[\]{}]))/

/** Matches text that would end a plain scalar: `: `, ` #`, a colon or space at the end. */
const plainEnd = /:(?!\S)|\s#|\s$/

function formatBlock(text: string, indent: string): string {
  let end = text.length
  while (text[end - 1] === "\n") end--
  const body = text.slice(0, end)
  const breaks = text.length - end
  const lines = body.split("\n").map(line => (line === "" ? "" : indent + line))
  const header = breaks === 0 ? "|-" : breaks === 1 ? "|" : "|+"
  return `${header}\n${lines.join("\n")}${"\n".repeat(Math.max(0, breaks - 1))}`
}

// The double-quoted style of YAML has all escapes of JSON; a few more characters need one.
function quote(text: string): string {
  const escapeOne = (char: string): string => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`
  return writeJson(text).replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g,
    escapeOne,
  )
}
