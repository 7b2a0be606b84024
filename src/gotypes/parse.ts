// Go source to data (go-file.ts), by the grammar of @lezer/go. That parser goes on after what it can't read, and takes a little
// more than Go does, so whatever it skipped is an error here.
import type { parser as goParser } from "@lezer/go"
import { type Comment, Comments } from "./comments.js"
import type { Findings, Place } from "./errors.js"
import type { GoConst, GoConstValue, GoField, GoFile, GoType, GoTypeDecl } from "./go-file.js"
import { structTags, unquote } from "./literals.js"

/** The parser of Go; see `loadGoParser`. */
export type GoParser = typeof goParser
type Node = ReturnType<GoParser["parse"]>["topNode"]

/** The parser of the optional package @lezer/go. Throws an Error that says what to install where it is not there. */
export async function loadGoParser(): Promise<GoParser> {
  const found = await import("@lezer/go").catch(() => undefined)
  if (found === undefined)
    throw new Error("Go source is read with @lezer/go, which is not installed: npm install @lezer/go")
  return found.parser
}

const declarations = new Set([
  "PackageClause",
  "ImportDecl",
  "TypeDecl",
  "ConstDecl",
  "VarDecl",
  "FunctionDecl",
  "MethodDecl",
  "LineComment",
  "BlockComment",
  ";",
])

/** Reads a file. What is no Go is reported to `findings`. */
export function parseGoFile(parser: GoParser, file: string, text: string, findings: Findings): GoFile {
  return new FileReader(file, text, findings).read(parser.parse(text).topNode)
}

class FileReader {
  private readonly file: string
  private readonly text: string
  private readonly findings: Findings
  /** The offset at which each line begins. */
  private readonly starts: readonly number[]
  private comments: Comments
  private readonly imports: { alias: string | undefined; path: string; line: number }[] = []
  private readonly types: GoTypeDecl[] = []
  private readonly consts: GoConst[] = []
  private readonly methods = new Map<string, readonly string[]>()

  constructor(file: string, text: string, findings: Findings) {
    this.file = file
    this.text = text
    this.findings = findings
    const starts = [0]
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
    this.starts = starts
    this.comments = new Comments([], () => false)
  }

  read(top: Node): GoFile {
    this.comments = new Comments(this.scan(top), line => this.isBlank(line))
    let packageName = ""
    let packageLine = 0
    for (let node = top.firstChild; node !== null; node = node.nextSibling) {
      if (node.name === "PackageClause") {
        packageName = this.textOf(node.getChild("DefName"))
        packageLine = this.lineOf(node)
      } else if (node.name === "ImportDecl") this.eachSpec(node, "ImportSpec", spec => this.readImport(spec))
      else if (node.name === "TypeDecl") this.eachSpec(node, "TypeSpec", spec => this.readType(spec))
      else if (node.name === "ConstDecl") this.eachSpec(node, "ConstSpec", spec => this.readConst(spec))
      else if (node.name === "MethodDecl") this.readMethod(node)
      else if (!this.isDeclaration(node) && !node.type.isError) this.error(node, "expected a declaration")
    }
    if (packageName === "") this.findings.error(this.place(1), "expected a package clause")
    const { file, imports, types, consts, methods } = this
    return { file, packageName, packageDoc: this.comments.before(packageLine), imports, types, consts, methods }
  }

  /** Whether Go allows it outside of functions. A variable without its keyword has the same name in the grammar. */
  private isDeclaration(node: Node): boolean {
    return declarations.has(node.name) && (node.name !== "VarDecl" || this.textOf(node).startsWith("var"))
  }

  /** All comments of the file. Reports what the parser could not read: the first place only, as the others follow from it. */
  private scan(top: Node): Comment[] {
    const comments: Comment[] = []
    let broken = false
    top.cursor().iterate(({ name, type, node }) => {
      if (name === "LineComment" || name === "BlockComment") comments.push(this.comment(node))
      const open = name === "String" && !isClosed(this.textOf(node))
      if (broken || (!type.isError && !open) || isInBody(node)) return
      broken = true
      const near = this.text.slice(node.from).trimStart().split("\n")[0] ?? ""
      const where = near === "" ? "" : ` near ${near.slice(0, 40)}`
      this.error(node, open ? "a string is not closed" : `syntax error${where}`)
    })
    return comments
  }

