// What the text of a CEL expression tells without being parsed: the names in it that are not inside of texts and comments.

/** Comments and texts, raw ones and those in three quotes included. */
const opaque =
  /\/\/[^\n]*|[rR][bB]?"""[\s\S]*?"""|[rR][bB]?'''[\s\S]*?'''|[rR][bB]?"[^"\n]*"|[rR][bB]?'[^'\n]*'|"""(?:\\[\s\S]|[\s\S])*?"""|'''(?:\\[\s\S]|[\s\S])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/

const pieces = new RegExp(`(${opaque.source})|([A-Za-z_][A-Za-z0-9_]*)(?=\\s*\\()|([A-Za-z_][A-Za-z0-9_]*)`, "g")

/** Functions whose own meaning in the library is not that of Go, by the names under which ours are registered. */
const renamed: Readonly<Record<string, string>> = { matches: "goMatches" }

/** The expression for the library, and the names that it uses. */
export interface Source {
  readonly text: string
  /** The names of functions that are called, as they are written. */
  readonly calls: ReadonlySet<string>
  readonly usesOldSelf: boolean
}

/** Reads the text of an expression. */
export function readSource(expression: string): Source {
  const calls = new Set<string>()
  let usesOldSelf = false
  const text = expression.replace(pieces, (all, hidden?: string, call?: string, name?: string) => {
    if (hidden !== undefined) return all
    if (name === "oldSelf") usesOldSelf = true
    if (call === undefined) return all
    calls.add(call)
    return Object.hasOwn(renamed, call) ? (renamed[call] as string) : all
  })
  return { text, calls, usesOldSelf }
}

/** The text of an error about a rewritten expression, with the names as they were written. */
export function withWrittenNames(text: string): string {
  return Object.entries(renamed).reduce((out, [written, ours]) => out.replaceAll(ours, written), text)
}
