// A JSON reader that accepts and refuses exactly what Go's json-iterator library does, in the same words.
//
// Errors count and quote bytes, so the reader works on a string with one character for each byte. It holds the whole input, or a
// window of fixed size, as the library does for a stream. Error messages depend on the window: they can't quote the bytes before it.
// Well-formed text rarely gets here, since JSON.parse and the FieldsV1 scanner come first.
import { ParseError } from "../errors.js"
import { quoteGo } from "../value/quote.js"
import { parseInteger } from "./number.js"

/** How deep json-iterator lets JSON nest. */
export const maxJsonDepth = 10_000

/** The function with which the library reads an object. Errors name it. */
export type ObjectReading = "ReadMapCB" | "ReadObjectCB"

/** Stands for the byte after the last one. */
const none = "\0"

/** Reads JSON from an input, token by token. Each method reads one thing and moves on to the next. */
export class JsonReader {
  private readonly bytes: string
  private readonly window: number
  private readonly floats: boolean
  /** The bytes in the window; they end at offset `loaded` of the input. */
  private chunk: string
  private loaded: number
  /** The index in `chunk` of the next byte to read. */
  head = 0
  private depth = 0
  /** Set once the input has run out. From then on nothing is put back. */
  private ended = false

  /** Reads `text`, through a window of `window` bytes unless that is 0. With `floats`, integers are read as floats too. */
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

  /** Takes the next byte that is not white space, and returns it; `none` at the end. */
  nextToken(): string {
    do {
      // Usually, the next byte is not a space. A search for it would take most of the time.
      const at = (this.chunk[this.head] ?? "") > " " ? this.head : this.find(notSpace)
      if (at >= 0) {
        this.head = at + 1
        return this.chunk[at] as string
      }
    } while (this.load())
    return none
  }

  /** Puts back the byte that was taken last, unless the input has run out. */
  putBack(): void {
    if (!this.ended) this.head--
  }

  /** Checks that nothing but white space is left. */
  expectEnd(): void {
    this.nextToken()
    this.putBack()
    if (!this.ended) this.fail("managedFields parsing", "unexpected trailing data after JSON object")
  }

  /** Takes the remaining letters of a literal. Fails on any other byte. */
  expectLetters(letters: string): void {
    for (const letter of letters) {
      if (this.readByte() !== letter) {
        this.fail(letters.length === 3 ? "skipThreeBytes" : "skipFourBytes", `expect ${letters}`)
      }
    }
  }

  /** Takes the start of an object and its first key; undefined for an empty object or null. */
  openObject(reading: ObjectReading): string | undefined {
    const token = this.nextToken()
    if (token === "n") {
      this.expectLetters("ull")
      return undefined
    }
    if (token !== "{") this.fail(reading, `expect { or n, but found ${shownByte(token)}`)
    return this.firstKey(reading)
  }

  /** Takes the first key of an object whose brace has been taken. Returns undefined at the end of the object. */
  firstKey(reading: ObjectReading): string | undefined {
    this.enter()
    const token = this.nextToken()
    if (token === "}") {
      this.depth--
      return undefined
    }
    if (token !== '"') this.fail(reading, `expect " after {, but found ${shownByte(token)}`)
    this.putBack()
    return this.readKey(reading, token)
  }

  /** Takes the next key after an entry of an object. Returns undefined at the end of the object. */
  nextKey(reading: ObjectReading): string | undefined {
    const token = this.nextToken()
    if (token === ",") return this.readKey(reading, token)
    if (token !== "}") this.fail(reading, "object not ended with }")
    this.depth--
    return undefined
  }

  /** Whether an array whose bracket has been taken has items. Takes the closing bracket if not. */
  firstItem(): boolean {
    this.enter()
    if (this.nextToken() !== "]") {
      this.putBack()
      return true
    }
    this.depth--
    return false
  }

  /** Takes the byte after an item of an array. Returns true for a comma, false for the closing bracket. */
  nextItem(): boolean {
    const token = this.nextToken()
    if (token === ",") return true
    if (token !== "]") this.fail("ReadArrayCB", `expect ] in the end, but found ${shownByte(token)}`)
    this.depth--
    return false
  }

