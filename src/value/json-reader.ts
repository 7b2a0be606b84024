// A JSON reader that accepts and refuses exactly what Go's json-iterator library does, in the same words.
//
// It works on bytes, because the errors count and quote bytes, and knows two ways to hold its input: all at once, or through a
// window of fixed size, as a stream is read. The window shows in the errors: what has been left behind can't be quoted.
// It is the careful reader. What is in order never gets here: JSON.parse and the FieldsV1 scanner come first.
import { ParseError } from "../errors.js"
import { parseInteger } from "./number.js"
import { quoteGo } from "./quote.js"

/** How deep json-iterator lets JSON nest. */
export const maxJsonDepth = 10_000

/** The bytes that mean something in JSON. */
export const BYTE = {
  quote: 0x22,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  f: 0x66,
  n: 0x6e,
  t: 0x74,
  u: 0x75,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const

/** The place in the input, and everything that can be read from there in one step. */
export class JsonReader {
  private readonly bytes: Uint8Array
  private readonly window: number
  /** The bytes at hand are those from `start` to `tail`; `head` is the next one to read. */
  private start = 0
  private tail: number
  private head = 0
  private depth = 0
  /** Set once the input has run out. From then on nothing is put back. */
  private ended = false
  private readonly floats: boolean

  /** Reads `text`, through a window of so many bytes where one is given. With `floats`, integers are floats too. */
  constructor(
    text: string,
    { window = 0, floats = false }: { readonly window?: number; readonly floats?: boolean } = {},
  ) {
    this.bytes = encoder.encode(text)
    this.window = window
    this.floats = floats
    this.tail = window === 0 ? this.bytes.length : 0
  }

  /** The next byte that is not white space, taken; 0 at the end. */
  nextToken(): number {
    do {
      for (let i = this.head; i < this.tail; i++) {
        const byte = this.bytes[i] as number
        if (byte === 0x20 || byte === 0x0a || byte === 0x09 || byte === 0x0d) continue
        this.head = i + 1
        return byte
      }
    } while (this.load())
    return 0
  }

  /** Puts the byte taken last back, unless the input has run out. */
  putBack(): void {
    if (!this.ended) this.head--
  }

  /** Checks that nothing but white space is left. */
  expectEnd(): void {
    this.nextToken()
    this.putBack()
    if (!this.ended) this.fail("managedFields parsing", "unexpected trailing data after JSON object")
  }

  /** Takes the letters, the rest of a literal. */
  expectLetters(letters: string): void {
    for (let i = 0; i < letters.length; i++) {
      if (this.readByte() !== letters.charCodeAt(i)) {
        this.fail(letters.length === 3 ? "skipThreeBytes" : "skipFourBytes", `expect ${letters}`)
      }
    }
  }

  /** Takes the start of an object; true where its first key follows, false for an empty object or null. */
  openObject(operation: "ReadMapCB" | "ReadObjectCB"): boolean {
    const byte = this.nextToken()
    if (byte === BYTE.n) {
      this.expectLetters("ull")
      return false
    }
    if (byte !== BYTE.openBrace) this.fail(operation, `expect { or n, but found ${showByte(byte)}`)
    this.enter()
    const next = this.nextToken()
    if (next === BYTE.closeBrace) {
      this.depth--
      return false
    }
    if (next !== BYTE.quote) this.fail(operation, `expect " after {, but found ${showByte(next)}`)
    this.putBack()
    return true
  }

  /** Takes what follows an entry of an object: true for a comma, false for the end. */
  continueObject(operation: "ReadMapCB" | "ReadObjectCB"): boolean {
    const byte = this.nextToken()
    if (byte === BYTE.comma) return true
    if (byte !== BYTE.closeBrace) this.fail(operation, "object not ended with }")
    this.depth--
    return false
  }

  /** A key and its colon. The error about a missing colon names the byte `before` the key, as the library has it. */
  readMapKey(before: number): string {
    const key = this.readString()
    if (this.nextToken() !== BYTE.colon) {
      this.fail("ReadMapCB", `expect : after object field, but found ${showByte(before)}`)
    }
    return key
  }

  /** A key and its colon, in the words used for objects that are not read as maps. */
  readObjectKey(): string {
    const key = this.readString()
    const byte = this.nextToken()
    if (byte !== BYTE.colon) this.fail("ReadObject", `expect : after object field, but found ${showByte(byte)}`)
    return key
  }

  /** Takes the start of an array; true where its first item follows. */
  openArray(): boolean {
    this.nextToken()
    this.enter()
    if (this.nextToken() === BYTE.closeBracket) {
      this.depth--
      return false
    }
    this.putBack()
    return true
  }

  /** Takes what follows an item of an array: true for a comma, false for the end. */
  continueArray(): boolean {
    const byte = this.nextToken()
    if (byte === BYTE.comma) return true
    if (byte !== BYTE.closeBracket) this.fail("ReadArrayCB", `expect ] in the end, but found ${showByte(byte)}`)
    this.depth--
    return false
  }

  /** A string; `null` stands for the empty one. */
  readString(): string {
    const byte = this.nextToken()
    if (byte === BYTE.n) {
      this.expectLetters("ull")
      return ""
    }
    if (byte !== BYTE.quote) this.fail("ReadString", `expects " or n, but found ${showByte(byte)}`)
    const from = this.head
    const end = this.plainEnd("ReadString")
    return end < 0 ? this.readLongString() : decoder.decode(this.bytes.subarray(from, end))
  }

  /** Passes the rest of a string whose quote has been taken. */
  skipString(): void {
    if (this.plainEnd("trySkipString") >= 0) return
    this.putBack()
    this.readString()
  }

  /** A number: a bigint for a 64-bit integer beyond the safe range, unless only floats are wanted. */
  readNumber(operation: "readFloat64" | "readFloat32" = "readFloat64"): number | bigint {
    const negative = this.nextToken() === BYTE.minus
    if (!negative) this.putBack()
    if (this.head < this.tail) {
      const first = this.bytes[this.head] as number
      if (endsNumber(first) && first !== 0x0d) this.fail(operation, "empty number")
      if (first === BYTE.dot) this.fail(operation, "leading dot is invalid")
      if (first === BYTE.zero && this.head + 1 < this.tail && isDigit(this.bytes[this.head + 1] as number)) {
        this.fail(operation, "leading zero is invalid")
      }
    }
    const text = this.readNumberText()
    const problem = numberProblem(text)
    if (problem !== "") this.fail(`${operation}SlowPath`, problem)
    if (!floatSyntax.test(text)) throw new ParseError(`strconv.ParseFloat: parsing ${quoteGo(text)}: invalid syntax`)
    const float = Number(text)
    if (!Number.isFinite(operation === "readFloat32" ? Math.fround(float) : float)) {
      throw new ParseError(`strconv.ParseFloat: parsing ${quoteGo(text)}: value out of range`)
    }
    if (this.floats || !/^\d+$/.test(text)) return negative ? -float : float
    return parseInteger(negative ? `-${text}` : text)
  }

  /** Passes the rest of a number whose first byte has been taken. What floats can't hold is accepted here. */
  skipNumber(): void {
    if (this.skipPlainNumber()) return
    this.putBack()
    try {
      this.readNumber()
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      this.ended = false
      const text = this.readNumberText()
      if (!floatSyntax.test(text)) throw new ParseError("number has no digits")
    }
  }

  /** Throws a ParseError about the current place, quoting what is around it. */
  fail(operation: string, problem: string): never {
    const near = Math.max(this.head - 10, this.start)
    const far = Math.max(this.head - 50, this.start)
    const parsing = showBytes(this.bytes.subarray(near, Math.min(this.head + 10, this.tail)))
    const context = showBytes(this.bytes.subarray(far, Math.min(this.head + 50, this.tail)))
    throw new ParseError(
      `${operation}: ${problem}, error found in #${this.head - near} byte of ...|${parsing}|..., bigger context ...|${context}|...`,
    )
  }

  private enter(): void {
    if (++this.depth > maxJsonDepth) this.fail("incrementDepth", "exceeded max depth")
  }

  // Moves the window on. At the end, only an input held as a whole counts what was left of it as read.
  private load(): boolean {
    if (this.window > 0 && this.tail < this.bytes.length) {
      this.start = this.head = this.tail
      this.tail = Math.min(this.tail + this.window, this.bytes.length)
      return true
    }
    if (this.window === 0) this.head = this.tail
    this.ended = true
    return false
  }

  private readByte(): number {
    if (this.head === this.tail && !this.load()) return 0
    return this.bytes[this.head++] as number
  }

  // Passes a string without escapes that ends within the window and gives the place of its closing quote; -1 if it isn't one.
  private plainEnd(operation: string): number {
    for (let i = this.head; i < this.tail; i++) {
      const byte = this.bytes[i] as number
      if (byte === BYTE.quote) {
        this.head = i + 1
        return i
      }
      if (byte === BYTE.backslash) return -1
      if (byte < 0x20) this.fail(operation, `invalid control character found: ${byte}`)
    }
    return -1
  }

  // A string with escapes, or over the edge of the window. Control characters pass here, as they do in the library.
  private readLongString(): string {
    const out: number[] = []
    while (!this.ended) {
      const byte = this.readByte()
      if (byte === BYTE.quote) return decoder.decode(Uint8Array.from(out))
      if (byte === BYTE.backslash) this.readEscape(this.readByte(), out)
      else out.push(byte)
    }
    return this.fail("readStringSlowPath", "unexpected end of input")
  }

  private readEscape(byte: number, out: number[]): void {
    if (byte === BYTE.u) {
      this.readUnicodeEscape(out)
      return
    }
    const at = '"\\/bfnrt'.indexOf(String.fromCharCode(byte))
    if (at < 0) this.fail("readEscapedChar", "invalid escape char after \\")
    out.push('"\\/\b\f\n\r\t'.charCodeAt(at))
  }

  // A surrogate pairs with the escape right behind it or becomes U+FFFD; in a failed pair both halves are used up.
  private readUnicodeEscape(out: number[]): void {
    const first = this.readHex4()
    if (!isSurrogate(first)) {
      pushChar(out, first)
      return
    }
    const next = this.readByte()
    if (this.ended) return
    if (next !== BYTE.backslash) {
      this.putBack()
      pushChar(out, first)
      return
    }
    const kind = this.readByte()
    if (this.ended) return
    if (kind !== BYTE.u) {
      pushChar(out, first)
      this.readEscape(kind, out)
      return
    }
    const second = this.readHex4()
    if (this.ended) return
    if (first < 0xdc00 && second >= 0xdc00 && second < 0xe000) {
      pushChar(out, 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
      return
    }
    pushChar(out, first)
    pushChar(out, second)
  }

  private readHex4(): number {
    let code = 0
    for (let i = 0; i < 4; i++) {
      const byte = this.readByte()
      if (this.ended) return code
      const digit = Number.parseInt(String.fromCharCode(byte), 16)
      if (Number.isNaN(digit)) this.fail("readU4", `expects 0~9 or a~f, but found ${showByte(byte)}`)
      code = code * 16 + digit
    }
    return code
  }

  private readNumberText(): string {
    let text = ""
    do {
      for (let i = this.head; i < this.tail; i++) {
        const char = String.fromCharCode(this.bytes[i] as number)
        if (!numberChar.test(char)) {
          this.head = i
          if (text === "") this.fail("readNumberAsString", "invalid number")
          return text
        }
        text += char
      }
    } while (this.load())
    if (text === "") this.fail("readNumberAsString", "invalid number")
    return text
  }

  // Passes digits with at most one dot, up to a byte that ends a number and is in the window; false if there is more to it.
  private skipPlainNumber(): boolean {
    let dots = 0
    for (let i = this.head; i < this.tail; i++) {
      const byte = this.bytes[i] as number
      if (isDigit(byte)) continue
      if (byte === BYTE.dot) {
        if (++dots > 1) this.fail("validateNumber", "more than one dot found in number")
        if (i + 1 === this.tail) return false
        if (!isDigit(this.bytes[i + 1] as number)) this.fail("validateNumber", "missing digit after dot")
      } else {
        if (!endsNumber(byte) || this.head === i) return false
        this.head = i
        return true
      }
    }
    return false
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const numberChar = /[-+.eE0-9]/
const floatSyntax = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/

function numberProblem(text: string): string {
  if (text.startsWith("-")) return "-- is not valid"
  const dot = text.indexOf(".")
  if (dot < 0) return ""
  if (dot === text.length - 1) return "dot can not be last character"
  return isDigit(text.charCodeAt(dot + 1)) ? "" : "missing digit after dot"
}

export function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function endsNumber(byte: number): boolean {
  return (
    byte === BYTE.comma ||
    byte === BYTE.closeBracket ||
    byte === BYTE.closeBrace ||
    byte === 0x20 ||
    byte === 0x09 ||
    byte === 0x0a ||
    byte === 0x0d
  )
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000
}

function pushChar(out: number[], code: number): void {
  out.push(...encoder.encode(isSurrogate(code) ? "\ufffd" : String.fromCodePoint(code)))
}

function showByte(byte: number): string {
  return byte < 0x80 ? String.fromCharCode(byte) : "\ufffd"
}

// Bytes of UTF-8 cut anywhere. Each byte of a character that is not whole becomes a U+FFFD of its own, as Go shows it.
function showBytes(bytes: Uint8Array): string {
  let from = 0
  while (from < bytes.length && ((bytes[from] as number) & 0xc0) === 0x80) from++
  let last = bytes.length
  while (last > from && ((bytes[last - 1] as number) & 0xc0) === 0x80) last--
  if (last > from && (bytes[last - 1] as number) >= 0xc0) last--
  const lead = (bytes[last] as number | undefined) ?? 0
  const size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : bytes.length - last
  const to = last + size <= bytes.length ? bytes.length : last
  return "\ufffd".repeat(from) + decoder.decode(bytes.subarray(from, to)) + "\ufffd".repeat(bytes.length - to)
}
