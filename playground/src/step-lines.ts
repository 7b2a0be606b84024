// The object before and after a step as lines of YAML with their owners, and the lines in which these differ.
import type { Step } from "structured-merge-diff/simulator"
import { type OwnedLine, ownedObject } from "structured-merge-diff/view"
import type { ShownLine } from "../../src/tools/view/lines.js"
import { ownerId } from "../../src/tools/view/looks.js"
import { eachWithin } from "./line-views.js"

/** Returns the lines of the object before and after the step, in one list. Empty if there never was an object. */
export function stepLines({ types, before, after }: Step): ShownLine[] {
  const linesOf = (object: typeof before): readonly OwnedLine[] =>
    object === undefined ? [] : ownedObject(object, { types, showSecrets: true }).lines
  const now = linesOf(after)
  if (before === after) return [...now]
  const old = linesOf(before)
  const result: ShownLine[] = []
  let [i, j] = [0, 0]
  const addUntil = (iEnd: number, jEnd: number) => {
    for (; i < iEnd; i++) result.push({ ...(old[i] as OwnedLine), change: "removed" })
    for (; j < jEnd; j++) result.push({ ...(now[j] as OwnedLine), change: "added" })
  }
  for (const common of commonLines(identities(old), identities(now))) {
    addUntil(common.i, common.j)
    result.push(kept(old[i++] as OwnedLine, now[j++] as OwnedLine))
  }
  addUntil(old.length, now.length)
  return result
}

/** A line that both lists have, after other such lines. */
interface CommonLine {
  readonly i: number
  readonly j: number
  readonly before: CommonLine | undefined
}

/** Returns as many lines as possible that both lists have in the same order. The lines of a list differ. Takes O(n log n). */
function commonLines(old: readonly string[], now: readonly string[]): CommonLine[] {
  const places = new Map(old.map((identity, i) => [identity, i]))
  // The end of the best sequence of each length.
  const ends: CommonLine[] = []
  now.forEach((identity, j) => {
    const i = places.get(identity)
    if (i === undefined) return
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] as CommonLine).i < i) low = middle + 1
      else high = middle
    }
    ends[low] = { i, j, before: ends[low - 1] }
  })
  const result: CommonLine[] = []
  for (let line = ends.at(-1); line !== undefined; line = line.before) result.push(line)
  return result.reverse()
}

/**
 * Returns a different identity for each line: its text, and the field that it belongs to. The resourceVersion does not count, since every
 * step changes it.
 */
function identities(lines: readonly OwnedLine[]): string[] {
  const counts = new Map<string, number>()
  const paths: string[] = []
  const result: string[] = []
  eachWithin(lines, (index, above) => {
    const { text, fields } = lines[index] as OwnedLine
    const path = fields[0]?.path ?? paths[above.at(-1) ?? -1] ?? ""
    paths.push(path)
    const identity = resourceVersion.test(text) ? "" : `${text}\n${path}`
    const count = counts.get(identity) ?? 0
    counts.set(identity, count + 1)
    result.push(`${count} ${identity}`)
  })
  return result
}
const resourceVersion = /^ {2}resourceVersion: /

function kept(before: OwnedLine, line: OwnedLine): ShownLine {
  const ids = ({ owners }: OwnedLine) => owners.map(ownerId).sort().join("\n")
  if (ids(before) !== ids(line)) return { ...line, change: "owners", before }
  return before.text === line.text ? line : { ...line, before }
}
