// Reads the names in a CEL expression, except in strings and comments, without parsing it.

/** Functions that behave otherwise in the library than in Go, and the names under which our versions are registered. */
const renamed: Readonly<Record<string, string>> = { matches: "goMatches" }

/** An expression for the library, and the names that it uses. */
export interface Source {
  readonly text: string
  /** The names of the functions that it calls, as they are written. */
  readonly calls: ReadonlySet<string>
  /** All names: variables, fields and functions. */
  readonly names: ReadonlySet<string>
}

/** The greatest length of an expression in characters. */
export const mostCharacters = 100_000

/** Matches a name, with the bracket of a call after it; one quote or three; a comment; or any other character. */
const piece = /([A-Za-z_][A-Za-z0-9_]*)(?:(?=(["']))|(?=(\s*\())|)|("""|'''|["'])|\/\/[^\n]*|[\s\S]/y
const stringEnds: Readonly<Record<string, RegExp>> = {
  '"""': /(?:\\[\s\S]|[^\\"]|"(?!""))*"""/y,
  "'''": /(?:\\[\s\S]|[^\\']|'(?!''))*'''/y,
  '"': /(?:\\.|[^\\"\n])*"/y,
  "'": /(?:\\.|[^\\'\n])*'/y,
}
const prefixes: ReadonlySet<string> = new Set(["r", "R", "rb", "rB", "Rb", "RB", "br", "bR", "Br", "BR"])

/** A part of an expression: a name, a string, a comment, or one other character. */
export interface Piece {
  readonly text: string
  readonly kind: "name" | "string" | "other"
  /** Whether the piece is a name, and the bracket of a call follows. */
  readonly isCall: boolean
}

/** Splits an expression into pieces, in linear time. */
export function* piecesOf(expression: string): Generator<Piece> {
  let isRaw = false
  for (let at = 0; at < expression.length; ) {
    piece.lastIndex = at
    const [text = "", name, quoteAhead, bracket, quote] = piece.exec(expression) ?? []
    at += text.length
    if (quote !== undefined) {
      const end = endOfString(expression, at, quote, isRaw)
      yield { text: text + expression.slice(at, end), kind: "string", isCall: false }
      at = end
    } else yield { text, kind: name === undefined ? "other" : "name", isCall: bracket !== undefined }
    isRaw = quoteAhead !== undefined && prefixes.has(text)
  }
}

/** Reads an expression in linear time. Does not read expressions that are far too long. */
export function readSource(expression: string): Source {
  const calls = new Set<string>()
  if (expression.length > 2 * mostCharacters) return { text: expression, calls, names: calls }
  const out: string[] = []
  const names = new Set<string>()
  for (const { text, kind, isCall } of piecesOf(expression)) {
    if (kind === "name") names.add(text)
    if (isCall) calls.add(text)
    out.push(isCall && Object.hasOwn(renamed, text) ? (renamed[text] as string) : text)
  }
  return { text: out.join(""), calls, names }
}

/** Returns the end of the string whose opening quote is in front of `start`; the end of the expression if it is not closed. */
function endOfString(expression: string, start: number, quote: string, isRaw: boolean): number {
  if (isRaw) {
    const end = expression.indexOf(quote, start)
    return end < 0 ? expression.length : end + quote.length
  }
  const rest = stringEnds[quote] as RegExp
  rest.lastIndex = start
  return rest.test(expression) ? rest.lastIndex : expression.length
}

/** Restores the written names in an error message about a rewritten expression. */
export function withWrittenNames(text: string): string {
  return Object.entries(renamed).reduce((out, [written, ours]) => out.replaceAll(ours, written), text)
}
