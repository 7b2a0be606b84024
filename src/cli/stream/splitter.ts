// Finds the end of each value in a stream of JSON, without parsing it.
//
// Values may be on lines of their own (NDJSON), or follow each other with or without white space, and each may be indented. The items
// of a List or an array are values themselves, so that a List is never in memory as a whole: only the current value is, up to
// `maxValue` bytes.
//
// NDJSON is split at its line breaks: in JSON, a line that ends with "}" before a line that begins with "{" ends a value. For
// everything else, `scan` looks at every byte for quotes and brackets. Both find the same values, whatever the chunks of bytes are.
import { textAt } from "../../value/fields.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"

/** The apiVersion and kind that a List has before its items. A part that is not there is "". */
export interface ListHead {
  readonly apiVersion: string
  readonly kind: string
}

/**
 * The reason for a missing value: the bytes are not JSON (`broken`), there are too many of them, they do not begin like an object, or
 * the rest of a List can't be split.
 */
export type UnitProblem = "broken" | "too-large" | "no-object" | "broken-list"

/** A value of the stream, still as bytes. */
export interface Unit {
  readonly file: string
  /** The line in which it begins, counted from 1. */
  readonly line: number
  /** The offsets of its bytes in the batch. */
  readonly start: number
  readonly end: number
  /** The List that it comes from; absent for other values. */
  readonly list?: ListHead
  /** Set if the bytes are a line, which may hold several values. */
  readonly isLine?: true
  readonly problem?: UnitProblem
}

/** Values that are passed on together. */
export interface Batch {
  readonly bytes: Uint8Array
  readonly units: readonly Unit[]
}

/** The largest object in bytes. An API server accepts three million. */
export const maxValue = 16 * 2 ** 20

/** The longest line in bytes that is taken as a whole. */
const maxLine = 2 ** 20

const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const comma = 0x2c
const colon = 0x3a
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openMap = 0x7b
const closeMap = 0x7d
const byteOrderMark = [0xef, 0xbb, 0xbf]

/** Whether `scan` has to look at a byte outside of strings. */
const structural = new Uint8Array(256)
for (const byte of [lineFeed, quote, openList, closeList, openMap, closeMap]) structural[byte] = 1

/** The part of the stream to which the next byte belongs. */
type State =
  /** White space between values. */
  | "between"
  | "value"
  /** A value that is skipped because it is too large. */
  | "passing"
  /** Bytes that are not a value, up to a line that begins with "{". */
  | "garbage"
  | "first-item"
  | "next-item"
  | "after-item"
  /** The rest of a List after its items. */
  | "tail"

/** The depth up to which brackets are remembered. Deeper ones are only counted, because the JSON reader refuses such values anyway. */
const knownDepth = 10_000

/** Splits the bytes of one file. */
export class Splitter {
  private readonly file: string
  private readonly largest: number
  private bytes = Buffer.allocUnsafeSlow(0)
  /** The number of bytes in `bytes` that are filled. */
  private length = 0
  private units: Unit[] = []
  private state: State = "between"
  /** The next byte to look at, and its line. */
  private at = 0
  private line: number
  /** The offset and line of the current value. All bytes before it are in `units`, or no longer needed. */
  private first = 0
  private firstLine = 1
  /** The line in which the last value ends. */
  private lastLine = 1
  /** The open brackets of the current value: their number and kinds. `inString` and `escaped` are its state in a string. */
  private depth = 0
  private readonly brackets = new Uint8Array(knownDepth)
  private inString = false
  private escaped = false
  /** The List or array whose items are read; undefined outside of one. */
  private list: ListHead | "array" | undefined
  /** Between values and in garbage: whether a line begins here. */
  private atLineStart = true
  /** The bytes of a byte order mark found at the beginning of the file so far; 3 if there can be no more. */
  private marks = 0

  /** `line` is the number of the first line, and `largest` is the largest value in bytes. */
  constructor(
    file: string,
    { line = 1, largest = maxValue }: { readonly line?: number; readonly largest?: number } = {},
  ) {
    this.file = file
    this.line = line
    this.largest = largest
  }

  /** The number of bytes that `take` would return. */
  get ready(): number {
    return this.units.length === 0 ? 0 : this.first
  }

  /** Adds a copy of these bytes. */
  push(chunk: Uint8Array): void {
    const needed = this.length + chunk.length
    if (needed > this.bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
      this.bytes.copy(larger, 0, 0, this.length)
      this.bytes = larger
    }
    this.bytes.set(chunk, this.length)
    this.length = needed
    this.advance()
  }

  /** Ends the file. An incomplete value becomes a problem. */
  end(): void {
    if (this.list !== undefined) this.addProblem("broken-list", this.length)
    else if (this.state === "value") this.addProblem("broken", this.length)
    this.first = this.length
  }

  /** Returns the values that were found since the last call; undefined without any. Their bytes belong to the caller. */
  take(): Batch | undefined {
    const { units, bytes, first, length } = this
    if (first === 0 && units.length === 0) return undefined
    this.units = []
    this.bytes = Buffer.allocUnsafeSlow(length - first)
    bytes.copy(this.bytes, 0, first, length)
    this.at -= first
    this.length -= first
    this.first = 0
    return units.length === 0 ? undefined : { bytes: bytes.subarray(0, first), units }
  }

