// The full reader: the yaml package reads a text into trees of nodes, which have positions, and finds syntax errors.
import { Composer, type CST, type Document, isScalar, Lexer, type ParsedNode, Parser, visit } from "yaml"
import { LineIndex } from "./line-index.js"
import { maxYamlDepth } from "./syntax/depth.js"
import { checked } from "./yaml-checks.js"
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
 * The number of words, spaces, brackets and other pieces that a lenient reader takes. A server must not work for a minute on 3 MB of
 * malformed text, and it can't store an object of so many fields.
 */
const maxPieces = 1_000_000

/**
 * Reads a stream of documents one by one. Throws a ParseError at the first syntax error. With `lenient`, it ignores all text after a root in
 * brackets or quotes, and refuses a text of too many pieces. A key may occur twice in a map if `acceptsRepeatedKeys` is set.
 */
export function* readFully(given: string, lenient: boolean, acceptsRepeatedKeys = lenient): Generator<DocumentReader> {
  const text = withLineFeeds(given)
  const lines = new LineIndex(text)
  const control = forbidden.exec(text)
  if (control !== null) throw yamlError(lines, control.index, "control characters are not allowed")
  const composer = new Composer(composerOptions)
  const tokens = readTokens(text, lines, lenient ? maxPieces : Number.POSITIVE_INFINITY)
  for (const document of composer.compose(checked(tokens, text, lines))) {
    restoreColons(document)
    const rootEnd = lenient ? endOf(document.contents, text) : text.length
    const fault = faultOf(document)
    if (fault !== undefined && fault.pos[0] >= rootEnd && rootEnd < text.length)
      return yield* readFully(text.slice(0, rootEnd), true, acceptsRepeatedKeys)
    refuse(fault, lines)
    const [start, , end] = document.range
    yield new DocumentReader(document.contents, { text, lines, acceptsRepeatedKeys, range: [start, end] })
  }
  refuse(faultOf(composer.streamInfo()), lines)
}

// Returns the text with all line breaks of YAML 1.1 as line feeds. Every character keeps its offset.
function withLineFeeds(text: string): string {
  return text.replace(/\r(?!\n)|\x85/g, "\n")
}

/** Replaces a colon that is part of a text. No YAML contains this character. */
const textColon = "\uffff"

/**
 * Returns the tokens of the text. In brackets, Go takes a colon as part of the text before it unless a space follows: `{a:}` has the key
 * "a:". The package does the same only if neither a bracket nor a comma follows, so these colons are replaced, and the text is read again.
 */
function readTokens(text: string, lines: LineIndex, limit: number): Iterable<CST.Token> {
  if (!/:[,[\]{}]/.test(text)) return shallow(text, lines, limit)
  let changed = text
  for (;;) {
    const tokens = Array.from(shallow(changed, lines, limit))
    const colons: number[] = []
    for (const token of tokens) findTextColons(token, changed, colons)
    if (colons.length === 0) return tokens
    const characters = changed.split("")
    for (const at of colons) characters[at] = textColon
    changed = characters.join("")
  }
}

// Collects the offsets of colons in brackets that follow a plain key and are not followed by a space or the end of a line.
function findTextColons(token: CST.Token, text: string, found: number[]): void {
  if (token.type === "document" && token.value !== undefined) findTextColons(token.value, text, found)
  if (!("items" in token)) return
  for (const { key, sep = [], value } of token.items) {
    const colon = sep.find(({ type }) => type !== "space" && type !== "newline")
    if (token.type === "flow-collection" && key?.type === "scalar" && colon?.type === "map-value-ind") {
      if (/\S/.test(text.charAt(colon.offset + 1))) found.push(colon.offset)
    }
    if (key) findTextColons(key, text, found)
    if (value) findTextColons(value, text, found)
  }
}

function restoreColons(document: Document.Parsed): void {
  visit(document, {
    Scalar: (_, scalar) => {
      if (scalar.type === "PLAIN" && scalar.source?.includes(textColon))
        scalar.source = scalar.source.replaceAll(textColon, ":")
    },
  })
}

// Yields the tokens of a text, and throws at a token that nests too deeply, as soon as the parser is that deep. The package composes tokens
// by recursion and catches stack overflows, but V8 ends the process if it runs out of stack while it compiles a regular expression.
function* shallow(text: string, lines: LineIndex, limit: number): Generator<CST.Token> {
  const parser = new Parser()
  let pieces = 0
  for (const piece of new Lexer().lex(text)) {
    if (pieces++ >= limit) throw yamlError(lines, parser.offset, `has more than ${limit} words and marks`)
    for (const token of parser.next(piece)) {
      refuseDeep(token, lines)
      yield token
    }
    // The document is at 0, and its value, of depth 0, at 1.
    const tooDeep = parser.stack[maxYamlDepth + 2]
    if (tooDeep !== undefined) refuseAt(tooDeep, lines)
  }
  for (const token of parser.end()) {
    refuseDeep(token, lines)
    yield token
  }
}

function refuseAt(token: CST.Token, lines: LineIndex): never {
  throw yamlError(lines, token.offset, `nests deeper than ${maxYamlDepth} levels`)
}

function refuseDeep(root: CST.Token, lines: LineIndex): void {
  const pending: { readonly token: CST.Token; readonly depth: number }[] = [{ token: root, depth: 0 }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { token, depth } = next
    if (depth > maxYamlDepth) refuseAt(token, lines)
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

type Fault = Document["errors"][number] | Document["warnings"][number]

// Returns the first fault. Unknown directives are faults too, although the package only warns about them.
function faultOf({ errors, warnings }: Pick<Document, "errors" | "warnings">): Fault | undefined {
  return errors[0] ?? warnings.find(({ code }) => code === "BAD_DIRECTIVE")
}

function refuse(fault: Fault | undefined, lines: LineIndex): void {
  if (fault === undefined) return
  const message = fault.code === "RESOURCE_EXHAUSTION" ? "nests too deep" : fault.message
  throw yamlError(lines, fault.pos[0], message, fault)
}

// Returns the end of a root in brackets or quotes. For other roots, and for unclosed brackets or quotes, that is the end of the text.
function endOf(root: ParsedNode | null, text: string): number {
  const closes = root !== null && (isScalar(root) ? root.type?.startsWith("QUOTE") : "flow" in root && root.flow)
  if (closes !== true) return text.length
  const [start, end] = root.range
  const pair = `${text[start]}${text[end - 1]}`
  return ["{}", "[]", '""', "''"].includes(pair) && end - start > 1 ? end : text.length
}
