// Selections of the lines of an object before and after a step.
import type { ShownLine } from "../../src/tools/view/lines.js"

/** Returns the lines of the object before the step. */
export function linesBefore(lines: readonly ShownLine[]): ShownLine[] {
  return lines.flatMap(line => {
    if (line.change === "added") return []
    const { before, change } = line
    return before === undefined ? [line] : [{ ...before, ...(change && { change }) }]
  })
}

/** Returns the lines of the object after the step. */
export function linesAfter(lines: readonly ShownLine[]): ShownLine[] {
  return lines.filter(({ change }) => change !== "removed")
}

/** Returns the changed lines with two lines around them, and the keys of the maps and lists that they are in. */
export function changedLines(lines: readonly ShownLine[]): ShownLine[] {
  const shown = new Set<number>()
  eachWithin(lines, (index, above) => {
    const { change, text } = lines[index] as ShownLine
    if (change === undefined) return
    for (const one of above) shown.add(one)
    const around = generation.test(text) ? 0 : 2
    for (let near = index - around; near <= index + around; near++) shown.add(near)
  })
  const result: ShownLine[] = []
  for (let index = 0; index < lines.length; index++) {
    let end = index
    while (end < lines.length && !shown.has(end)) end++
    // A single line needs no more room than the note that it is left out.
    if (end - index > 1) result.push({ text: "", owners: [], fields: [], leftOut: end - index })
    index = end - index > 1 ? end : index
    const line = lines[index]
    if (line !== undefined) result.push(line)
  }
  return result
}
/** Most steps count it up, and nothing around it matters. */
const generation = /^ {2}generation: /

/** Calls `visit` with the index of each line and the indexes of the lines of the maps and lists around it. */
export function eachWithin(
  lines: readonly { readonly text: string }[],
  visit: (index: number, above: readonly number[]) => void,
): void {
  const margins: number[] = []
  const above: number[] = []
  lines.forEach(({ text }, index) => {
    // Items of a list may stand in the column of the key of their list.
    const margin = text.search(/[^ ]/) + (/^ *- /.test(text) ? 0.5 : 0)
    while ((margins.at(-1) ?? -1) >= margin) {
      margins.pop()
      above.pop()
    }
    visit(index, above)
    margins.push(margin)
    above.push(index)
  })
}
