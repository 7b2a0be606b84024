// FieldSet: the fields that somebody owns, as an immutable sorted trie.
//
//   {.spec, .spec.replicas, .spec.ports[port=80]}
//
//   entries: [ .spec  member  children: [ .ports  -       children: [ [port=80]  member  - ] ]
//                                       [ .replicas  member  - ] ]
//
// Every entry is a member of the set, leads to members below it, or both, so equal sets have equal tries. Entries are sorted by element.
// Set operations walk two sorted arrays side by side, share subtrees with their operands, and return an operand that equals the result.
import { maxDepth, tooDeep } from "../value/depth.js"
import { type Draft, draftTrie } from "./draft.js"
import { compareElements, type PathElement } from "./element.js"
import { countMembers, equalLevels, fieldsOf, visitMembers } from "./members.js"
import { formatGoPath, type Path } from "./path.js"

/** One element of a level of a set, and the members of the set there and below. Immutable. */
export class Entry {
  /**
   * A copy of the element's order, since most comparisons of entries need nothing else.
   * @internal
   */
  readonly order: number
  /** The step that leads here. */
  readonly element: PathElement
  /** Whether the path that ends here is in the set. */
  readonly member: boolean
  /** The members below, without this first step of their paths; null instead of an empty set. */
  readonly children: FieldSet | null
  /** @internal */
  constructor(element: PathElement, member: boolean, children: FieldSet | null) {
    this.order = element.order
    this.element = element
    this.member = member
    this.children = children
  }
}

/** Orders entries by element: negative, 0 or positive. */
export function compareEntries(a: Entry, b: Entry): number {
  return a.order - b.order || compareElements(a.element, b.element)
}

/** Returns the entry of a member with nothing below it: always the same one for an element. */
export function leafEntry(element: PathElement): Entry {
  return (element.leaf ??= new Entry(element, true, null)) as Entry
}

/** Returns `entry` with these two properties: itself if it has them, null if it would be neither a member nor have children. */
function changed(entry: Entry, member: boolean, children: FieldSet | null): Entry | null {
  if (entry.member === member && entry.children === children) return entry
  if (children === null) return member ? leafEntry(entry.element) : null
  return new Entry(entry.element, member, children)
}

/**
 * An immutable set of paths: the fields that somebody owns. Operations return new sets, which share all common parts with the old ones. If
 * the result equals an operand, they return that operand. Iterating over a set yields its members as paths.
 *
 * @example
 * ```ts
 * import { FieldSet, pathOf } from "structured-merge-diff"
 *
 * const owned = FieldSet.of([pathOf("spec", "replicas"), pathOf("spec", "paused")])
 * console.log(owned.difference(FieldSet.of([pathOf("spec", "paused")])).toString())
 * // .spec.replicas
 * ```
 */
export class FieldSet implements Iterable<Path> {
  /** The set without members. */
  static readonly empty: FieldSet = new FieldSet([])

  /**
   * The top level, sorted by element. To walk a set, visit each entry, and continue with its `children` if it has any:
   *
   *     for (const { element, member, children } of set.entries) …
   *
   * To visit only the members, use the iterator or `forEach`; `leaves` returns the members with nothing below them. Sets share the list:
   * never change it.
   */
  readonly entries: readonly Entry[]
  // Private, since deep equality would otherwise depend on the earlier use of the sets.
  #checkedFor: object | null = null

  /**
   * Keeps `entries`, which must be sorted by element and without duplicates. Users call `FieldSet.of`.
   * @internal
   */
  constructor(entries: readonly Entry[] = []) {
    this.entries = entries
  }

  /**
   * A type that this set is known to agree with, so that it need not be reconciled again. This class only stores it.
   * @internal
   */
  get checkedFor(): object | null {
    return this.#checkedFor
  }

  /** @internal */
  set checkedFor(type: object) {
    this.#checkedFor = type
  }

