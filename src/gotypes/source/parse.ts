// Parses Go source to data (go-file.ts). The parser reads declarations of types and constants. It skips the bodies of functions
// and the values of variables.

import { Comments } from "./comments.js"
import { constantIn } from "./constants.js"
import { Cursor, Unreadable } from "./cursor.js"
import type { Findings, GoTypesPlace } from "./errors.js"
import type { GoConst, GoField, GoFile, GoType, GoTypeDecl } from "./go-file.js"
import { structTags, unquote } from "./literals.js"

/** The keywords that begin a type. */
const typeKeywords = new Set(["chan", "func", "interface", "map", "struct"])

/** Reads a file up to the first syntax error, which is reported to `findings`. */
export function parseGoFile(file: string, text: string, findings: Findings): GoFile {
  return new FileReader(file, text, findings).read()
}

class FileReader {
  private readonly file: string
  private readonly findings: Findings
  private readonly tokens: Cursor
  private readonly comments: Comments
  private packageName = ""
  private packageLine = 0
  private readonly imports: GoFile["imports"][number][] = []
  private readonly types: GoTypeDecl[] = []
  private readonly consts: GoConst[] = []
  private readonly methods = new Map<string, readonly string[]>()

  constructor(file: string, text: string, findings: Findings) {
    this.file = file
    this.findings = findings
    this.tokens = new Cursor(text)
    const lines = text.split("\n")
    this.comments = new Comments(this.tokens.comments, line => line > 0 && (lines[line - 1] ?? "").trim() === "")
  }

  read(): GoFile {
    try {
      this.declarations()
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      this.findings.error(this.place(error.line), error.message)
    }
    const { file, packageName, imports, types, consts, methods } = this
    return { file, packageName, packageDoc: this.comments.before(this.packageLine), imports, types, consts, methods }
  }

  private declarations(): void {
    const { tokens } = this
    this.packageLine = tokens.token.line
    if (!tokens.take("package")) throw new Unreadable(this.packageLine, "expected a package clause")
    this.packageName = tokens.name()
    while (!tokens.isAtEnd()) {
      tokens.expect(";")
      while (tokens.take(";")) {}
      if (!tokens.isAtEnd()) this.declaration()
    }
    tokens.checkClosed()
  }

  private declaration(): void {
    const { tokens } = this
    if (tokens.take("import")) this.eachSpec(() => this.readImport())
    else if (tokens.take("type")) this.eachSpec(() => this.readType())
    else if (tokens.take("const")) this.eachSpec(() => this.readConst())
    else if (tokens.take("var")) this.eachSpec(() => tokens.skipTo(";"))
    else if (tokens.take("func")) this.readFunction()
    else throw new Unreadable(tokens.token.line, `expected a declaration${tokens.near()}`)
  }

  /** Reads one spec, or several in parentheses. */
  private eachSpec(read: () => void): void {
    if (this.tokens.isAt("(")) this.between("(", ";", ")", read)
    else read()
  }

  /** Calls `read` for each part between two brackets. */
  private between(open: string, separator: string, close: string, read: () => void): void {
    const { tokens } = this
    tokens.expect(open)
    while (!tokens.take(close)) {
      read()
      if (!tokens.isAt(close)) tokens.expect(separator)
    }
  }

  private readImport(): void {
    const { tokens } = this
    const alias = tokens.take(".") ? "." : tokens.token.kind === "name" ? tokens.name() : undefined
    if (tokens.token.kind !== "string") tokens.fail()
    this.imports.push({ alias, path: unquote(tokens.next().text) })
  }

  private readType(): void {
    const { tokens } = this
    const { line } = tokens.token
    const name = tokens.name()
    const params = tokens.isAt("[") && this.opensParameters() ? this.typeParameters() : []
    const alias = tokens.take("=")
    this.types.push({ name, params, alias, type: this.type(), line, ...this.commentsAt(line) })
  }

  /** Whether the bracket after the name of a type opens its parameters. Otherwise it opens the length of an array. */
  private opensParameters(): boolean {
    const { tokens } = this
    const [first, second] = [tokens.peek(1), tokens.peek(2)]
    if (first.kind !== "name") return false
    if (second.kind === "name" || [",", "~", "[", "<-"].includes(second.text)) return true
    if (second.text !== "*" && second.text !== "(") return typeKeywords.has(second.text)
    // As in Go, [P *T] is a product, unless it continues as only a constraint can.
    for (let at = tokens.at, end = tokens.closing(at); at < end; at++) {
      const { text } = tokens.tokenAt(at)
      if (text === "," || text === "~" || typeKeywords.has(text)) return true
    }
    return false
  }

  /** Reads the names of the parameters of a type and skips their constraints. */
  private typeParameters(): string[] {
    const { tokens } = this
    const names: string[] = []
    this.between("[", ",", "]", () => {
      names.push(...tokens.names())
      tokens.skipTo(",")
    })
    return names
  }

  private commentsAt(line: number): Pick<GoField, "doc" | "detached"> {
    return { doc: this.comments.doc(line), detached: this.comments.detached(line) }
  }

  private type(): GoType {
    return this.tokens.nested(() => this.typeHere())
  }

