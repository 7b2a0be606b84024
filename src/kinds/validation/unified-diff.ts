// The differences of two texts in the format of `diff -u`, with the algorithm of Python's difflib and its Go port.

import { addToGroup } from "../../value/groups.js"

/** A run of lines that both texts have. */
interface Match {
  readonly a: number
  readonly b: number
  readonly size: number
}

/** The lines from a1 to a2 become the lines from b1 to b2. */
interface Edit {
  readonly same: boolean
  readonly a1: number
  readonly a2: number
  readonly b1: number
  readonly b2: number
}

/** The number of equal lines around a difference. */
const context = 3

/** Returns the differences, with three lines around each; "" for equal texts. Each line ends with its line break. */
export function unifiedDiff(before: readonly string[], after: readonly string[]): string {
  let text = ""
  for (const group of grouped(editsOf(before, after))) {
    const first = group[0] as Edit
    const last = group.at(-1) as Edit
    text += `@@ -${range(first.a1, last.a2)} +${range(first.b1, last.b2)} @@\n`
    for (const { same, a1, a2, b1, b2 } of group) {
      for (const line of before.slice(a1, a2)) text += `${same ? " " : "-"}${line}`
      if (!same) for (const line of after.slice(b1, b2)) text += `+${line}`
    }
  }
  return text
}

function range(start: number, end: number): string {
  const length = end - start
  if (length === 1) return String(start + 1)
  return `${length === 0 ? start : start + 1},${length}`
}

function editsOf(before: readonly string[], after: readonly string[]): Edit[] {
  const edits: Edit[] = []
  let [a, b] = [0, 0]
  for (const match of [...matchesOf(before, after), { a: before.length, b: after.length, size: 0 }]) {
    if (a < match.a || b < match.b) edits.push({ same: false, a1: a, a2: match.a, b1: b, b2: match.b })
    a = match.a + match.size
    b = match.b + match.size
    if (match.size > 0) edits.push({ same: true, a1: match.a, a2: a, b1: match.b, b2: b })
  }
  return edits
}

/** Returns the runs of equal lines in order. Adjacent runs are joined. */
function matchesOf(before: readonly string[], after: readonly string[]): Match[] {
  const indexes = indexesOf(after)
  const matches: Match[] = []
  const search = (a1: number, a2: number, b1: number, b2: number): void => {
    const match = longest(before, after, indexes, { same: false, a1, a2, b1, b2 })
    if (match.size === 0) return
    search(a1, match.a, b1, match.b)
    const last = matches.at(-1)
    if (last !== undefined && last.a + last.size === match.a && last.b + last.size === match.b) {
      matches[matches.length - 1] = { ...last, size: last.size + match.size }
    } else matches.push(match)
    search(match.a + match.size, a2, match.b + match.size, b2)
  }
  search(0, before.length, 0, after.length)
  return matches
}

/** Returns the indexes of each line. In a long text, lines that make up more than a hundredth of it are left out: they begin no match. */
function indexesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const indexes = new Map<string, number[]>()
  for (const [index, line] of lines.entries()) addToGroup(indexes, line, index)
  const most = Math.floor(lines.length / 100) + 1
  if (lines.length >= 200) for (const [line, { length }] of indexes) if (length > most) indexes.delete(line)
  return indexes
}

/** Returns the longest run of equal lines within the bounds, the first if there are several. */
function longest(
  before: readonly string[],
  after: readonly string[],
  indexes: ReadonlyMap<string, readonly number[]>,
  { a1, a2, b1, b2 }: Edit,
): Match {
  let [a, b, size] = [a1, b1, 0]
  let lengths = new Map<number, number>()
  for (let i = a1; i < a2; i++) {
    const next = new Map<number, number>()
    for (const j of indexes.get(before[i] as string) ?? []) {
      if (j < b1 || j >= b2) continue
      const length = (lengths.get(j - 1) ?? 0) + 1
      next.set(j, length)
      if (length > size) [a, b, size] = [i - length + 1, j - length + 1, length]
    }
    lengths = next
  }
  while (a > a1 && b > b1 && before[a - 1] === after[b - 1]) [a, b, size] = [a - 1, b - 1, size + 1]
  while (a + size < a2 && b + size < b2 && before[a + size] === after[b + size]) size++
  return { a, b, size }
}

/** Groups edits that are shown together, because few equal lines separate them. */
function grouped(edits: readonly Edit[]): Edit[][] {
  if (edits.every(({ same }) => same)) return []
  const groups: Edit[][] = []
  let group: Edit[] = []
  edits.forEach((edit, index) => {
    const { same, a1, a2, b1, b2 } = edit
    if (!same) {
      group.push(edit)
      return
    }
    const size = a2 - a1
    const isFirst = index === 0
    const isLast = index === edits.length - 1
    const head = { same, a1, a2: Math.min(a2, a1 + context), b1, b2: Math.min(b2, b1 + context) }
    const tail = { same, a1: Math.max(a1, a2 - context), a2, b1: Math.max(b1, b2 - context), b2 }
    if (isFirst) group.push(tail)
    else if (isLast) group.push(head)
    else if (size > context * 2) {
      groups.push([...group, head])
      group = [tail]
    } else group.push(edit)
  })
  return [...groups, group]
}
