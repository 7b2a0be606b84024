// Reads JSON as Go's encoding/json/jsontext does, with which v7 of the reference reads field sets and values, to find out what is wrong with a
// malformed text. Other readers return the values.
import { maxJsonDepth } from "../reader.js"
import { scalarEnd, skip } from "./scalars.js"
import { after, atStart, escapePointer, invalidCharacter, unexpectedEnd, unquote, within } from "./words.js"

/** The problem of a malformed text, in the library's words. */
export class ProblemV7 extends Error {}

/** The problem of an object that has a name twice. */
export class RepeatedNameV7 extends ProblemV7 {}

/** An open list or map. The outermost one stands for the whole input, and is a list. */
interface Level {
  readonly isMap: boolean
  /** The number of names and values that have been read. */
  length: number
  /** The last name, in bytes. */
  name: string
  readonly names: Set<string>
}

/** An open list or map inside a value that is read at once. */
interface Part {
  readonly isMap: boolean
  length: number
  /** The name or index of the item that is being read. */
  step: string | undefined
}

/** The place that a pointer names: the item before, the list or map itself, or the next item. */
type Where = -1 | 0 | 1

const afterItem = "after array element (expecting ',' or ']')"
const afterEntry = "after object value (expecting ',' or '}')"
const afterName = "after object name (expecting ':')"
const notName = "object member name must be a string"
const tooDeep = "exceeded max depth"

/** Reads tokens. The kind of a token is its first byte, or `0` for a number. The methods throw a ProblemV7 for malformed text. */
export class TokensV7 {
  private readonly bytes: string
  private readonly unique: boolean
  private readonly levels: Level[] = [openLevel(false)]
  /** The position or the problem of the next token, if `peek` has been called. */
  private peeked: number | ProblemV7 | undefined
  /** The bounds of the last token. Delimiters and words such as null have no length. */
  private start = 0
  private end = 0
  /** Where the library's buffer starts: at the last token, once it has run out of input. */
  private bufferStart = 0
  /** The byte that the library overwrote when it left the last token. */
  private overwritten = -1

  /** Reads these bytes. With `unique`, a repeated name is a problem. */
  constructor(bytes: string, unique: boolean) {
    this.bytes = bytes
    this.unique = unique
  }

  /** The number of open lists and maps. */
  get depth(): number {
    return this.levels.length - 1
  }

  /** Whether a name or the end of a map comes next. */
  get needsName(): boolean {
    const { isMap, length } = this.level
    return isMap && length % 2 === 0
  }

  /** Whether a list is open. */
  get isInList(): boolean {
    return this.depth > 0 && !this.level.isMap
  }

  /** The bytes of the last string, number or value. */
  get last(): string {
    return this.bytes.slice(this.start, this.end)
  }

  /** Whether only white space is left. */
  isAtEnd(): boolean {
    const at = skip(space, this.bytes, this.end)
    this.lookFrom(at)
    return at === this.bytes.length
  }

  /** Checks that only white space is left. */
  expectEnd(): void {
    const at = skip(space, this.bytes, this.end)
    if (at < this.bytes.length) this.refuseCharacter("after top-level value", at, 0)
  }

  /** Returns the kind of the next token; "" if it is malformed, which the next read reports. */
  peek(): string {
    try {
      this.peeked ??= this.locate()
    } catch (problem) {
      if (!(problem instanceof ProblemV7)) throw problem
      this.peeked = problem
    }
    return typeof this.peeked === "number" ? kindOf(this.bytes.charAt(this.peeked)) : ""
  }

  /** Takes the next token and returns its kind. */
  readToken(): string {
    const at = this.take()
    const kind = kindOf(this.bytes.charAt(at))
    const opens = kind === "{" || kind === "["
    const closes = kind === "}" || kind === "]"
    const end = opens || closes ? at + 1 : this.scalarEnd(at)
    if (closes) this.close(kind === "}", at)
    else this.count(at, end)
    if (opens) this.levels.push(openLevel(kind === "{"))
    this.end = end
    this.start = kind === '"' || kind === "0" ? at : end
    return kind
  }

  /** Takes a whole value and returns its kind. */
  readValue(): string {
    const at = this.take()
    const end = this.valueEnd(at)
    this.count(at, end)
    this.start = at
    this.end = end
    return kindOf(this.bytes.charAt(at))
  }

