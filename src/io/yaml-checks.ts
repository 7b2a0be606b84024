// Syntax errors that Go's reader of YAML 1.1 finds, and that the yaml package ignores because it reads YAML 1.2.
import type { CST } from "yaml"
import type { LineIndex } from "./line-index.js"
import { hasText } from "./syntax/characters.js"
import { yamlError } from "./yaml-document.js"

/** Yields the tokens of a stream. Throws a ParseError at the first one that Go's reader refuses. */
export function* checked(tokens: Iterable<CST.Token>, text: string, lines: LineIndex): Generator<CST.Token> {
  const checks = new Checks(text, lines)
  for (const token of tokens) {
    checks.top(token)
    yield token
  }
  checks.end()
}

class Checks {
  private readonly text: string
  private readonly lines: LineIndex
  /** Whether the key of a block mapping may begin here. A tab may not be here then. */
  private isKeyAllowed = true
  private flowLevel = 0
  /** The indentation of the innermost block collection; -1 outside of all. */
  private indent = -1
  private hasDocument = false
  /** The directives of the next document. */
  private directives: CST.Directive[] = []
  /** The offset of the next U+2028 or U+2029. */
  private separator: number

  constructor(text: string, lines: LineIndex) {
    this.text = text
    this.lines = lines
    this.separator = this.separatorFrom(text.startsWith("\ufeff") ? 1 : 0)
  }

  /** Checks a token that is not part of another token. */
  top(token: CST.Token): void {
    this.refuseSeparator(token.offset)
    if (token.type === "directive") this.directive(token)
    else if (token.type === "doc-end" && !this.hasDocument) this.fail(token, "there is no document that ends here")
    else if (token.type === "document") {
      const isStarted = token.start.some(({ type }) => type === "doc-start")
      if (!isStarted) this.requireNoDirective()
      this.directives = []
      this.hasDocument ||= isStarted || token.value !== undefined
    }
    this.visit(token)
  }

  end(): void {
    this.requireNoDirective()
    this.refuseSeparator(this.text.length)
  }

  private directive(token: CST.Directive): void {
    const [, version] = /^%YAML[ \t]+(\S+)/.exec(token.source) ?? []
    if (version !== undefined && version !== "1.1") {
      this.fail(token, `YAML ${version} is not supported: Kubernetes reads YAML 1.1`)
    }
    if (version !== undefined && this.directives.some(({ source }) => /^%YAML\b/.test(source))) {
      this.fail(token, "duplicate %YAML directive")
    }
    this.directives.push(token)
  }

  private requireNoDirective(): void {
    const [directive] = this.directives
    if (directive !== undefined) this.fail(directive, "expected --- and a document after a directive")
  }

  // Tokens come in the order of the text. Their depth was checked before.
  private visit(token: CST.Token): void {
    this.refuseSeparator(token.offset)
    switch (token.type) {
      case "document":
        this.visitAll(token.start)
        if (token.value) this.visit(token.value)
        this.visitAll(token.end)
        return
      case "block-map":
      case "block-seq": {
        const { indent } = this
        this.indent = token.indent
        for (const item of token.items) this.item(item, token.indent)
        this.indent = indent
        return
      }
      case "flow-collection":
        this.flowLevel++
        this.visit(token.start)
        for (const item of token.items) this.item(item, undefined)
        this.flowLevel--
        this.visitAll(token.end)
        return
      case "block-scalar":
        this.visitAll(token.props)
        this.blockScalar(token)
        this.isKeyAllowed = true
        return
      case "scalar":
      case "single-quoted-scalar":
      case "double-quoted-scalar":
      case "alias":
        this.isKeyAllowed = false
        this.flowScalar(token)
        this.visitAll(token.end)
        return
      case "space":
        if (this.isKeyAllowed && this.flowLevel === 0 && token.source.includes("\t")) {
          this.fail(token, "tabs are not allowed as indentation")
        }
        return
      case "newline":
        this.isKeyAllowed = true
        return
      case "seq-item-ind":
      case "explicit-key-ind":
        this.isKeyAllowed = true
        return
      case "anchor":
        this.name(token)
        this.isKeyAllowed = false
        return
      case "tag":
        this.tag(token)
        this.isKeyAllowed = false
        return
      case "doc-end":
        this.visitAll(token.end)
        return
      case "comment":
        return
      case "byte-order-mark":
        if (/[ \t]/.test(this.text.charAt(1))) this.fail(token, "spaces must not follow a byte order mark")
        return
      default:
        this.isKeyAllowed = false
    }
  }

  private visitAll(tokens: readonly CST.Token[] | undefined): void {
    if (tokens !== undefined) for (const token of tokens) this.visit(token)
  }

  // A field of a map or an item of a list; `indent` is that of a block collection.
  private item({ start, key, sep, value }: CST.CollectionItem, indent: number | undefined): void {
    this.visitAll(start)
    const isExplicit = start.some(({ type }) => type === "explicit-key-ind")
    if (key) this.visit(key)
    const colon = sep?.find(({ type }) => type === "map-value-ind")
    const stray = colon === undefined && sep !== undefined ? (sep.find(hasMeaning) ?? value) : undefined
    if (stray !== undefined) this.fail(stray, 'expected ":" after a key')
    for (const token of sep ?? []) {
      this.visit(token)
      if (token !== colon) continue
      if (!isExplicit && key && "source" in key) {
        this.requireOneLine((indent === undefined ? start.find(hasMeaning) : undefined) ?? key, colon)
      }
      if (isExplicit && indent !== undefined && this.lines.positionOf(colon.offset).column !== indent + 1) {
        this.fail(colon, 'the ":" of a key that begins with "?" has to be below it')
      }
      this.isKeyAllowed = isExplicit
    }
    if (value) this.visit(value)
  }