  private typeHere(): GoType {
    const { tokens } = this
    const from = tokens.at
    if (tokens.token.kind === "name") return this.namedType()
    if (tokens.isAt("[")) return this.listType()
    if (tokens.take("*")) return { kind: "pointer", element: this.type() }
    if (tokens.take("map")) return { kind: "map", key: this.inBrackets("[", "]"), element: this.type() }
    if (tokens.take("struct")) return { kind: "struct", fields: this.fields() }
    if (tokens.isAt("(")) return this.inBrackets("(", ")")
    if (tokens.take("interface")) {
      tokens.skipBrackets("{")
      return { kind: "interface" }
    }
    if (tokens.take("func")) this.skipSignature()
    else this.skipChannel()
    return { kind: "other", text: tokens.textFrom(from) }
  }

  private inBrackets(open: string, close: string): GoType {
    this.tokens.expect(open)
    const type = this.type()
    this.tokens.expect(close)
    return type
  }

  private namedType(): GoType {
    const { tokens } = this
    const first = tokens.name()
    const second = tokens.take(".") ? tokens.name() : undefined
    const args: GoType[] = []
    if (tokens.isAt("[")) this.between("[", ",", "]", () => args.push(this.type()))
    const [from, name] = second === undefined ? ["", first] : [first, second]
    return { kind: "named", package: from, name, ...(args.length > 0 && { args }) }
  }

  private listType(): GoType {
    const { tokens } = this
    const kind = tokens.peek(1).text === "]" ? "slice" : "array"
    tokens.skipBrackets("[")
    return { kind, element: this.type() }
  }

  private fields(): GoField[] {
    const fields: GoField[] = []
    this.between("{", ";", "}", () => fields.push(...this.field()))
    return fields
  }

  private field(): GoField[] {
    const { tokens } = this
    const { line } = tokens.token
    const names = this.isEmbedded() ? [] : tokens.names()
    const type = this.type()
    const tag = tokens.token.kind === "string" ? tokens.next() : undefined
    const tags = structTags(tag === undefined ? "" : unquote(tag.text))
    if (tags === undefined) this.findings.error(this.place(tag?.line ?? line), `malformed struct tag ${tag?.text}`)
    // A trailing comment follows the last line of the field.
    const trailing = this.comments.trailing(tokens.peek(-1).lastLine)
    const common = { type, line, tags: tags ?? new Map(), ...this.commentsAt(line), trailing }
    if (names.length > 0) return names.map(name => ({ ...common, name, embedded: false }))
    const inner = type.kind === "pointer" ? type.element : type
    return [{ ...common, name: inner.kind === "named" ? inner.name : "", embedded: true }]
  }

  /** Whether the next tokens are a type without a field name. */
  private isEmbedded(): boolean {
    const { tokens } = this
    if (tokens.isAt("*")) return true
    // Brackets contain type arguments if nothing follows them. Otherwise they belong to the type of a field.
    const isBracket = tokens.peek(1).text === "["
    const behind = isBracket ? tokens.tokenAt(tokens.closing(tokens.at + 1) + 1) : tokens.peek(1)
    return [".", ";", "}"].includes(behind.text) || behind.kind === "string"
  }

  private readConst(): void {
    const { tokens } = this
    const { line } = tokens.token
    const names = tokens.names()
    const declared = tokens.isAt("=") || tokens.isAt(";") || tokens.isAt(")") ? undefined : this.type()
    const doc = this.comments.doc(line)
    const ranges: { readonly from: number; readonly to: number }[] = []
    for (let more = tokens.take("="); more; more = tokens.take(",")) {
      const from = tokens.at
      tokens.skipTo(",")
      if (tokens.at === from) tokens.fail()
      ranges.push({ from, to: tokens.at })
    }
    names.forEach((name, index) => {
      const range = ranges[index]
      const constant = range && constantIn(tokens, range.from, range.to)
      this.consts.push({ name, type: declared ?? constant?.type, value: constant?.value, doc })
    })
  }

  private readFunction(): void {
    const { tokens } = this
    const receiver = tokens.isAt("(") ? this.receiver() : undefined
    const name = tokens.name()
    if (tokens.isAt("[")) tokens.skipBrackets("[")
    this.skipSignature()
    if (!tokens.isAt("{")) return
    const from = tokens.at
    tokens.skipBrackets("{")
    if (receiver === undefined) return
    const texts: string[] = []
    for (let at = from; at < tokens.at; at++) {
      const { kind, text } = tokens.tokenAt(at)
      if (kind === "string") texts.push(unquote(text))
    }
    this.methods.set(`${receiver}.${name}`, texts)
  }

  /** Reads the name of a method's receiver type: the last name in the parentheses, except for type arguments. */
  private receiver(): string | undefined {
    const { tokens } = this
    const from = tokens.at
    tokens.skipBrackets("(")
    let type: string | undefined
    for (let at = from + 1; at < tokens.at; at++) {
      const { kind, text } = tokens.tokenAt(at)
      if (kind === "name") type = text
      if (text === "[") at = tokens.closing(at)
    }
    return type
  }

  /** Skips parameters and results. */
  private skipSignature(): void {
    const { tokens } = this
    tokens.skipBrackets("(")
    const { kind, text } = tokens.token
    if (tokens.isAt("(")) tokens.skipBrackets("(")
    else if (kind === "name" || typeKeywords.has(text) || ["*", "[", "<-"].includes(text)) this.type()
  }

  private skipChannel(): void {
    const { tokens } = this
    const receives = tokens.take("<-")
    tokens.expect("chan")
    if (!receives) tokens.take("<-")
    this.type()
  }

  private place(line: number): GoTypesPlace {
    return { file: this.file, line, type: "", field: "" }
  }
}
