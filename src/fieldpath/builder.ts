// Builds field sets from the bottom up: a walk collects the entries of a level in the order in which it meets them.
import { keepLayout } from "../value/layout.js"
import type { PathElement } from "./element.js"
import { compareEntries, Entry, FieldSet, leafEntry } from "./set.js"

/** Returns the entry of an element with these children, or null if it is not a member and has no children. */
export function entryOf(element: PathElement, member: boolean, children: FieldSet): Entry | null {
  if (children.entries.length === 0) return member ? leafEntry(element) : null
  return new Entry(element, member, children)
}

/**
 * The entries of all unfinished levels of a walk, one level after the other. A list for each level would grow by doubling and keep its
 * spare room; here, a finished level is copied out at its exact size.
 */
export class EntryStack {
  static {
    keepLayout(new EntryStack())
  }

  private readonly entries: Entry[] = []
  private count = 0

  /** The index at which the next level begins. */
  get top(): number {
    return this.count
  }

  push(entry: Entry): void {
    this.entries[this.count++] = entry
  }

  /** Removes the entries from index `start` on. Returns them sorted by element. */
  take(start: number): Entry[] {
    const level = this.entries.slice(start, this.count)
    this.count = start
    sortEntries(level)
    return level
  }

  /**
   * Removes the entries from index `start` on, which must have different elements. Returns a set of them, or `alike` if it has the same
   * entries: most items of a list have the same fields, and should share one set for them.
   */
  takeSet(start: number, alike: FieldSet = FieldSet.empty): FieldSet {
    if (this.count === start) return FieldSet.empty
    if (isSameLevel(this.entries, start, this.count, alike.entries)) {
      this.count = start
      return alike
    }
    const level = this.take(start)
    return sameEntries(level, alike.entries) ? alike : new FieldSet(level)
  }
}

/**
 * Whether the level from `start` to `end`, which has each element once and in any order, has exactly these entries. A long level must also
 * have them in the same order, since searching it would cost too much.
 */
export function isSameLevel(level: readonly Entry[], start: number, end: number, entries: readonly Entry[]): boolean {
  const { length } = entries
  if (length !== end - start) return false
  for (let i = 0; i < length; i++) {
    const entry = entries[i] as Entry
    if (level[start + i] !== entry && (length > 16 || !hasEntry(level, start, end, entry))) return false
  }
  return true
}

/** Whether both levels have the same entries in the same order. */
export function sameEntries(a: readonly Entry[], b: readonly Entry[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

function hasEntry(level: readonly Entry[], start: number, end: number, entry: Entry): boolean {
  for (let i = start; i < end; i++) if (level[i] === entry) return true
  return false
}

/** Returns the set of these entries, which come in any order with each element once. Keeps and sorts `entries`. */
export function setOfEntries(entries: Entry[]): FieldSet {
  if (entries.length === 0) return FieldSet.empty
  sortEntries(entries)
  return new FieldSet(entries)
}

/** Returns the union of the sets. */
export function uniteSets(sets: readonly FieldSet[]): FieldSet {
  // Splits in halves, because adding set by set would copy the growing union each time.
  if (sets.length < 3) return sets.reduce((all, set) => all.union(set), FieldSet.empty)
  const middle = sets.length >> 1
  return uniteSets(sets.slice(0, middle)).union(uniteSets(sets.slice(middle)))
}

/** Sorts by element. Most levels are short and nearly sorted: those are sorted in place, without a callback. */
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
