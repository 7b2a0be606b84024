// Shows how a value changes as lines of a diff.
import { formatYaml } from "../../../io/yaml-format.js"
import type { Value } from "../../../value/value.js"
import { isList, isMap } from "../../../value/value.js"
import { counted } from "../../../value/words.js"
import { printable } from "../../terminal/layout.js"
import { showFlow } from "../flow.js"

/**
 * Returns the lines of both values, those of `from` alone with `-` and those of `to` alone with `+` in front. A text of several lines is
 * compared line by line, and a list or a map by the lines of its YAML; lines in common that are far from any other are left out. Undefined
 * stands for an absent value.
 */
export function diffValues(from: Value | undefined, to: Value | undefined): string[] {
  const lines = withoutDistant(diffLines(...linesOfBoth(from, to)))
  const shown = lines.slice(0, mostLines).map(({ sign, line }) => `${sign} ${line}`.trimEnd())
  return lines.length > mostLines ? [...shown, `# ... ${counted(lines.length - mostLines, "more line")}`] : shown
}

/** Returns the lines of each value. If both have the same lines, one text ends with a line break, and the other gets a line that says so. */
function linesOfBoth(
  from: Value | undefined,
  to: Value | undefined,
): readonly [from: readonly string[], to: readonly string[]] {
  const [before, after] = [linesOf(from), linesOf(to)]
  if (from === to || typeof from !== "string" || typeof to !== "string") return [before, after]
  if (before.length !== after.length || before.some((line, i) => line !== after[i])) return [before, after]
  return from.endsWith("\n") ? [before, [...after, unfinished]] : [[...before, unfinished], after]
}

const unfinished = "\\ no line break at the end"

interface DiffLine {
  readonly sign: "-" | "+" | " "
  readonly line: string
}

/** The most characters of a value on one line. */
const mostColumns = 400
/** The most lines of a change. */
const mostLines = 200
/** The most pairs of lines that are compared. */
const mostPairs = 1_000_000
/** The number of lines in common that are shown before and after others. */
const context = 2

function linesOf(value: Value | undefined): string[] {
  if (value === undefined) return []
  const isText = typeof value === "string" && value.trimEnd().includes("\n")
  const isBlock = (isMap(value) && Object.keys(value).length > 0) || (isList(value) && value.length > 0)
  if (!isText && !isBlock) return [showFlow(value, mostColumns)]
  return (isText ? value : formatYaml(value)).replace(/\n$/, "").split("\n").map(printable)
}

/** Returns the removed and the added lines, between the lines in common. */
function diffLines(from: readonly string[], to: readonly string[]): DiffLine[] {
  let start = 0
  while (start < from.length && start < to.length && from[start] === to[start]) start++
  let end = 0
  while (end < Math.min(from.length, to.length) - start && from.at(-1 - end) === to.at(-1 - end)) end++
  const both = (line: string): DiffLine => ({ sign: " ", line })
  return [
    ...from.slice(0, start).map(both),
    ...shortestDiff(from.slice(start, from.length - end), to.slice(start, to.length - end)),
    ...from.slice(from.length - end).map(both),
  ]
}

/** Returns as few removed and added lines as possible; all lines if there are too many to compare. */
function shortestDiff(from: readonly string[], to: readonly string[]): DiffLine[] {
  const removed = from.map((line): DiffLine => ({ sign: "-", line }))
  const added = to.map((line): DiffLine => ({ sign: "+", line }))
  if (from.length * to.length > mostPairs) return [...removed, ...added]
  // common[i][j] is the length of the longest common subsequence of from.slice(i) and to.slice(j).
  const common = Array.from({ length: from.length + 1 }, () => new Uint32Array(to.length + 1))
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0
  for (let i = from.length - 1; i >= 0; i--) {
    for (let j = to.length - 1; j >= 0; j--) {
      const best = from[i] === to[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
      ;(common[i] as Uint32Array)[j] = best
    }
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < from.length && j < to.length) {
    if (from[i] === to[j]) {
      lines.push({ sign: " ", line: from[i++] as string })
      j++
    } else lines.push((at(i + 1, j) >= at(i, j + 1) ? removed[i++] : added[j++]) as DiffLine)
  }
  return [...lines, ...removed.slice(i), ...added.slice(j)]
}

/** Replaces lines in common that are far from all others by dots. */
function withoutDistant(lines: readonly DiffLine[]): DiffLine[] {
  if (lines.every(({ sign }) => sign === " ")) return [...lines]
  const isNear = (i: number) => lines.slice(Math.max(0, i - context), i + context + 1).some(({ sign }) => sign !== " ")
  return lines.flatMap((line, i): DiffLine[] => {
    if (isNear(i)) return [line]
    return i === 0 || isNear(i - 1) ? [{ sign: " ", line: "..." }] : []
  })
}