  private advance(): void {
    while (this.at < this.length) {
      switch (this.state) {
        case "between":
          this.readBetween()
          break
        case "value":
          this.readValue()
          break
        case "passing":
        case "tail":
          this.pass()
          break
        case "garbage":
          this.readGarbage()
          break
        default:
          this.readItems()
      }
    }
  }

  /** Skips white space. Returns the byte after it, or undefined if it has not arrived yet. */
  private skipSpace(): number | undefined {
    for (; this.at < this.length; this.at++) {
      const byte = this.bytes[this.at] as number
      if (byte === lineFeed) this.line++
      else if (byte !== 0x20 && byte !== carriageReturn && byte !== 0x09) return byte
      this.atLineStart = byte === lineFeed
    }
    this.first = this.at
    return undefined
  }

  private readBetween(): void {
    for (; this.marks < 3 && this.at < this.length; this.at++) {
      if (this.bytes[this.at] !== byteOrderMark[this.marks]) {
        this.marks = 3
        break
      }
      this.marks++
    }
    const byte = this.skipSpace()
    if (byte === undefined) return
    if (byte === openMap) {
      if (!this.takeLine()) this.begin()
    } else if (byte === openList) {
      this.at++
      this.list = "array"
      this.state = "first-item"
    } else if (byte === comma) this.at++
    else {
      this.addProblem("no-object", this.at, this.line)
      this.startGarbage(this.at, false)
    }
  }

  /** Takes the line that begins here, if a value ends at its end. */
  private takeLine(): boolean {
    const { bytes, at } = this
    const end = bytes.indexOf(lineFeed, at)
    if (end < 0 || end + 1 >= this.length || end - at > Math.min(maxLine, this.largest)) return false
    if (bytes[end + 1] !== openMap) return false
    const last = bytes[end - 1] === carriageReturn ? end - 2 : end - 1
    if (bytes[last] !== closeMap) return false
    this.units.push({ file: this.file, line: this.line, start: at, end: last + 1, isLine: true })
    this.at = end + 1
    this.first = this.at
    this.line++
    return true
  }

  private begin(): void {
    this.first = this.at
    this.firstLine = this.line
    this.depth = 0
    this.inString = false
    this.escaped = false
    this.state = "value"
  }

  private readValue(): void {
    const byte = this.bytes[this.first] as number
    const isScalar = byte !== openMap && byte !== openList && byte !== quote
    const limit = this.first + this.largest
    const stop = Math.min(this.length, limit + 1)
    const found = isScalar ? this.scanScalar(stop) : this.scan(stop, true)
    if (found === "list") return
    if (found === "broken") this.recover()
    else if (this.at > limit) {
      this.addProblem("too-large", this.at)
      this.state = "passing"
      if (found === "end") this.finish()
    } else if (found === "end") {
      this.units.push({
        file: this.file,
        line: this.firstLine,
        start: this.first,
        end: this.at,
        ...(this.list !== undefined && this.list !== "array" && { list: this.list }),
      })
      this.finish()
    }
  }

  /** Continues after a value. */
  private finish(): void {
    this.first = this.at
    this.lastLine = this.line
    this.atLineStart = false
    this.state = this.list === undefined ? "between" : "after-item"
  }

  /** Continues after bytes that are not JSON: at the "{" that began a line where no value can begin, or at a later such line. */
  private recover(): void {
    const { at, bytes } = this
    this.addProblem(this.list === undefined ? "broken" : "broken-list", at)
    const isAtLine = bytes[at - 1] !== lineFeed && bytes[at - 2] === lineFeed
    this.startGarbage(isAtLine ? at - 1 : at, isAtLine || bytes[at - 1] === lineFeed)
  }

  /** Skips the rest of a value or of a List. */
  private pass(): void {
    const found = this.scan(this.length, false)
    this.first = this.at
    if (found === "broken") {
      if (this.list !== undefined) this.addProblem("broken-list", this.at, this.line - 1)
      this.startGarbage(this.at, true)
    } else if (found === "end") {
      if (this.state === "tail") this.list = undefined
      this.finish()
    }
  }

  private startGarbage(at: number, atLineStart: boolean): void {
    this.state = "garbage"
    this.list = undefined
    this.at = at
    this.first = at
    this.atLineStart = atLineStart
  }

  private readGarbage(): void {
    const { bytes, length } = this
    if (this.atLineStart && bytes[this.at] === openMap) {
      this.state = "between"
      return
    }
    const end = bytes.indexOf(lineFeed, this.at)
    this.atLineStart = end >= 0 && end < length
    this.at = this.atLineStart ? end + 1 : length
    this.first = this.at
    if (this.atLineStart) this.line++
  }

