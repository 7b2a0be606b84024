// Comment groups, as Go's own parser and gengo have them. Comments on adjacent lines are a group; a blank line or code ends it. A
// comment after code on the same line is a separate group.
import type { CommentLine } from "./go-file.js"

/** A comment in the source. */
export interface Comment {
  readonly text: string
  /** Its first line, counted from 1. */
  readonly line: number
  /** Whether it follows code on its line. */
  readonly trailing: boolean
}

interface Group {
  readonly first: number
  readonly last: number
  readonly lines: readonly CommentLine[]
}

/** All comments of a file, indexed by their last lines. */
export class Comments {
  private readonly byEnd = new Map<number, Group>()
  private readonly behind = new Map<number, readonly CommentLine[]>()

  private readonly isBlank: (line: number) => boolean

  /** `isBlank` returns whether a line of the file is empty. */
  constructor(comments: readonly Comment[], isBlank: (line: number) => boolean) {
    this.isBlank = isBlank
    let open: Group | undefined
    for (const comment of comments) {
      const lines = linesOf(comment)
      const last = comment.line + comment.text.split("\n").length - 1
      if (comment.trailing) {
        this.behind.set(comment.line, lines)
        open = undefined
        continue
      }
      const joins = open !== undefined && open.last + 1 >= comment.line
      if (open !== undefined && joins) this.byEnd.delete(open.last)
      open =
        open !== undefined && joins
          ? { first: open.first, last, lines: [...open.lines, ...lines] }
          : { first: comment.line, last, lines }
      this.byEnd.set(last, open)
    }
  }

  /** Returns the comment that ends on the line before `line`. */
  doc(line: number): readonly CommentLine[] {
    return this.byEnd.get(line - 1)?.lines ?? []
  }

  /** Returns the comment that one blank line separates from the doc comment of `line`, or from `line` without a doc comment. */
  detached(line: number): readonly CommentLine[] {
    const first = this.byEnd.get(line - 1)?.first ?? line
    return this.isBlank(first - 1) ? (this.byEnd.get(first - 2)?.lines ?? []) : []
  }

  /** Returns the comment after the code of `line`. */
  trailing(line: number): readonly CommentLine[] {
    return this.behind.get(line) ?? []
  }

  /** Returns all lines of the comments that end before `line`. */
  before(line: number): readonly CommentLine[] {
    return [...this.byEnd.values()].filter(({ last }) => last < line).flatMap(({ lines }) => lines)
  }
}

function linesOf({ text, line }: Comment): CommentLine[] {
  if (!text.startsWith("//")) {
    const inner = text.slice(2, text.endsWith("*/") ? -2 : undefined)
    return inner.split("\n").map((part, index) => ({ text: part.trimEnd(), line: line + index }))
  }
  // A directive such as //go:generate has no text.
  if (/^\/\/[a-z0-9]+:[a-z0-9]/.test(text)) return []
  return [{ text: text.slice(2).replace(/^ /, "").trimEnd(), line }]
}
