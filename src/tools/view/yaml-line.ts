// Splits a line of YAML for coloring. It is an approximation: a real parser adds 14 kB to a page.

/** The parts of a line, in order; "" for a part that the line does not have. */
export interface LineParts {
  /** Spaces, and the dashes of items. */
  readonly before: string
  readonly key: string
  /** The colon and the spaces after it. */
  readonly colon: string
  readonly value: string
  readonly comment: string
}

const lead = /^\s*(?:-(?:\s+|$))*/
const keyed = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#[\]{}&*!|>%@`][^:#]*?)(:(?:\s+|$))(.*)$/

/** Returns the parts of a line. Keys in braces are part of the value. */
export function partsOfLine(text: string): LineParts {
  const before = lead.exec(text)?.[0] ?? ""
  const content = text.slice(before.length)
  const [, key = "", colon = "", rest = content] = keyed.exec(content) ?? []
  const start = commentIn(rest)
  return { before, key, colon, value: rest.slice(0, start), comment: rest.slice(start) }
}

/** Returns the start of the comment after a value: a # outside quotes that follows a space or begins the value. */
function commentIn(value: string): number {
  const quoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(value)?.[0].length ?? 0
  const index = value.slice(quoted).search(/(?:^|\s)#/)
  return index < 0 ? value.length : quoted + index
}
