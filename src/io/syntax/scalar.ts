// YAML 1.1 scalars, with the same values as in Go's yaml.v2, with which Kubernetes reads manifests.
//
// `yes`, `on` and `y` are true, `010` is 8, `1_000` is 1000, `2024-01-01` and `12:30` stay strings.
import { formatFloat } from "../../value/number.js"
import type { Value } from "../../value/value.js"

/** The problem of a scalar; the reader adds the position. */
export class ScalarError extends Error {}

const prefix = "tag:yaml.org,2002:"

/** Returns the value of a scalar with this tag. Throws a ScalarError if the text does not fit the tag. */
export function resolveTagged(text: string, tag: string): Value {
  const short = tag.startsWith(prefix) ? tag.slice(prefix.length) : ""
  switch (short) {
    case "binary":
      return decodeBinary(text)
    case "timestamp":
      if (!timestamp.test(text)) throw mismatch(text, resolvePlain(text), short)
      return text
    case "float": {
      const value = resolvePlain(text)
      if (typeof value === "bigint" && !outOfRange(value)) return Number(value)
      return typeof value === "number" ? value : fail(text, value, short)
    }
    case "int": {
      const value = resolvePlain(text)
      const isInteger = typeof value === "bigint" || (typeof value === "number" && readInteger(text) !== undefined)
      return isInteger ? value : fail(text, value, short)
    }
    case "bool": {
      const value = resolvePlain(text)
      return typeof value === "boolean" ? value : fail(text, value, short)
    }
    case "null": {
      const value = resolvePlain(text)
      return value === null ? value : fail(text, value, short)
    }
    default:
      return text // !!str, and all tags without a meaning here
  }
}

function fail(text: string, value: Value, tag: string): never {
  throw mismatch(text, value, tag)
}

function mismatch(text: string, value: Value, tag: string): ScalarError {
  const found = value === null ? "null" : typeof value === "string" ? "str" : typeof value === "boolean" ? "bool" : ""
  const kind = found !== "" ? found : readInteger(text) === undefined ? "float" : "int"
  return new ScalarError(`cannot decode !!${kind} \`${text}\` as a !!${tag}`)
}

const timestamp =
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d\d:\d\d)| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?)?$/

function decodeBinary(text: string): string {
  let bytes: string
  const digits = text.replace(/[\r\n]/g, "")
  try {
    if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]*=*$/.test(digits)) throw new ScalarError()
    bytes = atob(digits)
  } catch {
    throw new ScalarError("!!binary value contains invalid base64 data")
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes, byte => byte.charCodeAt(0)))
}

/** Words that are not strings. Only those that begin with one of `wordStarts` are looked up. */
const words: ReadonlyMap<string, Value> = new Map<string, Value>([
  ...["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"].map(word => [word, true] as const),
  ...["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"].map(word => [word, false] as const),
  ...["", "~", "null", "Null", "NULL"].map(word => [word, null] as const),
  ...[".nan", ".NaN", ".NAN"].map(word => [word, Number.NaN] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map(word => [word, Number.POSITIVE_INFINITY] as const),
  ...["-.inf", "-.Inf", "-.INF"].map(word => [word, Number.NEGATIVE_INFINITY] as const),
])

const longestWord = "false".length

/** Returns the value of a plain scalar without a tag. Numbers may be infinite, NaN, or integers that are `outOfRange`. */
export function resolvePlain(text: string): Value {
  const first = text.charCodeAt(0)
  if (first >= 0x30 && first <= 0x39) return readNumber(text) ?? text
  switch (text[0]) {
    case "+":
    case "-":
    case ".":
      return words.get(text) ?? readNumber(text) ?? text
    case undefined:
    case "~":
    case "y":
    case "Y":
    case "n":
    case "N":
    case "t":
    case "T":
    case "f":
    case "F":
    case "o":
    case "O": {
      const word = text.length > longestWord ? undefined : words.get(text)
      return word === undefined ? text : word
    }
    default:
      return text
  }
}

function readNumber(text: string): number | bigint | undefined {
  if (!numeric.test(text)) return undefined
  if (text[0] === ".") {
    // Go: after a leading dot, underscores may stand only between digits.
    return dotted.test(text) ? finite(Number(text.replaceAll("_", ""))) : undefined
  }
  const plain = text.includes("_") ? text.replaceAll("_", "") : text
  const integer = readInteger(plain)
  if (integer !== undefined) return integer
  return decimal.test(plain) ? finite(Number(plain)) : undefined
}
/** Quickly rules out the texts that most often begin with a digit: durations, quantities, addresses and dates. */
const numeric = /^[-+]?[\d_]*\.?[\d_]*(?:[eE][-+_\d]*)?$|^[-+_]*0_*[xXoObB]/
const decimal = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const dotted = /^\.\d+(?:_\d+)*(?:[eE][-+]?\d+(?:_\d+)*)?$/

// A float too large for 64 bits is a string, as in Go.
function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}

/** Whether this is an integer from 2^63 to 2^64. Go reads it as uint64, so it is not a float, but it is not a value either. */
export function outOfRange(value: Value): boolean {
  return typeof value === "bigint" && BigInt.asIntN(64, value) !== value
}

// Reads digits with a sign and a prefix as Go does. Beyond 64 bits, decimal digits become a float, and others stay a string.
function readInteger(text: string): number | bigint | undefined {
  // Go: a sign may also follow 0b.
  const plain = text.replaceAll("_", "").replace(/^0b([-+])(?=[01])/, "$10b")
  const match = integerForm.exec(plain)
  if (match === null) return undefined
  const [, sign, hex, octal, binary, digits] = match
  if (digits !== undefined && digits.length < 16) return Number(plain) + 0
  if (digits !== undefined && digits.length > 20) return undefined
  const size = BigInt(hex ? `0x${hex}` : octal ? `0o${octal}` : binary ? `0b${binary}` : (digits ?? "0"))
  if (size >= (sign === "" ? 1n << 64n : sign === "-" ? (1n << 63n) + 1n : 1n << 63n)) return undefined
  const exact = sign === "-" ? -size : size
  const float = Number(exact)
  return Number.isSafeInteger(float) ? float : exact
}
const integerForm = /^([-+]?)(?:0[xX]([\da-fA-F]+)|0[oO]?([0-7]+)|0[bB]([01]+)|(0|[1-9]\d*))$/

/** Returns the key that Kubernetes creates from a scalar when it turns YAML into JSON; undefined for null, which can't be a key. */
export function keyText(value: Value, text: string): string | undefined {
  switch (typeof value) {
    case "string":
      return value
    case "boolean":
    case "bigint":
      return value.toString()
    case "number":
      if (readInteger(text) !== undefined) return value.toString()
      if (Number.isNaN(value)) return ".nan"
      if (!Number.isFinite(value)) return value > 0 ? ".inf" : "-.inf"
      return formatFloat(shortFloat(value))
    default:
      return undefined
  }
}

// Returns the shortest decimal that equals `value` in 32 bits: as keys, floats have only that precision.
function shortFloat(value: number): number {
  if (value === 0) return value
  const single = Math.fround(value)
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(single.toPrecision(digits))
    if (Math.fround(short) === single) return short
  }
  return value
}
