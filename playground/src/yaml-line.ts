// A line of YAML as its colors tell it: close enough without reading the text, which takes a parser of 14 kB.

/** The parts of a line, in their order; "" for those that it does not have. */
export interface LineParts {
  /** Spaces, and the dashes of items. */
  readonly before: string
  readonly key: string
  /** The colon, and what is between it and the value. */
  readonly colon: string
  readonly value: string
  readonly comment: string
}

const lead = /^\s*(?:-(?:\s+|$))*/
const keyed = /^("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'#[\]{}&*!|>%@`][^:#]*?)(:(?:\s+|$))(.*)$/

/** What the line has. Of what stands in braces the keys are part of the value. */
export function partsOfLine(text: string): LineParts {
  const before = lead.exec(text)?.[0] ?? ""
  const content = text.slice(before.length)
  const [, key = "", colon = "", rest = content] = keyed.exec(content) ?? []
  const start = commentIn(rest)
  return { before, key, colon, value: rest.slice(0, start), comment: rest.slice(start) }
}

/** Where the comment of a value begins: at a # that is not in quotes, and after a space or at the start. */
function commentIn(value: string): number {
  const quoted = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/.exec(value)?.[0].length ?? 0
  const found = value.slice(quoted).search(/(?:^|\s)#/)
  return found < 0 ? value.length : quoted + found
}

/** The column at which the line after this one begins: further in after a key without a value, below the content of an item. */
export function indentAfter(text: string): number {
  const { before, key, value } = partsOfLine(text)
  const column = before.length
  return key !== "" && value === "" ? column + 2 : column
}