  private comment(node: Node): Comment {
    const line = this.lineOf(node)
    const before = this.text.slice(this.starts[line - 1], node.from)
    return { text: this.textOf(node).replaceAll("\r", ""), line, trailing: before.trim() !== "" }
  }

  private isBlank(line: number): boolean {
    return line > 0 && this.text.slice(this.starts[line - 1], this.starts[line]).trim() === ""
  }

  private eachSpec(node: Node, name: string, read: (spec: Node) => void): void {
    for (const spec of [...node.getChildren(name), ...(node.getChild("SpecList")?.getChildren(name) ?? [])]) read(spec)
  }

  private readImport(spec: Node): void {
    const alias = spec.getChild("DefName")
    const dot = spec.getChild(".") !== null
    const path = unquote(this.textOf(spec.getChild("String")))
    if (dot) this.error(spec, `imports without a name are not read: import . ${JSON.stringify(path)}`)
    this.imports.push({ alias: alias === null ? undefined : this.textOf(alias), path, line: this.lineOf(spec) })
  }

  private readType(spec: Node): void {
    const name = this.textOf(spec.getChild("DefName"))
    const line = this.lineOf(spec)
    const type = this.lastType(spec)
    const alias = spec.getChild("=") !== null
    const generic = spec.getChild("TypeParams") !== null
    const { doc, detached } = this.commentsAt(line)
    this.types.push({ name, type, line, doc, detached, alias, generic })
  }

  private commentsAt(line: number) {
    const { comments } = this
    return { doc: comments.doc(line), detached: comments.detached(line), trailing: comments.trailing(line) }
  }

  /** The type that stands in a node: the last child that is one. */
  private lastType(node: Node): GoType {
    let found: GoType | undefined
    for (let child = node.firstChild; child !== null; child = child.nextSibling) found = this.typeOf(child) ?? found
    return found ?? { kind: "other", text: this.textOf(node) }
  }

  /** The type that a node is; undefined if it is none. */
  private typeOf(node: Node): GoType | undefined {
    switch (node.name) {
      case "TypeName":
        return { kind: "named", package: "", name: this.textOf(node) }
      case "QualifiedType": {
        const from = node.getChildren("VariableName").map(part => this.textOf(part))
        return { kind: "named", package: from.join("."), name: this.textOf(node.getChild("TypeName")) }
      }
      case "PointerType":
        return { kind: "pointer", element: this.lastType(node) }
      case "SliceType":
        return { kind: "slice", element: this.lastType(node) }
      case "ArrayType":
        return { kind: "array", element: this.lastType(node) }
      case "ParenthesizedType":
        return this.lastType(node)
      case "MapType":
        return this.mapType(node)
      case "StructType":
        return {
          kind: "struct",
          fields:
            node
              .getChild("StructBody")
              ?.getChildren("FieldDecl")
              .flatMap(f => this.fields(f)) ?? [],
        }
      case "InterfaceType":
        return { kind: "interface" }
      case "FunctionType":
      case "ChannelType":
      case "ParameterizedType":
        return { kind: "other", text: this.textOf(node) }
      default:
        return undefined
    }
  }

  private mapType(node: Node): GoType {
    const types: GoType[] = []
    for (let child = node.firstChild; child !== null; child = child.nextSibling) {
      const type = this.typeOf(child)
      if (type !== undefined) types.push(type)
    }
    const [key, element] = types
    return key && element ? { kind: "map", key, element } : { kind: "other", text: this.textOf(node) }
  }

  private fields(node: Node): GoField[] {
    const line = this.lineOf(node)
    const type = this.lastType(node)
    const tag = node.getChild("String")
    const tags = structTags(tag === null ? "" : unquote(this.textOf(tag)))
    if (tags === undefined) this.error(tag ?? node, `malformed struct tag ${this.textOf(tag)}`)
    const common = { line, tags: tags ?? new Map(), ...this.commentsAt(line) }
    // A trailing comment stands behind the last line of the field.
    const last = this.comments.trailing(this.lineAt(node.to))
    const names = node.getChildren("FieldName")
    if (names.length > 0) {
      return names.map(name => ({ ...common, trailing: last, name: this.textOf(name), type, embedded: false }))
    }
    const embedded: GoType = node.firstChild?.name === "*" ? { kind: "pointer", element: type } : type
    const name = type.kind === "named" ? type.name : this.textOf(node)
    return [{ ...common, trailing: last, name, type: embedded, embedded: true }]
  }

