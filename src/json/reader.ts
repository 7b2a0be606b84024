// A JSON reader that accepts and refuses exactly what Go's json-iterator library does, in the same words.
//
// It works on bytes, because the errors count and quote bytes: on a string with a character for each of them. It knows two ways
// to hold its input: all at once, or through a window of fixed size, as a stream is read. The window shows in the errors: what
// has been left behind can't be quoted.
// It is the careful reader. What is in order never gets here: JSON.parse and the FieldsV1 scanner come first.
import { ParseError } from "../errors.js"
import { quoteGo } from "../value/quote.js"
import { parseInteger } from "./number.js"

/** How deep json-iterator lets JSON nest. */
export const maxJsonDepth = 10_000

/** In which of its ways the library reads an object. The errors name it. */
export type ObjectReading = "ReadMapCB" | "ReadObjectCB"

/** Stands for the byte after the last. */
const none = "\0"

/** The place in the input. The functions below read from there, one thing each. */
export class JsonReader {
  readonly bytes: string
  readonly window: number
  readonly floats: boolean
  /** The bytes at hand, up to the `loaded`th of all; `head` is the next one of them to read. */
  chunk: string
  loaded: number
  head = 0
  depth = 0
  /** Set once the input has run out. From then on nothing is put back. */
  ended = false

  /** Reads `text`, through a window of so many bytes where one is given. With `floats`, integers are floats too. */
  constructor(
    text: string,
    { window = 0, floats = false }: { readonly window?: number; readonly floats?: boolean } = {},
  ) {
    this.bytes = bytesOf(text)
    this.window = window
    this.floats = floats
    this.chunk = window === 0 ? this.bytes : ""
    this.loaded = this.chunk.length
  }
}

/** The next byte that is not white space, taken; `none` at the end. */
export function nextToken(reader: JsonReader): string {
  do {
    // A search for what is mostly at hand would take most of the time.
    const at = (reader.chunk[reader.head] ?? "") > " " ? reader.head : find(reader, notSpace)
    if (at >= 0) {
      reader.head = at + 1
      return reader.chunk[at] as string
    }
  } while (load(reader))
  return none
}

/** Puts the byte taken last back, unless the input has run out. */
export function putBack(reader: JsonReader): void {
  if (!reader.ended) reader.head--
}

/** Checks that nothing but white space is left. */
export function expectEnd(reader: JsonReader): void {
  nextToken(reader)
  putBack(reader)
  if (!reader.ended) fail(reader, "managedFields parsing", "unexpected trailing data after JSON object")
}

/** Takes the letters, the rest of a literal. */
export function expectLetters(reader: JsonReader, letters: string): void {
  for (const letter of letters) {
    if (readByte(reader) !== letter) {
      fail(reader, letters.length === 3 ? "skipThreeBytes" : "skipFourBytes", `expect ${letters}`)
    }
  }
}

/** Takes the start of an object and its first key; undefined for an empty object or null. */
export function openObject(reader: JsonReader, reading: ObjectReading): string | undefined {
  const token = nextToken(reader)
  if (token === "n") {
    expectLetters(reader, "ull")
    return undefined
  }
  if (token !== "{") fail(reader, reading, `expect { or n, but found ${show(token)}`)
  return firstKey(reader, reading)
}

/** The first key of an object whose brace has been taken; undefined at its end. */
export function firstKey(reader: JsonReader, reading: ObjectReading): string | undefined {
  enter(reader)
  const token = nextToken(reader)
  if (token === "}") {
    reader.depth--
    return undefined
  }
  if (token !== '"') fail(reader, reading, `expect " after {, but found ${show(token)}`)
  putBack(reader)
  return readKey(reader, reading, token)
}

/** Takes what follows an entry of an object: the next key; undefined at the end of the object. */
export function nextKey(reader: JsonReader, reading: ObjectReading): string | undefined {
  const token = nextToken(reader)
  if (token === ",") return readKey(reader, reading, token)
  if (token !== "}") fail(reader, reading, "object not ended with }")
  reader.depth--
  return undefined
}

/** Whether an array whose bracket has been taken has a first item. */
export function firstItem(reader: JsonReader): boolean {
  enter(reader)
  if (nextToken(reader) !== "]") {
    putBack(reader)
    return true
  }
  reader.depth--
  return false
}