  /** Returns the set of these paths, which may come in any order. Parents are not added, and the root path is ignored. */
  static of(paths: Iterable<Path>): FieldSet {
    const below: Path[] = []
    for (const path of paths) {
      if (path.length > maxDepth) throw tooDeep()
      if (path.length > 0) below.push(path)
    }
    return below.length === 0 ? FieldSet.empty : setOfDrafts(draftTrie(below))
  }

  /** Whether the set has no members. Takes constant time. */
  isEmpty(): boolean {
    return this.entries.length === 0
  }

  /** The number of members. O(n). */
  get size(): number {
    return countMembers(this)
  }

  /** Whether the path itself is a member; the root never is. */
  has(path: Path): boolean {
    let set: FieldSet = this
    const last = path.length - 1
    for (let i = 0; i < last; i++) {
      const entry = set.find(path[i] as PathElement)
      if (entry === undefined || entry.children === null) return false
      set = entry.children
    }
    return last >= 0 && set.find(path[last] as PathElement)?.member === true
  }

  /** Returns the entry of this element at the top level, or undefined. */
  find(element: PathElement): Entry | undefined {
    const { entries } = this
    const wanted = element.order
    let low = 0
    let high = entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const entry = entries[middle] as Entry
      const order = entry.order - wanted || compareElements(entry.element, element)
      if (order === 0) return entry
      if (order < 0) low = middle + 1
      else high = middle
    }
    return undefined
  }

  /** Returns the members below `element`, without that first step of their paths. */
  withPrefix(element: PathElement): FieldSet {
    return this.find(element)?.children ?? FieldSet.empty
  }

  /** Returns this set with `path` as a member. For many paths, `FieldSet.of` and `union` are faster. */
  insert(path: Path): FieldSet {
    return this.union(FieldSet.of([path]))
  }

  /** Returns the paths that are in either set. */
  union(other: FieldSet): FieldSet {
    const a = this.entries
    const b = other.entries
    if (a === b || b.length === 0) return this
    if (a.length === 0) return other
    const out: Entry[] = []
    let sameAsThis = true
    let sameAsOther = true
    let i = 0
    let j = 0
    while (i < a.length && j < b.length) {
      const x = a[i] as Entry
      const y = b[j] as Entry
      const order = x === y ? 0 : compareEntries(x, y)
      if (order < 0) {
        out.push(x)
        sameAsOther = false
        i++
      } else if (order > 0) {
        out.push(y)
        sameAsThis = false
        j++
      } else {
        const both = x === y ? x : unite(x, y)
        if (both !== x) sameAsThis = false
        if (both !== y) sameAsOther = false
        out.push(both)
        i++
        j++
      }
    }
    if (i < a.length) sameAsOther = false
    if (j < b.length) sameAsThis = false
    if (sameAsThis) return this
    if (sameAsOther) return other
    for (; i < a.length; i++) out.push(a[i] as Entry)
    for (; j < b.length; j++) out.push(b[j] as Entry)
    return new FieldSet(out)
  }

  /** Returns the paths that are in both sets. */
  intersection(other: FieldSet): FieldSet {
    const a = this.entries
    const b = other.entries
    if (a === b) return this
    if (a.length === 0 || b.length === 0) return FieldSet.empty
    const out: Entry[] = []
    let same = true
    let i = 0
    let j = 0
    while (i < a.length && j < b.length) {
      const x = a[i] as Entry
      const y = b[j] as Entry
      const order = x === y ? 0 : compareEntries(x, y)
      if (order > 0) {
        j++
        continue
      }
      i++
      const kept = order < 0 ? null : x === y ? x : intersect(x, y)
      if (kept !== x) same = false
      if (kept !== null) out.push(kept)
      if (order === 0) j++
    }
    if (same && i === a.length) return this
    return out.length === 0 ? FieldSet.empty : new FieldSet(out)
  }

  /** Returns the paths of this set that are not in `other`. Parents and children of a path in `other` do not matter. */
  difference(other: FieldSet): FieldSet {
    return this.subtract(other, false)
  }

  /** Like `difference`, but also removes everything below a path in `other`. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.subtract(other, true)
  }

  private subtract(other: FieldSet, recursive: boolean): FieldSet {
    const a = this.entries
    const b = other.entries
    if (b.length === 0 || a.length === 0) return this
    if (a === b) return FieldSet.empty
    let out: Entry[] | null = null // created at the first entry that differs
    let i = 0
    let j = 0
    while (i < a.length && j < b.length) {
      const x = a[i] as Entry
      const y = b[j] as Entry
      const order = x === y ? 0 : compareEntries(x, y)
      if (order > 0) {
        j++
        continue
      }
      const left = order < 0 ? x : x === y ? null : remainder(x, y, recursive)
      if (left !== x && out === null) out = a.slice(0, i)
      if (left !== null && out !== null) out.push(left)
      i++
      if (order === 0) j++
    }
    if (out === null) return this
    for (; i < a.length; i++) out.push(a[i] as Entry)
    return out.length === 0 ? FieldSet.empty : new FieldSet(out)
  }

  /** Returns the members that have nothing below them. */
  leaves(): FieldSet {
    let out: Entry[] | null = null
    for (let i = 0; i < this.entries.length; i++) {
      const entry = this.entries[i] as Entry
      const kept = entry.children === null ? entry : (changed(entry, false, entry.children.leaves()) as Entry)
      if (kept !== entry && out === null) out = this.entries.slice(0, i)
      if (out !== null) out.push(kept)
    }
    return out === null ? this : new FieldSet(out)
  }

  /** Whether both sets have exactly the same members. */
  equals(other: FieldSet): boolean {
    return equalLevels(this, other)
  }

  /**
   * Calls `visit` once for each member: first the members of a level, then the members below each of its entries. All calls get the same
   * path object; copy it to keep it.
   */
  forEach(visit: (path: Path) => void): void {
    visitMembers(this, [], visit)
  }

  /** Yields the members in the order of `forEach`, each as a new path. */
  *[Symbol.iterator](): Iterator<Path> {
    const paths: Path[] = []
    this.forEach(path => paths.push(path.slice()))
    yield* paths
  }

  /** Returns the members as text, one path on each line, in the order of `forEach`. */
  toString(): string {
    const lines: string[] = []
    this.forEach(path => lines.push(formatGoPath(path)))
    return lines.join("\n")
  }

  /** Returns the set as an object, from which `JSON.stringify` writes FieldsV1. */
  toJSON(): object {
    return fieldsOf(this, false)
  }
}