  private readConst(spec: Node): void {
    const names = spec.getChildren("DefName").map(node => this.textOf(node))
    const doc = this.comments.doc(this.lineOf(spec))
    const values: Node[] = []
    let declared: GoType | undefined
    let behind = false
    for (let child = spec.firstChild; child !== null; child = child.nextSibling) {
      if (child.name === "=") behind = true
      else if (behind && child.name !== "," && !child.type.isError) values.push(child)
      else if (!behind) declared = this.typeOf(child) ?? declared
    }
    names.forEach((name, index) => {
      const node = values[index]
      const { type, value } = node === undefined ? { type: undefined, value: undefined } : this.constant(node)
      this.consts.push({ name, type: declared ?? type, value, doc })
    })
  }

  /** What an expression says, and the type that it is converted to. */
  private constant(node: Node): { readonly type: GoType | undefined; readonly value: GoConstValue } {
    const text = this.textOf(node)
    switch (node.name) {
      case "String":
        return { type: undefined, value: [unquote(text)] }
      case "VariableName":
        return { type: undefined, value: [{ package: "", name: text }] }
      case "SelectorExpr": {
        const [, from, name] = /^(\w+)\s*\.\s*(\w+)$/.exec(text) ?? []
        return { type: undefined, value: from && name ? [{ package: from, name }] : undefined }
      }
      case "ParenthesizedExpr":
        return this.constant(node.getChild("Expr") ?? node.cursor().node)
      case "BinaryExp": {
        const [left, right] = node.getChildren("Expr").map(part => this.constant(part))
        const isSum = node.getChild("ArithOp") !== null && left?.value !== undefined && right?.value !== undefined
        return { type: left?.type, value: isSum ? [...(left?.value ?? []), ...(right?.value ?? [])] : undefined }
      }
      case "CallExpr":
      case "Conversion": {
        const [, from = "", name = ""] = /^(?:(\w+)\.)?(\w+)\s*\(/.exec(text) ?? []
        const argument = (node.getChild("Arguments") ?? node).getChildren("Expr").at(-1)
        const value = argument === undefined ? undefined : this.constant(argument).value
        return { type: { kind: "named", package: from, name }, value }
      }
      default:
        return { type: undefined, value: undefined }
    }
  }

  private readMethod(node: Node): void {
    const receiver = node.getChild("Parameters")
    const [, type] = /(\w+)\s*\)$/.exec(this.textOf(receiver)) ?? []
    if (type === undefined) return
    const texts: string[] = []
    node
      .getChild("Block")
      ?.cursor()
      .iterate(({ name, node: inner }) => {
        if (name === "String") texts.push(unquote(this.textOf(inner)))
      })
    this.methods.set(`${type}.${this.textOf(node.getChild("FieldName"))}`, texts)
  }

  private textOf(node: Node | null): string {
    return node === null ? "" : this.text.slice(node.from, node.to)
  }

  private lineOf(node: Node): number {
    return this.lineAt(node.from)
  }

  private lineAt(offset: number): number {
    let [low, high] = [0, this.starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.starts[middle] as number) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }

  private error(node: Node, message: string): void {
    this.findings.error(this.place(this.lineOf(node)), message)
  }

  private place(line: number): Place {
    return { file: this.file, line, type: "", field: "" }
  }
}

/**
 * Whether a node is inside the body of a function, of which nothing is read and not all is understood. A body without an end is none: it
 * has taken in what comes after it.
 */
function isInBody(node: Node): boolean {
  for (let above = node.parent; above !== null; above = above.parent) {
    if (above.name !== "FunctionDecl" && above.name !== "MethodDecl") continue
    const body = above.getChild("Block")
    return body !== null && body.from < node.from && node.to < body.to && body.lastChild?.name === "}"
  }
  return false
}

function isClosed(literal: string): boolean {
  return literal.length > 1 && literal.at(-1) === literal[0]
}