  /** Takes a whole value, token by token. */
  skipValue(): void {
    const { depth } = this
    if (/^[[{]/.test(this.peek())) {
      do this.readToken()
      while (this.depth > depth)
    } else this.readValue()
  }

  /** Throws the problem of the last token, a number too large for a float. */
  refuseNumber(): never {
    const shown = this.last.length < 100 ? ` ${this.last}` : ""
    const place = within(this.pointer(-1)) || after(this.start)
    throw new ProblemV7(`json: cannot unmarshal JSON number${shown} into Go float64${place}: value out of range`)
  }

  /** Returns the words for the place at which a reader of tokens failed. */
  place(): string {
    const length = this.lastLength()
    const next = skip(delimiters, this.bytes, this.end)
    const isUntouched = this.depth === 0 && this.level.length === 0
    return within(this.pointer(0)) || after(isUntouched || length === 0 ? next : this.end - length)
  }

  private get level(): Level {
    return this.levels[this.levels.length - 1] as Level
  }

  /** The length of the last token, as the library finds it in its buffer. If it does not find the token, it takes the whole buffer. */
  private lastLength(): number {
    const { start, end } = this
    if (start < end) return end - start
    const buffer = this.bytes.slice(this.bufferStart, end)
    const token = /(?:null|false|true|[{}[\]])$/.exec(buffer)?.[0]
    return (token === undefined || this.overwritten === end - token.length ? buffer : token).length
  }

  private take(): number {
    const { peeked = this.locate() } = this
    this.peeked = undefined
    if (typeof peeked !== "number") throw peeked
    return peeked
  }

  // Returns the position of the next token, and checks the delimiter before it.
  private locate(): number {
    if (this.start < this.end) this.overwritten = this.start
    this.start = this.end
    const from = this.next(this.end, 0)
    const delimiter = /[:,]/.exec(this.bytes.charAt(from))?.[0] ?? ""
    const at = skip(space, this.bytes, from + delimiter.length)
    this.lookFrom(at)
    const expected = this.delimiterBefore(this.bytes[at] ?? '"')
    if (expected === "" && delimiter !== "") this.refuseCharacter(atStart, from, 0)
    if (expected !== delimiter) {
      this.refuseCharacter(expected === ":" ? afterName : this.level.isMap ? afterEntry : afterItem, from, 0)
    }
    return this.next(at, 0)
  }

  private delimiterBefore(token: string): string {
    const { isMap, length } = this.level
    if (isMap && length % 2 === 1) return ":"
    return this.depth > 0 && length > 0 && token !== "}" && token !== "]" ? "," : ""
  }

  /** Counts the name or value between these positions. */
  private count(at: number, end: number): void {
    const { level } = this
    if (this.needsName) {
      if (this.bytes[at] !== '"') this.fail(notName, at, 1)
      level.name = unquote(this.bytes.slice(at, end))
      if (this.unique && level.names.has(level.name)) throw new RepeatedNameV7()
      level.names.add(level.name)
    } else if (this.depth === maxJsonDepth && /[[{]/.test(this.bytes.charAt(at))) this.fail(tooDeep, at, 1)
    level.length++
  }

  private close(isMap: boolean, at: number): void {
    const { level } = this
    if (level.isMap !== isMap || this.depth === 0) this.refuseClosing(at, [])
    if (isMap && level.length % 2 === 1) this.fail("missing value after object name", at, 1)
    this.levels.pop()
  }

  /** Returns the end of a value. Its parts are not counted. */
  private valueEnd(from: number): number {
    const open: Part[] = []
    let at = from
    for (;;) {
      const first = this.bytes.charAt(at)
      const isMap = first === "{"
      if (isMap || first === "[") {
        if (this.depth + open.length === maxJsonDepth) this.fail(tooDeep, at, 1, open)
        at = this.next(at + 1, 1, open)
        if (this.bytes[at] !== (isMap ? "}" : "]")) {
          open.push({ isMap, length: 0, step: undefined })
          at = this.itemStart(at, open)
          continue
        }
        at++
      } else at = this.scalarEnd(at, open)
      for (;;) {
        const part = open[open.length - 1]
        if (part === undefined) return at
        part.step = undefined
        at = this.next(at, 1, open)
        const delimiter = this.bytes[at]
        if (delimiter === ",") {
          part.length++
          at = this.itemStart(this.next(at + 1, 1, open), open)
          break
        }
        if (delimiter !== (part.isMap ? "}" : "]")) {
          this.refuseCharacter(part.isMap ? afterEntry : afterItem, at, 1, open)
        }
        at++
        open.pop()
      }
    }
  }

  /** Returns the position of an item's value, after its name and colon in a map. */
  private itemStart(at: number, open: readonly Part[]): number {
    const part = open[open.length - 1] as Part
    if (!part.isMap) {
      part.step = String(part.length)
      return at
    }
    if (this.bytes[at] !== '"') this.refuseCharacter(`at start of string (expecting '"')`, at, 1, open)
    const end = this.scalarEnd(at, open)
    part.step = escapePointer(unquote(this.bytes.slice(at, end)))
    const colon = this.next(end, 1, open)
    if (this.bytes[colon] !== ":") this.refuseCharacter(afterName, colon, 1, open)
    return this.next(colon + 1, 1, open)
  }

  /** Returns the position after a scalar. */
  private scalarEnd(at: number, open: readonly Part[] = []): number {
    const first = this.bytes.charAt(at)
    if ((this.level.isMap && first === "]") || (!this.level.isMap && first === "}")) this.refuseClosing(at, open)
    const end = scalarEnd(this.bytes, at)
    if (typeof end !== "number") return this.fail(end.problem, end.at, 1, open)
    if (kindOf(first) === "0") this.lookFrom(end)
    return end
  }

  /** Returns the position of the next byte that is not white space. */
  private next(at: number, where: Where, open: readonly Part[] = []): number {
    const next = skip(space, this.bytes, at)
    if (next === this.bytes.length) this.fail(unexpectedEnd, next, where, open)
    return next
  }

  // The library looks for more bytes at the end of the input.
  private lookFrom(at: number): void {
    if (at === this.bytes.length) this.bufferStart = this.start
  }

  private refuseCharacter(problem: string, at: number, where: Where, open: readonly Part[] = []): never {
    return this.fail(invalidCharacter(this.bytes, at, problem), at, where, open)
  }

  // Refuses a bracket or brace that closes nothing.
  private refuseClosing(at: number, open: readonly Part[]): never {
    const { isMap, length } = this.level
    const pointer = this.pointer(1) + stepsOf(open)
    const isFirst = this.depth === 0 || length === 0
    const problem = invalidCharacter(this.bytes, at, isFirst ? atStart : isMap ? afterEntry : afterItem)
    const parent = isFirst ? pointer : pointer.slice(0, Math.max(pointer.lastIndexOf("/"), 0))
    throw new ProblemV7(`jsontext: ${problem}${within(parent)}${after(at)}`)
  }

  private fail(problem: string, at: number, where: Where, open: readonly Part[] = []): never {
    if (problem === unexpectedEnd) this.bufferStart = this.start
    throw new ProblemV7(`jsontext: ${problem}${within(this.pointer(where) + stepsOf(open))}${after(at)}`)
  }

  /** Returns a JSON pointer to what is being read. */
  private pointer(where: Where): string {
    let pointer = ""
    for (let i = 1; i <= this.depth; i++) {
      const { isMap, length, name } = this.levels[i] as Level
      const isLast = i === this.depth
      const isAfterName = isMap && length % 2 === 1
      const ends = where < 0 ? length === 0 : where === 0 ? !isAfterName : isMap && !isAfterName
      if (isLast && ends) break
      pointer += isMap ? `/${escapePointer(name)}` : `/${length - (isLast && where > 0 ? 0 : 1)}`
    }
    return pointer
  }
}

const space = /[ \t\r\n]*/y
const delimiters = /[ \t\r\n:,]*/y

function openLevel(isMap: boolean): Level {
  return { isMap, length: 0, name: "", names: new Set() }
}

function kindOf(byte: string): string {
  return /[-\d]/.test(byte) ? "0" : byte
}

function stepsOf(open: readonly Part[]): string {
  return open.map(({ step }) => (step === undefined ? "" : `/${step}`)).join("")
}
