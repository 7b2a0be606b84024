// Builds field sets bottom-up: a walk collects the entries of one level in the order it meets them.
import type { PathElement } from "./element.js"
import { compareEntries, Entry, FieldSet, leafEntry } from "./set.js"

/** The entry of `element` for what a walk found there, or null for nothing. */
export function entryOf(element: PathElement, member: boolean, children: FieldSet): Entry | null {
  if (children.entries.length === 0) return member ? leafEntry(element) : null
  return new Entry(element, member, children)
}

/**
 * The entries of all levels a walk is in, one level after the other. A list of its own for each level would be grown by
 * doubling and kept with its spare room; here a level is cut out when it is done, at its exact size.
 */
export class EntryStack {
  private readonly entries: Entry[] = []
  private count = 0

  /** Where the next level begins. */
  get top(): number {
    return this.count
  }

  push(entry: Entry): void {
    this.entries[this.count++] = entry
  }

  /** Takes the entries from `start` on off the stack, sorted by element. */
  take(start: number): Entry[] {
    const level = this.entries.slice(start, this.count)
    this.count = start
    sortEntries(level)
    return level
  }

  /** Takes the entries from `start` on off the stack, as a set; each element is there once. */
  takeSet(start: number): FieldSet {
    return this.count === start ? FieldSet.empty : new FieldSet(this.take(start))
  }
}

/** The set of these entries, given in any order with each element once. Takes and sorts `entries`. */
export function setOfEntries(entries: Entry[]): FieldSet {
  if (entries.length === 0) return FieldSet.empty
  sortEntries(entries)
  return new FieldSet(entries)
}

/** Sorts by element. Most levels come (nearly) sorted and are short: those are sorted in place without a callback. */
export function sortEntries(entries: Entry[]): void {
  for (let i = 1; i < entries.length; i++) {
    const entry = entries[i] as Entry
    let at = i
    while (at > 0 && compareEntries(entries[at - 1] as Entry, entry) > 0) {
      if (i - at > 12) {
        entries[at] = entry
        entries.sort(compareEntries)
        return
      }
      entries[at] = entries[at - 1] as Entry
      at--
    }
    entries[at] = entry
  }
}