  /** Takes the rest of a string whose quote has been taken. */
  readString(operation: "ReadString" | "trySkipString"): string {
    const end = this.find(stringStop)
    const stop = this.chunk[end]
    if (stop === undefined || stop === "\\") return this.readLongString()
    if (stop !== '"') this.fail(operation, `invalid control character found: ${stop.charCodeAt(0)}`)
    const text = this.chunk.slice(this.head, end)
    this.head = end + 1
    return decodeText(text)
  }

  /** Takes a number. Returns a bigint for a 64-bit integer beyond the safe range, unless every number is read as a float. */
  readNumber(operation: "readFloat64" | "readFloat32" = "readFloat64"): number | bigint {
    const negative = this.nextToken() === "-"
    if (!negative) this.putBack()
    const start = this.chunk.slice(this.head, this.head + 2)
    if (/^[,\]} \t\n]/.test(start)) this.fail(operation, "empty number")
    if (start[0] === ".") this.fail(operation, "leading dot is invalid")
    if (/^0\d/.test(start)) this.fail(operation, "leading zero is invalid")
    const text = this.readNumberText()
    for (const [pattern, problem] of numberProblems) if (pattern.test(text)) this.fail(`${operation}SlowPath`, problem)
    const float = Number(text)
    const problem = !floatSyntax.test(text)
      ? "invalid syntax"
      : (operation === "readFloat32" ? Math.fround(float) : float) === Infinity
        ? "value out of range"
        : null
    if (problem !== null) throw new ParseError(`strconv.ParseFloat: parsing ${quoteGo(text)}: ${problem}`)
    if (this.floats || /\D/.test(text)) return negative ? -float : float
    return parseInteger(negative ? `-${text}` : text)
  }

  /** Skips the rest of a number whose first byte has been taken. Accepts numbers that floats can't hold. */
  skipNumber(): void {
    if (this.skipPlainNumber()) return
    this.putBack()
    try {
      this.readNumber()
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      this.ended = false
      if (!floatSyntax.test(this.readNumberText())) throw new ParseError("number has no digits")
    }
  }

  /** Throws a ParseError that quotes the text around the next byte. */
  fail(operation: string, problem: string): never {
    const { chunk, head } = this
    const near = Math.max(head - 10, 0)
    const parsing = quotable(chunk.slice(near, head + 10))
    const context = quotable(chunk.slice(Math.max(head - 50, 0), head + 50))
    throw new ParseError(
      `${operation}: ${problem}, error found in #${head - near} byte of ...|${parsing}|..., bigger context ...|${context}|...`,
    )
  }

  private enter(): void {
    if (++this.depth > maxJsonDepth) this.fail("incrementDepth", "exceeded max depth")
  }

  /** Returns the index in `chunk` of the next byte of this kind, or -1. */
  private find(kind: RegExp): number {
    kind.lastIndex = this.head
    return kind.test(this.chunk) ? kind.lastIndex - 1 : -1
  }

  // Moves the window on. At the end of the input, the rest counts as read only if the input is held as a whole.
  private load(): boolean {
    if (this.loaded < this.bytes.length) {
      this.chunk = this.bytes.slice(this.loaded, this.loaded + this.window)
      this.loaded += this.chunk.length
      this.head = 0
      return true
    }
    if (this.window === 0) this.head = this.chunk.length
    this.ended = true
    return false
  }

  private readByte(): string {
    return this.head < this.chunk.length || this.load() ? (this.chunk[this.head++] as string) : none
  }

  // Takes a key and its colon. An error about a missing colon names the byte found there. In ReadMapCB, it names the byte `before`
  // the key instead, as json-iterator does.
  private readKey(reading: ObjectReading, before: string): string {
    const first = this.nextToken()
    let key = ""
    if (first === "n") this.expectLetters("ull")
    else if (first === '"') key = this.readString("ReadString")
    else this.fail("ReadString", `expects " or n, but found ${shownByte(first)}`)
    const colon = this.nextToken()
    const asMap = reading === "ReadMapCB"
    if (colon !== ":") {
      this.fail(
        asMap ? reading : "ReadObject",
        `expect : after object field, but found ${shownByte(asMap ? before : colon)}`,
      )
    }
    return key
  }

  // Reads a string that has escapes or crosses the end of the window. Accepts control characters, as the library does here.
  private readLongString(): string {
    let out = ""
    while (!this.ended) {
      const byte = this.readByte()
      if (byte === '"') return decodeText(out)
      out += byte === "\\" ? this.readEscape(this.readByte()) : byte
    }
    return this.fail("readStringSlowPath", "unexpected end of input")
  }

  private readEscape(byte: string): string {
    if (byte === "u") return this.readUnicodeEscape()
    const at = '"\\/bfnrt'.indexOf(byte)
    if (at < 0) this.fail("readEscapedChar", "invalid escape char after \\")
    return '"\\/\b\f\n\r\t'[at] as string
  }

  // A surrogate forms a pair with the escape right after it. If that fails, both become U+FFFD, as does a single surrogate. An
  // escape that the end of the input cuts off does not matter, since the string then fails.
  private readUnicodeEscape(): string {
    const first = this.readHex4()
    if (!/[\ud800-\udfff]/.test(first)) return bytesOf(first)
    if (this.readByte() !== "\\") {
      this.putBack()
      return bytesOf(first)
    }
    const kind = this.readByte()
    if (this.ended) return ""
    return kind === "u" ? bytesOf(first + this.readHex4()) : bytesOf(first) + this.readEscape(kind)
  }

  private readHex4(): string {
    let digits = ""
    while (digits.length < 4) {
      const byte = this.readByte()
      if (this.ended) return ""
      if (!/[\da-f]/i.test(byte)) this.fail("readU4", `expects 0~9 or a~f, but found ${shownByte(byte)}`)
      digits += byte
    }
    return String.fromCharCode(Number.parseInt(digits, 16))
  }

  private readNumberText(): string {
    let text = ""
    do {
      const end = this.find(notNumber)
      text += this.chunk.slice(this.head, end < 0 ? undefined : end)
      if (end >= 0) {
        this.head = end
        break
      }
    } while (this.load())
    if (text === "") this.fail("readNumberAsString", "invalid number")
    return text
  }

  // Skips digits with at most one dot, up to a byte that ends a number and is in the window. Returns false if there is more to do.
  private skipPlainNumber(): boolean {
    plainNumber.lastIndex = this.head
    const [number = "", fraction] = plainNumber.exec(this.chunk) ?? []
    const end = this.head + number.length
    const next = this.chunk[end] ?? none
    if (next === ".") {
      if (fraction !== undefined) this.fail("validateNumber", "more than one dot found in number")
      if (end + 1 < this.chunk.length) this.fail("validateNumber", "missing digit after dot")
    }
    if (number === "" || !/[,\]} \t\n\r]/.test(next)) return false
    this.head = end
    return true
  }
}

