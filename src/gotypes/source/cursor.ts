// The parser's position in the tokens of a Go file.
import { type Scanned, scanGo, type Token } from "./scan.js"

/** The maximum nesting of types and parentheses in one declaration. */
const maxNesting = 200

const closers: ReadonlyMap<string, string> = new Map([
  ["(", ")"],
  ["[", "]"],
  ["{", "}"],
])

/** Thrown for a syntax error and caught by the parser. */
export class Unreadable extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/** Reads the tokens of a file in order. Every method throws an Unreadable if Go's grammar requires another token. */
export class Cursor {
  readonly comments: Scanned["comments"]
  private readonly text: string
  private readonly tokens: readonly Token[]
  private readonly open: Scanned["open"]
  private depth = 0
  /** The index of the next token. */
  private index = 0

  constructor(text: string) {
    const { tokens, comments, open } = scanGo(text)
    this.text = text
    this.tokens = tokens
    this.comments = comments
    this.open = open
  }

  /** The next token. */
  get token(): Token {
    return this.peek(0)
  }

  get at(): number {
    return this.index
  }

  peek(ahead: number): Token {
    return this.tokenAt(this.index + ahead)
  }

  tokenAt(index: number): Token {
    return this.tokens[Math.min(index, this.tokens.length - 1)] as Token // the last one is of the kind `end`
  }

  next(): Token {
    const { token } = this
    this.index++
    return token
  }

  isAtEnd(): boolean {
    return this.token.kind === "end"
  }

  /** Whether the next token is this keyword or operator. */
  isAt(text: string): boolean {
    const { token } = this
    return token.text === text && (token.kind === "keyword" || token.kind === "operator")
  }

  /** Reads this keyword or operator if it is next. Returns whether it was. */
  take(text: string): boolean {
    if (!this.isAt(text)) return false
    this.index++
    return true
  }

  expect(text: string): void {
    if (!this.take(text)) this.fail()
  }

  name(): string {
    if (this.token.kind !== "name") this.fail()
    return this.next().text
  }

  /** Reads names separated by commas. */
  names(): string[] {
    const names: string[] = []
    do names.push(this.name())
    while (this.take(","))
    return names
  }

  /** Calls `read` one nesting level deeper. */
  nested<T>(read: () => T): T {
    if (this.depth === maxNesting) {
      throw new Unreadable(this.token.line, `types and parentheses nest deeper than ${maxNesting} levels`)
    }
    this.depth++
    const result = read()
    this.depth--
    return result
  }

  /** Skips brackets and everything in them. */
  skipBrackets(open: "(" | "[" | "{"): void {
    if (!this.isAt(open)) this.fail()
    this.index = this.closing(this.index) + 1
  }

  /** Skips everything up to `stop`, the end of the statement or a closing bracket. */
  skipTo(stop: string): void {
    for (; !this.isAt(stop) && !this.isAt(";"); this.index++) {
      const { kind, text } = this.token
      if (kind === "end" || text === ")" || text === "]" || text === "}") return
      if (kind === "illegal") this.fail()
      if (closers.has(text)) this.index = this.closing(this.index)
    }
  }

  /** Returns the index of the bracket that closes the one at `from`; `from` if no bracket opens there. */
  closing(from: number): number {
    const stack: string[] = []
    for (let index = from; index < this.tokens.length; index++) {
      const token = this.tokenAt(index)
      const closer = closers.get(token.text)
      if (closer !== undefined) stack.push(closer)
      else if (token.text === ")" || token.text === "]" || token.text === "}") {
        if (stack.pop() !== token.text) this.fail(token)
      }
      if (stack.length === 0) return index
    }
    return this.fail(this.tokenAt(from), " is not closed")
  }

  /** Returns the source from the token with this index to the last one that was read. */
  textFrom(index: number): string {
    const last = this.tokenAt(this.index - 1)
    return this.text.slice(this.tokenAt(index).from, last.from + last.text.length)
  }

  /** Reports a string or a comment that reaches the end of the file. */
  checkClosed(): void {
    if (this.open !== undefined) this.fail()
  }

  fail(token = this.token, what = ""): never {
    // An open comment or string contains the rest of the file, so report it as the cause.
    if (this.open?.what === "comment") throw new Unreadable(this.open.line, "syntax error: a comment is not closed")
    const open = this.open?.line ?? (token.kind === "illegal" && token.text.startsWith('"') ? token.line : undefined)
    if (open !== undefined) throw new Unreadable(open, "a string is not closed")
    throw new Unreadable(token.line, `syntax error${this.near(token)}${what}`)
  }

  /** Returns the start of a token's line, from the token on, for messages. */
  near({ from }: Token = this.token): string {
    const [rest = ""] = this.text
      .slice(from, from + 1000)
      .trimStart()
      .split("\n", 1)
    return rest === "" ? "" : ` near ${rest.slice(0, 40).trimEnd()}`
  }
}
