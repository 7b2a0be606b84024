import { compareStrings } from "./compare.js"

/** The name that `word` is most likely a slip for, or undefined where none is near. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  // Nobody mistypes such a name, and comparing two of them takes the square of their length.
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

/** `; did you mean NAME?` for the end of a message about a word that is none of these names; "" where none is near. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const close = nearest(word, names)
  return close === undefined ? "" : `; did you mean ${close}?`
}

/** How many characters have to be added, removed or replaced to get from one word to the other. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
