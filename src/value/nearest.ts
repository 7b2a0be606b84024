import { compareStrings } from "./compare.js"

/** Returns the name that `word` most likely misspells, or undefined if no name is close. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  // Nobody types such a name, and the comparison takes time with the product of the lengths.
  if (word.length > 200) return undefined
  let best: string | undefined
  let least = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const name of Array.from(names).sort(compareStrings)) {
    if (Math.abs(name.length - word.length) >= least) continue
    const edits = editDistance(word.toLowerCase(), name.toLowerCase())
    if (edits < least) {
      best = name
      least = edits
    }
  }
  return best
}

/** Returns `; did you mean NAME?`, to end a message about an unknown word; "" if no name is close. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const close = nearest(word, names)
  return close === undefined ? "" : `; did you mean ${close}?`
}

/** Returns the number of characters to add, remove, replace or swap with their neighbour to turn one word into the other. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)]
  const at = (i: number, j: number) => rows[i]?.[j] as number
  for (let i = 1; i <= a.length; i++) {
    rows.push([i])
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = isSwapped ? at(i - 2, j - 2) + 1 : replaced
      rows[i]?.push(Math.min(replaced, swapped, at(i - 1, j) + 1, at(i, j - 1) + 1))
    }
  }
  return at(a.length, b.length)
}