/** Returns the union of two entries, which must have the same element. */
export function unite(x: Entry, y: Entry): Entry {
  const member = x.member || y.member
  const children = x.children === null ? y.children : y.children === null ? x.children : x.children.union(y.children)
  const sameAsX = member === x.member && children === x.children
  if (!sameAsX && member === y.member && children === y.children) return y
  return changed(x, member, children) as Entry
}

function intersect(x: Entry, y: Entry): Entry | null {
  const children = x.children === null || y.children === null ? FieldSet.empty : x.children.intersection(y.children)
  return changed(x, x.member && y.member, children.isEmpty() ? null : children)
}

function remainder(x: Entry, y: Entry, recursive: boolean): Entry | null {
  const member = x.member && !y.member
  if (x.children === null || (recursive && y.member)) return changed(x, member, null)
  if (y.children === null) return changed(x, member, x.children)
  const children = recursive ? x.children.recursiveDifference(y.children) : x.children.difference(y.children)
  return changed(x, member, children.isEmpty() ? null : children)
}

/** Returns the set of a level: `like`, the set of the item before, if it is equal, since most items of a list have the same fields. */
function setOfDrafts(drafts: readonly Draft[], like: FieldSet | null = null): FieldSet {
  const entries = new Array<Entry>(drafts.length)
  let before: FieldSet | null = null
  let same = like !== null && like.entries.length === entries.length
  for (let i = 0; i < entries.length; i++) {
    const { element, member, below } = drafts[i] as Draft
    if (below !== null) before = setOfDrafts(below, before)
    const entry = below === null ? leafEntry(element) : new Entry(element, member, before)
    same &&= like?.entries[i] === entry
    entries[i] = entry
  }
  return same ? (like as FieldSet) : new FieldSet(entries)
}
