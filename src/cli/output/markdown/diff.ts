// Shows how a value changes as lines of a diff.
import { formatYaml } from "../../../io/yaml.js"
import type { Value } from "../../../value/value.js"
import { isList, isMap } from "../../../value/value.js"
import { currentSecrets } from "../../secrets/scope.js"
import { printable } from "../../terminal/layout.js"
import { showFlow } from "../flow.js"

/**
 * Returns the lines of both values, those of `from` alone with `-` and those of `to` alone with `+` in front. A text of several lines is
 * compared line by line, and a list or a map by the lines of its YAML; lines in common that are far from any other are left out. Undefined
 * stands for an absent value.
 */
export function diffValues(from: Value | undefined, to: Value | undefined): string[] {
  return withoutDistant(diffLines(linesOf(from), linesOf(to))).map(({ sign, line }) => `${sign} ${line}`.trimEnd())
}

interface DiffLine {
  readonly sign: "-" | "+" | " "
  readonly line: string
}

/** The most characters of a value on one line. */
const mostColumns = 400
/** The most lines of a value. */
const mostLines = 200
/** The number of lines in common that are shown before and after others. */
const context = 2

function linesOf(shown: Value | undefined): string[] {
  if (shown === undefined) return []
  const value = currentSecrets().hide(shown)
  const isText = typeof value === "string" && value.trimEnd().includes("\n")
  const isBlock = (isMap(value) && Object.keys(value).length > 0) || (isList(value) && value.length > 0)
  if (!isText && !isBlock) return [showFlow(value, mostColumns)]
  const lines = (isText ? value : formatYaml(value)).replace(/\n$/, "").split("\n").map(printable)
  if (lines.length <= mostLines) return lines
  return [...lines.slice(0, mostLines), `... ${lines.length - mostLines} more lines`]
}

/** Returns a shortest list of removed and added lines, between the lines in common. */
function diffLines(from: readonly string[], to: readonly string[]): DiffLine[] {
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
  while (i < from.length || j < to.length) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      lines.push({ sign: " ", line: from[i++] as string })
      j++
    } else if (j >= to.length || (i < from.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ sign: "-", line: from[i++] as string })
    } else lines.push({ sign: "+", line: to[j++] as string })
  }
  return lines
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