const notSpace = /[^ \n\t\r]/g
const stringStop = /["\\]|[^ -\xff]/g
const notNumber = /[^-+.eE\d]/g
const plainNumber = /\d*(\.\d+)?/y
const floatSyntax = /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/

const numberProblems: readonly (readonly [RegExp, string])[] = [
  [/^-/, "-- is not valid"],
  [/^[^.]*\.$/, "dot can not be last character"],
  [/^[^.]*\.\D/, "missing digit after dot"],
]

const encoder = new TextEncoder()
const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** Encodes the text as UTF-8, with one character for each byte. Single surrogates become U+FFFD. */
export function bytesOf(text: string): string {
  return text.replace(/[\x80-\u{10ffff}]/gu, char => String.fromCharCode(...encoder.encode(char)))
}

/** Decodes UTF-8 that has one character for each byte. */
export function decodeText(bytes: string): string {
  return bytes.replace(/[\x80-\xff]+/g, run => decoder.decode(Uint8Array.from(run, byte => byte.charCodeAt(0))))
}

function shownByte(byte: string): string {
  return byte < "\x80" ? byte : "\ufffd"
}

// Decodes UTF-8 that may be cut anywhere. Each byte of an incomplete character becomes a U+FFFD, as in Go. The decoder alone would
// write a single U+FFFD for the whole character.
function quotable(bytes: string): string {
  return decodeText(bytes.replace(lacksEnd, bytes => "\xff".repeat(bytes.length)))
}
/** Matches the start of a character at the end of the bytes. */
export const lacksEnd: RegExp = /([\xc0-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xff][\x80-\xbf]{0,2})$/