/** Takes what follows an item of an array: true for a comma, false for the end. */
export function nextItem(reader: JsonReader): boolean {
  const token = nextToken(reader)
  if (token === ",") return true
  if (token !== "]") fail(reader, "ReadArrayCB", `expect ] in the end, but found ${show(token)}`)
  reader.depth--
  return false
}

/** The rest of a string whose quote has been taken. */
export function readString(reader: JsonReader, operation: "ReadString" | "trySkipString"): string {
  const end = find(reader, stringStop)
  const stop = reader.chunk[end]
  if (stop === undefined || stop === "\\") return readLongString(reader)
  if (stop !== '"') fail(reader, operation, `invalid control character found: ${stop.charCodeAt(0)}`)
  const text = reader.chunk.slice(reader.head, end)
  reader.head = end + 1
  return textOf(text)
}

/** A number: a bigint for a 64-bit integer beyond the safe range, unless only floats are wanted. */
export function readNumber(
  reader: JsonReader,
  operation: "readFloat64" | "readFloat32" = "readFloat64",
): number | bigint {
  const negative = nextToken(reader) === "-"
  if (!negative) putBack(reader)
  const start = reader.chunk.slice(reader.head, reader.head + 2)
  if (/^[,\]} \t\n]/.test(start)) fail(reader, operation, "empty number")
  if (start[0] === ".") fail(reader, operation, "leading dot is invalid")
  if (/^0\d/.test(start)) fail(reader, operation, "leading zero is invalid")
  const text = readNumberText(reader)
  for (const [pattern, problem] of numberProblems) if (pattern.test(text)) fail(reader, `${operation}SlowPath`, problem)
  const float = Number(text)
  const problem = !floatSyntax.test(text)
    ? "invalid syntax"
    : (operation === "readFloat32" ? Math.fround(float) : float) === Infinity
      ? "value out of range"
      : null
  if (problem !== null) throw new ParseError(`strconv.ParseFloat: parsing ${quoteGo(text)}: ${problem}`)
  if (reader.floats || /\D/.test(text)) return negative ? -float : float
  return parseInteger(negative ? `-${text}` : text)
}

/** Passes the rest of a number whose first byte has been taken. What floats can't hold is accepted here. */
export function skipNumber(reader: JsonReader): void {
  if (skipPlainNumber(reader)) return
  putBack(reader)
  try {
    readNumber(reader)
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    reader.ended = false
    if (!floatSyntax.test(readNumberText(reader))) throw new ParseError("number has no digits")
  }
}

/** Throws a ParseError about the current place, quoting what is around it. */
export function fail(reader: JsonReader, operation: string, problem: string): never {
  const { chunk, head } = reader
  const near = Math.max(head - 10, 0)
  const parsing = quotable(chunk.slice(near, head + 10))
  const context = quotable(chunk.slice(Math.max(head - 50, 0), head + 50))
  throw new ParseError(
    `${operation}: ${problem}, error found in #${head - near} byte of ...|${parsing}|..., bigger context ...|${context}|...`,
  )
}

function enter(reader: JsonReader): void {
  if (++reader.depth > maxJsonDepth) fail(reader, "incrementDepth", "exceeded max depth")
}

/** Where the next byte of a kind is in what is at hand, or -1. */
function find(reader: JsonReader, kind: RegExp): number {
  kind.lastIndex = reader.head
  return kind.test(reader.chunk) ? kind.lastIndex - 1 : -1
}

// Moves the window on. At the end, only an input held as a whole counts what was left of it as read.
function load(reader: JsonReader): boolean {
  if (reader.loaded < reader.bytes.length) {
    reader.chunk = reader.bytes.slice(reader.loaded, reader.loaded + reader.window)
    reader.loaded += reader.chunk.length
    reader.head = 0
    return true
  }
  if (reader.window === 0) reader.head = reader.chunk.length
  reader.ended = true
  return false
}

function readByte(reader: JsonReader): string {
  return reader.head < reader.chunk.length || load(reader) ? (reader.chunk[reader.head++] as string) : none
}

// A key and its colon. An error about a missing colon names the byte there, or else, as the library has it, the one `before`.
function readKey(reader: JsonReader, reading: ObjectReading, before: string): string {
  const first = nextToken(reader)
  let key = ""
  if (first === "n") expectLetters(reader, "ull")
  else if (first === '"') key = readString(reader, "ReadString")
  else fail(reader, "ReadString", `expects " or n, but found ${show(first)}`)
  const colon = nextToken(reader)
  const asMap = reading === "ReadMapCB"
  if (colon !== ":") {
    fail(
      reader,
      asMap ? reading : "ReadObject",
      `expect : after object field, but found ${show(asMap ? before : colon)}`,
    )
  }
  return key
}