  private requireOneLine(key: CST.Token, colon: CST.SourceToken): void {
    if (/[\n\u2028\u2029]/.test(this.text.slice(key.offset, colon.offset))) {
      this.fail(key, "a key has to be on one line with its colon")
    }
  }

  private flowScalar(token: CST.FlowScalar): void {
    const { type, source } = token
    const end = token.offset + source.length
    if (type === "alias") this.name(token)
    else if (type === "scalar") {
      this.refuseSeparator(end)
      this.requireIndented(token)
      if (this.flowLevel > 0 && (source.includes("?") || source.startsWith(":"))) {
        this.fail(token, 'text in brackets that has "?" in it or begins with ":" needs quotes')
      }
    } else {
      if (!isClosed(source)) this.fail({ offset: end }, "quotes are not closed")
      if (source.startsWith('"') && foldedEscape.test(source))
        this.fail(token, "an empty line must not follow an escaped line break")
      if (this.separator >= end) return
      if (movedSeparator.test(source)) this.refuseSeparator(end)
      this.separator = this.separatorFrom(end)
    }
  }

  // The lines of plain text after its first one.
  private requireIndented({ offset, source }: CST.FlowScalar): void {
    if (this.flowLevel > 0) return
    for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) {
      const [line = "", spaces = ""] = /^( *)[^\n]*/.exec(source.slice(at + 1)) ?? []
      if (hasText(line) && spaces.length <= this.indent) this.fail({ offset: offset + at + 1 }, "expected a key")
    }
  }

  private blockScalar({ offset, props, source }: CST.BlockScalar): void {
    const first = source.split("\n").find(hasText)
    if (first !== undefined && !first.startsWith(" ")) this.fail({ offset }, "a block of text has to be indented")
    // Before the first line with content, which may be indented by less, a tab counts as indentation.
    if (/^(?: *\r?\n)* *\t/.test(source)) this.fail({ offset }, "tabs are not allowed as indentation")
    const last = props.at(-1) as CST.SourceToken
    const end = last.offset + last.source.length
    if (last.type !== "newline" && end < this.text.length) this.fail({ offset: end }, "expected a line break")
    const rest = this.text.slice(end + source.length)
    let filled = source.length
    while (filled > 0 && !hasText(source.charAt(filled - 1))) filled--
    const blank = source.slice(filled) + (hasText(rest) ? "" : rest)
    if (blank.includes(" ") && props.some(prop => prop.type === "block-scalar-header" && /\d/.test(prop.source))) {
      this.fail({ offset }, "a block of text that has its indentation in its header must not end with spaces")
    }
  }

  /** Checks an anchor or an alias. */
  private name(token: CST.SourceToken | CST.FlowScalar): void {
    if (!/^[&*][\w-]+$/.test(token.source)) {
      this.fail(token, "the name of an anchor has only letters, digits, - and _")
    }
  }

  private tag(token: CST.SourceToken): void {
    if (!tagForm.test(token.source)) this.fail(token, "malformed tag")
    if (/\S/.test(this.text.charAt(token.offset + token.source.length)))
      this.fail(token, "expected a space after the tag")
  }

  private refuseSeparator(end: number): void {
    if (this.separator >= end) return
    const code = this.text.charCodeAt(this.separator).toString(16)
    this.fail({ offset: this.separator }, `the character U+${code} has to be written as \\u${code} in double quotes`)
  }

  private separatorFrom(start: number): number {
    const found = this.text.slice(start).search(/[\u2028\u2029\ufeff]/)
    return found < 0 ? Number.POSITIVE_INFINITY : start + found
  }

  private fail({ offset }: { readonly offset: number }, message: string): never {
    throw yamlError(this.lines, offset, message)
  }
}

function hasMeaning({ type }: CST.SourceToken): boolean {
  return type === "anchor" || type === "tag"
}

const tagForm = /^!(?:<(?:[\w;/?:@&=+$,.!~*'()[\]-]|%[\da-fA-F]{2})+>|(?:[\w;/?:@&=+$,.!~*'()[\]-]|%[\da-fA-F]{2})*)$/

/** Whether quoted text ends with the quotes that close it, and not with escaped ones. */
function isClosed(source: string): boolean {
  const last = source.length - 1
  if (last < 1 || source[last] !== source[0]) return false
  let before = last
  if (source[0] === '"') {
    while (source[before - 1] === "\\") before--
    return (last - before) % 2 === 0
  }
  while (before > 0 && source[before - 1] === "'") before--
  return (last - Math.max(before, 1)) % 2 === 0
}

/** An escaped line break that is followed by an empty line: Go keeps the second break, the yaml package makes a space of it. */
const foldedEscape = /(?:^|[^\\])(?:\\\\)*\\\r?\n[ \t]*\r?\n/

/** U+2028 or U+2029 in quotes, in places where Go would drop the characters next to it, or begin a document. */
const movedSeparator = /[\s\\][\u2028\u2029]|[\u2028\u2029](?:[ \t\r\n]|---|\.\.\.)/
