/** A place in a text, counted from 1; columns in UTF-16 units. */
export interface Position {
  /** The first line is 1. */
  readonly line: number
  /** The first column is 1; counted in UTF-16 units. */
  readonly column: number
}

/** Finds the line and column of an offset. Finds the lines of the text on first use. */
export class LineIndex {
  private readonly text: string
  private starts: number[] | undefined

  constructor(text: string) {
    this.text = text
  }

  positionOf(offset: number): Position {
    const starts = (this.starts ??= lineStarts(this.text))
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((starts[middle] as number) <= offset) low = middle
      else high = middle
    }
    return { line: low + 1, column: offset - (starts[low] as number) + 1 }
  }
}

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
  return starts
}