// A string with escapes, or over the edge of the window. Control characters pass here, as they do in the library.
function readLongString(reader: JsonReader): string {
  let out = ""
  while (!reader.ended) {
    const byte = readByte(reader)
    if (byte === '"') return textOf(out)
    out += byte === "\\" ? readEscape(reader, readByte(reader)) : byte
  }
  return fail(reader, "readStringSlowPath", "unexpected end of input")
}

function readEscape(reader: JsonReader, byte: string): string {
  if (byte === "u") return readUnicodeEscape(reader)
  const at = '"\\/bfnrt'.indexOf(byte)
  if (at < 0) fail(reader, "readEscapedChar", "invalid escape char after \\")
  return '"\\/\b\f\n\r\t'[at] as string
}

// A surrogate pairs with the escape right behind it; in a failed pair both halves are used up, and become U+FFFD. So does one
// alone. What is cut off by the end of the input does not matter: the string then fails.
function readUnicodeEscape(reader: JsonReader): string {
  const first = readHex4(reader)
  if (!/[\ud800-\udfff]/.test(first)) return bytesOf(first)
  if (readByte(reader) !== "\\") {
    putBack(reader)
    return bytesOf(first)
  }
  const kind = readByte(reader)
  if (reader.ended) return ""
  return kind === "u" ? bytesOf(first + readHex4(reader)) : bytesOf(first) + readEscape(reader, kind)
}

function readHex4(reader: JsonReader): string {
  let digits = ""
  while (digits.length < 4) {
    const byte = readByte(reader)
    if (reader.ended) return ""
    if (!/[\da-f]/i.test(byte)) fail(reader, "readU4", `expects 0~9 or a~f, but found ${show(byte)}`)
    digits += byte
  }
  return String.fromCharCode(Number.parseInt(digits, 16))
}

function readNumberText(reader: JsonReader): string {
  let text = ""
  do {
    const end = find(reader, notNumber)
    text += reader.chunk.slice(reader.head, end < 0 ? undefined : end)
    if (end >= 0) {
      reader.head = end
      break
    }
  } while (load(reader))
  if (text === "") fail(reader, "readNumberAsString", "invalid number")
  return text
}

// Passes digits with at most one dot, up to a byte that ends a number and is in the window; false if there is more to it.
function skipPlainNumber(reader: JsonReader): boolean {
  plainNumber.lastIndex = reader.head
  const [number = "", fraction] = plainNumber.exec(reader.chunk) ?? []
  const end = reader.head + number.length
  const next = reader.chunk[end] ?? none
  if (next === ".") {
    if (fraction !== undefined) fail(reader, "validateNumber", "more than one dot found in number")
    if (end + 1 < reader.chunk.length) fail(reader, "validateNumber", "missing digit after dot")
  }
  if (number === "" || !/[,\]} \t\n\r]/.test(next)) return false
  reader.head = end
  return true
}

const notSpace = /[^ \n\t\r]/g
const stringStop = /["\\]|[^ -\xff]/g
const notNumber = /[^-+.eE\d]/g
const plainNumber = /\d*(\.\d+)?/y
const floatSyntax = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/

const numberProblems: readonly (readonly [RegExp, string])[] = [
  [/^-/, "-- is not valid"],
  [/^[^.]*\.$/, "dot can not be last character"],
  [/^[^.]*\.\D/, "missing digit after dot"],
]

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** A character for each byte of the text as UTF-8; halves of surrogate pairs become U+FFFD. */
function bytesOf(text: string): string {
  return text.replace(/[\x80-\u{10ffff}]/gu, char => String.fromCharCode(...encoder.encode(char)))
}

function textOf(bytes: string): string {
  return bytes.replace(/[\x80-\xff]+/g, run => decoder.decode(Uint8Array.from(run, byte => byte.charCodeAt(0))))
}

function show(byte: string): string {
  return byte < "\x80" ? byte : "\ufffd"
}

// Bytes of UTF-8 cut anywhere. Each byte of a character that is not whole becomes a U+FFFD of its own, as Go shows it; the decoder
// would show but one for a character that lacks its end.
function quotable(bytes: string): string {
  return textOf(bytes.replace(lacksEnd, bytes => "\xff".repeat(bytes.length)))
}
const lacksEnd = /([\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xff][\x80-\xbf]{0,2})$/
