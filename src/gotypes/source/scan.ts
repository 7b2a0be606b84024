// Scans the tokens and comments of Go source by the lexical rules of the language, including semicolons at line ends.
import type { Comment } from "./comments.js"

/** A token. */
export interface Token {
  /** Operators include brackets, commas and semicolons; `illegal` is text that is not valid in Go; `end` follows the last token. */
  readonly kind: "name" | "keyword" | "string" | "number" | "rune" | "operator" | "illegal" | "end"
  /** The text as written; ";" for a semicolon that a line end implies. */
  readonly text: string
  /** The offset in the source. */
  readonly from: number
  /** The lines of its first and last characters, counted from 1. They differ for strings in backticks. */
  readonly line: number
  readonly lastLine: number
}

/** The contents of a file. */
export interface Scanned {
  /** The last one is of the kind `end`. */
  readonly tokens: readonly Token[]
  readonly comments: readonly Comment[]
  /** The string in backticks or the comment that is not closed before the end of the file. */
  readonly open: { readonly what: "string" | "comment"; readonly line: number } | undefined
}

const keywords = new Set(
  (
    "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return " +
    "select struct switch type var"
  ).split(" "),
)

/** Keywords and operators after which a line end implies a semicolon, as it does after names, literals and closing brackets. */
const endings = new Set(["break", "continue", "fallthrough", "return", "++", "--", ")", "]", "}"])

const space = /[ \t\r]*/y
const name = /[\p{L}_][\p{L}\p{Nd}_]*/uy
const number =
  /0[xX][\da-fA-F_.]+(?:[pP][+-]?[\d_]+)?i?|0[bBoO][\d_]+i?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?[\d_]+)?i?/y
const rune = /'(?:\\[^\n]|[^'\\\n])[^'\n]*'/uy
const operator = /\.\.\.|<<=?|>>=?|&\^=?|&&|\|\||<-|\+\+|--|[-+*/%&|^<>=!:]=|[-+*/%&|^<>=!()[\]{},;.:~]/y

const patterns = [
  ["number", number],
  ["rune", rune],
  ["operator", operator],
] as const

/** Scans a file. Text that is not valid Go becomes tokens of the kind `illegal`. */
export function scanGo(text: string): Scanned {
  return new Scanner(text).scan()
}

class Scanner {
  private readonly text: string
  private readonly tokens: Token[] = []
  private readonly comments: Comment[] = []
  private open: Scanned["open"]
  private at: number
  private line = 1
  private lineStart = 0

  constructor(text: string) {
    this.text = text
    this.at = text.startsWith("\uFEFF") ? 1 : 0
  }

  scan(): Scanned {
    const { text, tokens, comments } = this
    for (;;) {
      this.at += this.match(space)?.length ?? 0
      if (this.at >= text.length) break
      if (text.charAt(this.at) === "\n") {
        this.endLine()
        this.at++
        this.newLine()
      } else if (text.startsWith("//", this.at)) this.comment(this.indexOf("\n"))
      else if (text.startsWith("/*", this.at)) this.comment(this.closing("*/", "comment", 2))
      else this.token()
    }
    this.endLine()
    tokens.push({ kind: "end", text: "", from: this.at, line: this.line, lastLine: this.line })
    return { tokens, comments, open: this.open }
  }

  private token(): void {
    const { at: from, line } = this
    const { kind, text } = this.tokenHere()
    this.at += text.length
    this.countLines(from, text)
    this.tokens.push({ kind, text, from, line, lastLine: this.line })
  }

  private tokenHere(): Pick<Token, "kind" | "text"> {
    const first = this.text.charAt(this.at)
    if (first === '"') return this.stringHere()
    if (first === "`") return { kind: "string", text: this.text.slice(this.at, this.closing("`", "string", 1)) }
    const word = this.match(name)
    if (word !== undefined) return { kind: keywords.has(word) ? "keyword" : "name", text: word }
    for (const [kind, pattern] of patterns) {
      const text = this.match(pattern)
      if (text !== undefined) return { kind, text }
    }
    return { kind: "illegal", text: String.fromCodePoint(this.text.codePointAt(this.at) ?? 0) }
  }

  /** Scans a string in double quotes, which is illegal if it is not closed on its line. */
  private stringHere(): Pick<Token, "kind" | "text"> {
    const end = this.indexOf("\n")
    for (let at = this.at + 1; at < end; at++) {
      const character = this.text.charAt(at)
      if (character === '"') return { kind: "string", text: this.text.slice(this.at, at + 1) }
      if (character === "\\") at++
    }
    return { kind: "illegal", text: this.text.slice(this.at, end) }
  }

  private comment(end: number): void {
    const { at, line, lineStart } = this
    const text = this.text.slice(at, end)
    const trailing = this.text.slice(lineStart, at).trim() !== ""
    this.comments.push({ text: text.replaceAll("\r", ""), line, trailing })
    // A comment that spans lines ends a statement like a line end.
    if (text.includes("\n")) this.endLine()
    this.at = end
    this.countLines(at, text)
  }

  /** Adds the semicolon that a line end implies in Go. */
  private endLine(): void {
    const last = this.tokens.at(-1)
    if (last === undefined) return
    const ends = last.kind === "keyword" || last.kind === "operator" ? endings.has(last.text) : true
    if (ends) this.tokens.push({ kind: "operator", text: ";", from: this.at, line: this.line, lastLine: this.line })
  }

  private countLines(from: number, text: string): void {
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
      this.line++
      this.lineStart = from + at + 1
    }
  }

  private newLine(): void {
    this.line++
    this.lineStart = this.at
  }

  /** Returns the offset of the next `end`, or of the end of the file. */
  private indexOf(end: string): number {
    const found = this.text.indexOf(end, this.at)
    return found < 0 ? this.text.length : found
  }

  /** Returns the offset after the next `end`; the opening takes `width` characters. */
  private closing(end: string, what: "string" | "comment", width: number): number {
    const found = this.text.indexOf(end, this.at + width)
    if (found >= 0) return found + end.length
    this.open ??= { what, line: this.line }
    return this.text.length
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    return pattern.exec(this.text)?.[0]
  }
}
