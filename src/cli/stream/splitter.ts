// Finds the end of each value in a stream of JSON, without parsing it.
//
// Values may be on lines of their own (NDJSON), or follow each other with or without white space, and each may be indented. The items
// of a List or an array are values themselves, so that a List is never in memory as a whole: only the current value is, up to
// `maxValue` bytes.
//
// NDJSON is split at its line breaks: in JSON, a line that ends with "}" before a line that begins with "{" ends a value. For
// everything else, a ValueScanner looks at every byte for quotes and brackets. Both find the same values, whatever the chunks of bytes are.
import { headOfText, type ListHead } from "./list-head.js"
import {
  backslash,
  beforeSpace,
  carriageReturn,
  closeList,
  closeMap,
  colon,
  comma,
  lineFeed,
  openList,
  openMap,
  quote,
  type ScanResult,
  ValueScanner,
} from "./scan.js"
import { type Batch, maxValue, type Unit, type UnitProblem } from "./unit.js"

/** The longest line in bytes that is taken as a whole. */
const maxLine = 2 ** 20

const byteOrderMark = [0xef, 0xbb, 0xbf]

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
  /** Scans the current value. */
  private readonly scanner = new ValueScanner(at => this.beginsItems(at))
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
    this.scanner.begin()
    this.state = "value"
  }

  private readValue(): void {
    const byte = this.bytes[this.first] as number
    const isScalar = byte !== openMap && byte !== openList && byte !== quote
    const limit = this.first + this.largest
    const stop = Math.min(this.length, limit + 1)
    const found = isScalar ? this.scanScalar(stop) : this.scan(stop, this.first)
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
    const found = this.scan(this.length, undefined)
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
    this.scanner.begin(1)
  }

  private addProblem(problem: UnitProblem, at: number, line = this.firstLine): void {
    this.units.push({ file: this.file, line, start: at, end: at, problem })
  }

  /** Moves on to the end of the value, or to a place where it can't go on. `first` is the offset of the value if all of it is kept. */
  private scan(stop: number, first: number | undefined): ScanResult {
    const { scanner } = this
    const found = scanner.scan(this.bytes, this.at, stop, first)
    this.at = scanner.at
    this.line += scanner.lines
    return found
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

  /** Whether the "[" at `at` opens the items of a List. If so, the next value is the first item. */
  private beginsItems(at: number): boolean {
    const { bytes } = this
    if (this.list !== undefined || bytes[this.first] !== openMap) return false
    const colonAt = beforeSpace(bytes, at, this.first)
    const end = beforeSpace(bytes, colonAt, this.first) + 1
    const start = end - itemsKey.length
    if (bytes[colonAt] !== colon || start <= this.first) return false
    if (itemsKey.compare(bytes, start, end) !== 0 || bytes[start - 1] === backslash) return false
    const head = headOfText(bytes.toString("utf8", this.first, start))
    if (head === undefined) return false
    this.list = head
    this.first = at + 1
    this.state = "first-item"
    return true
  }
}

const itemsKey = Buffer.from('"items"')