  private readItems(): void {
    const byte = this.skipSpace()
    if (byte === undefined) return
    const isEnd = byte === closeList && this.state !== "next-item"
    const isNext = byte === comma && this.state === "after-item"
    if (isEnd || isNext) {
      this.at++
      this.first = this.at
      if (isNext) this.state = "next-item"
      else this.endItems()
    } else if (
      this.state === "after-item" ||
      byte === comma ||
      byte === colon ||
      byte === closeMap ||
      byte === closeList
    ) {
      // After an item, the problem is reported at the line of the item, which takeLine may have taken as a whole.
      this.addProblem("broken-list", this.at, this.state === "after-item" ? this.lastLine : this.line)
      this.startGarbage(this.at, this.atLineStart)
    } else this.begin()
  }

  private endItems(): void {
    if (this.list === "array") {
      this.list = undefined
      this.state = "between"
      return
    }
    this.state = "tail"
    this.depth = 1
    this.inString = false
    this.escaped = false
  }

  private addProblem(problem: UnitProblem, at: number, line = this.firstLine): void {
    this.units.push({ file: this.file, line, start: at, end: at, problem })
  }

  private scanScalar(stop: number): "end" | undefined {
    const { bytes } = this
    for (; this.at < stop; this.at++) {
      const byte = bytes[this.at]
      const isOver = byte === comma || byte === closeList || byte === 0x20 || byte === 0x09
      if (isOver || byte === lineFeed || byte === carriageReturn) return "end"
    }
    return undefined
  }

  /**
   * Looks for the end of the value. Moves `at` behind it, behind a byte that can't be part of a value ("broken"), or behind the "[" of
   * the items of a List ("list"). `isKept` says that all bytes of the value are available from `first` on.
   */
  private scan(stop: number, isKept: boolean): "end" | "broken" | "list" | undefined {
    const { bytes, brackets } = this
    let { at, depth, line, inString, escaped } = this
    let found: "end" | "broken" | "list" | undefined
    while (at < stop && found === undefined) {
      let byte = bytes[at++] as number
      if (inString) {
        for (; ; byte = bytes[at++] as number) {
          if (escaped) escaped = false
          else if (byte === quote) {
            inString = false
            if (depth === 0) found = "end"
            break
          } else if (byte === backslash) escaped = true
          if (byte === lineFeed) {
            line++
            found = "broken"
            break
          }
          if (at >= stop) break
        }
      } else if (structural[byte] === 1) {
        if (byte === quote) inString = true
        else if (byte === lineFeed) line++
        else if (byte === closeMap || byte === closeList) {
          if (--depth === 0) found = "end"
        } else if (isKept && byte === openMap && depth > 0 && !this.mayBegin(at - 1, brackets[depth - 1]))
          found = "broken"
        else if (isKept && byte === openList && depth === 1 && this.beginsItems(at - 1)) found = "list"
        else {
          if (depth < knownDepth) brackets[depth] = byte
          depth++
        }
      }
    }
    this.at = at
    this.depth = depth
    this.line = line
    this.inString = inString
    this.escaped = escaped
    return found
  }

  /** Whether a map may begin at `at` inside this bracket: in a list at its beginning or after a comma, in a map after a colon. */
  private mayBegin(at: number, bracket: number | undefined): boolean {
    const before = this.bytes[this.beforeSpace(at)]
    if (bracket === undefined) return true
    return bracket === openMap ? before === colon : before === openList || before === comma
  }

  /** The offset of the last byte before `at` that is not white space. */
  private beforeSpace(at: number): number {
    let before = at - 1
    while (before > this.first && (this.bytes[before] as number) <= 0x20) before--
    return before
  }

  /** Whether the "[" at `at` opens the items of a List. If so, the next value is the first item. */
  private beginsItems(at: number): boolean {
    const { bytes } = this
    if (this.list !== undefined || bytes[this.first] !== openMap) return false
    const colonAt = this.beforeSpace(at)
    const end = this.beforeSpace(colonAt) + 1
    const start = end - itemsKey.length
    if (bytes[colonAt] !== colon || start <= this.first) return false
    if (itemsKey.compare(bytes, start, end) !== 0 || bytes[start - 1] === backslash) return false
    const head = headOf(bytes.toString("utf8", this.first, start))
    if (head === undefined) return false
    this.list = head
    this.first = at + 1
    this.state = "first-item"
    return true
  }
}

const itemsKey = Buffer.from('"items"')

/** The head of the List that begins with `text`; undefined for any other object. */
function headOf(text: string): ListHead | undefined {
  try {
    const value = JSON.parse(`${text.replace(/,\s*$/, "")}}`) as Value
    return isMap(value) ? listHead(value) : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the apiVersion and kind that an object has before its `items`; undefined if it is not a List. An object without a kind before
 * its items counts as a List, because kubectl prints `kind: List` after them.
 */
export function listHead(object: MapValue): ListHead | undefined {
  let head = { apiVersion: "", kind: "" }
  for (const key in object) {
    if (key === "items") break
    if (key === "apiVersion" || key === "kind") head = { ...head, [key]: textAt(object, key) }
  }
  return head.kind === "" || head.kind.endsWith("List") ? head : undefined
}
