// Reads the names in a CEL expression that are not inside of texts and comments, without parsing it.

/** Functions whose own meaning in the library is not that of Go, by the names under which ours are registered. */
const renamed: Readonly<Record<string, string>> = { matches: "goMatches" }

/** The expression for the library, and the names that it uses. */
export interface Source {
  readonly text: string
  /** The names of functions that are called, as they are written. */
  readonly calls: ReadonlySet<string>
  readonly usesOldSelf: boolean
}

/** How many characters an expression may have. */
export const mostCharacters = 100_000

/** A name with the bracket of a call behind it, a quote or three, a comment, or any other character. */
const piece = /([A-Za-z_][A-Za-z0-9_]*)(?:(?=(["']))|(?=(\s*\())|)|("""|'''|["'])|\/\/[^\n]*|[\s\S]/y
const textEnds: Readonly<Record<string, RegExp>> = {
  '"""': /(?:\\[\s\S]|[^\\"]|"(?!""))*"""/y,
  "'''": /(?:\\[\s\S]|[^\\']|'(?!''))*'''/y,
  '"': /(?:\\.|[^\\"\n])*"/y,
  "'": /(?:\\.|[^\\'\n])*'/y,
}
const prefixes: ReadonlySet<string> = new Set(["r", "R", "rb", "rB", "Rb", "RB", "br", "bR", "Br", "BR"])

/** Reads the text of an expression, in time that grows with its length. A text that is far too long is not read. */
export function readSource(expression: string): Source {
  const calls = new Set<string>()
  if (expression.length > 2 * mostCharacters) return { text: expression, calls, usesOldSelf: false }
  const out: string[] = []
  let usesOldSelf = false
  let isRaw = false
  for (let at = 0; at < expression.length; ) {
    piece.lastIndex = at
    const [text = "", name, quoteAhead, bracket, quote] = piece.exec(expression) ?? []
    at += text.length
    if (name === "oldSelf") usesOldSelf = true
    if (name !== undefined && bracket !== undefined) calls.add(name)
    const isRenamed = bracket !== undefined && Object.hasOwn(renamed, text)
    out.push(isRenamed ? (renamed[text] as string) : text)
    if (quote !== undefined) {
      const end = endOfText(expression, at, quote, isRaw)
      out.push(expression.slice(at, end))
      at = end
    }
    isRaw = quoteAhead !== undefined && prefixes.has(text)
  }
  return { text: out.join(""), calls, usesOldSelf }
}

/** Where the text ends whose quote stands before `start`: at the end of the expression if it is not closed. */
function endOfText(expression: string, start: number, quote: string, isRaw: boolean): number {
  if (isRaw) {
    const end = expression.indexOf(quote, start)
    return end < 0 ? expression.length : end + quote.length
  }
  const rest = textEnds[quote] as RegExp
  rest.lastIndex = start
  return rest.test(expression) ? rest.lastIndex : expression.length
}

/** The text of an error about a rewritten expression, with the names as they were written. */
export function withWrittenNames(text: string): string {
  return Object.entries(renamed).reduce((out, [written, ours]) => out.replaceAll(ours, written), text)
}
