// The full reader: the yaml package reads a text into trees of nodes, which have positions, and finds faults of syntax.
import { Composer, type CST, type Document, isScalar, type ParsedNode, Parser } from "yaml"
import { maxYamlDepth } from "./depth.js"
import { LineIndex } from "./line-index.js"
import { DocumentReader, yamlError } from "./yaml-document.js"

// The package resolves no tags, and does not check what is checked here.
const composerOptions = {
  version: "1.1",
  schema: "failsafe",
  merge: false,
  resolveKnownTags: false,
  prettyErrors: false,
  uniqueKeys: false,
  logLevel: "silent",
  keepSourceTokens: true,
} as const

/**
 * Reads a stream of documents one by one. Throws a ParseError at the first fault of syntax. With `lenient`, whatever follows a
 * root in brackets or quotes is ignored.
 */
export function* readFully(text: string, lenient: boolean): Generator<DocumentReader> {
  const lines = new LineIndex(text)
  const control = forbidden.exec(text)
  if (control !== null) throw yamlError(lines, control.index, "control characters are not allowed")
  const composer = new Composer(composerOptions)
  for (const document of composer.compose(shallow(new Parser().parse(text), lines))) {
    refuseFaults(document, lenient ? endOf(document.contents, text) : Number.POSITIVE_INFINITY, lines)
    const [start, , end] = document.range
    yield new DocumentReader(document.contents, { text, lines, lenient, range: [start, end] })
  }
  refuseFaults(composer.streamInfo(), Number.POSITIVE_INFINITY, lines)
}

// Passes on the tokens of a text, and throws at one that nests too deep. The package composes them by recursion and catches the
// overflow of the stack, but V8 ends the process if it runs out of stack while it compiles a regular expression.
function* shallow(tokens: Iterable<CST.Token>, lines: LineIndex): Generator<CST.Token> {
  for (const token of tokens) {
    refuseDeep(token, lines)
    yield token
  }
}

function refuseDeep(root: CST.Token, lines: LineIndex): void {
  const pending: { readonly token: CST.Token; readonly depth: number }[] = [{ token: root, depth: 0 }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, depth } = next
    if (depth > maxYamlDepth) throw yamlError(lines, token.offset, `nests deeper than ${maxYamlDepth} levels`)
    if (token.type === "document" && token.value !== undefined) pending.push({ token: token.value, depth })
    if (!("items" in token)) continue
    for (const { key, value } of token.items) {
      if (key) pending.push({ token: key, depth: depth + 1 })
      if (value) pending.push({ token: value, depth: depth + 1 })
    }
  }
}

// Characters that YAML does not count as printable.
const forbidden = /[^\t\n\r -~\x85\xa0-\ufffd]/

// Throws for the first fault before `end`. Directives that are not known are faults too, but only warnings of the package.
function refuseFaults(found: Pick<Document, "errors" | "warnings">, end: number, lines: LineIndex): void {
  const fault = found.errors[0] ?? found.warnings.find(({ code }) => code === "BAD_DIRECTIVE")
  if (fault === undefined || fault.pos[0] >= end) return
  const message = fault.code === "RESOURCE_EXHAUSTION" ? "nests too deep" : fault.message
  throw yamlError(lines, fault.pos[0], message, fault)
}

// Where a root in brackets or quotes ends; infinity for other roots, and for brackets or quotes that are not closed.
function endOf(root: ParsedNode | null, text: string): number {
  const closes = root !== null && (isScalar(root) ? root.type?.startsWith("QUOTE") : "flow" in root && root.flow)
  if (closes !== true) return Number.POSITIVE_INFINITY
  const end = root.range[1]
  return "]}\"'".includes(text[end - 1] ?? "") && end - root.range[0] > 1 ? end : Number.POSITIVE_INFINITY
}
