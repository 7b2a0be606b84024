// Filters keep a part of a set. An Updater uses them to ignore fields, by version.

import { aList, requireArgument } from "../value/argument.js"
import { entryOf } from "./builder.js"
import { compareElements, equalElements, type PathElement } from "./element.js"
import { type PathPart, pathOf } from "./path.js"
import { type Entry, FieldSet } from "./set.js"

/** Keeps part of a set. */
export interface Filter {
  /** Returns the part of the set that is kept; the set itself if all of it is. */
  filter(set: FieldSet): FieldSet
}

/** Filters by version. */
export type Filters = ReadonlyMap<string, Filter>

/** Returns the part of a set that the filter of its version keeps: the set itself if the version has no filter. */
export function filterAt(filters: Filters, apiVersion: string, set: FieldSet): FieldSet {
  return filters.get(apiVersion)?.filter(set) ?? set
}

/** Stands for any one element in a pattern. */
export const anyElement = Symbol("any element")

/** A path in which `anyElement` stands for any one step, written as the arguments of `pathOf`. */
export type Pattern = readonly (PathPart | typeof anyElement)[]

/** Returns a filter that drops the paths of `excluded` and everything below them. */
export function excludeFilter(excluded: FieldSet): Filter {
  return { filter: set => set.recursiveDifference(excluded) }
}

/**
 * Returns a filter that keeps the paths at or below one of the patterns: `includeFilter(["spec", anyElement, "image"])`. It also keeps
 * members on the way to a match. Without patterns, it keeps everything.
 */
export function includeFilter(...patterns: readonly Pattern[]): Filter {
  for (const pattern of patterns) requireArgument("pattern", pattern, aList)
  if (patterns.length === 0) return { filter: set => set }
  const matcher = patterns.map(matcherOf).reduce(mergeMatchers)
  return { filter: set => keepMatches(set, matcher) }
}

/** The branches that a level may have; null matches everything from here down. */
type Matcher = readonly Branch[] | null

interface Branch {
  /** Null matches any element. */
  readonly element: PathElement | null
  readonly below: Matcher
}

function matcherOf(pattern: Pattern): Matcher {
  let matcher: Matcher = null
  for (let i = pattern.length - 1; i >= 0; i--) {
    const part = pattern[i] as PathPart | typeof anyElement
    matcher = [{ element: part === anyElement ? null : (pathOf(part)[0] as PathElement), below: matcher }]
  }
  return matcher
}

function mergeMatchers(a: Matcher, b: Matcher): Matcher {
  if (a === null || b === null) return null
  const merged = a.slice()
  for (const branch of b) {
    const at = findBranch(a, branch)
    const found = merged[at]
    if (found === undefined) merged.push(branch)
    else merged[at] = { element: found.element, below: mergeMatchers(found.below, branch.below) }
  }
  return merged.sort(compareBranches)
}

// Go: the binary search for an equal branch compares the wrong way round. In longer lists it misses most equal branches, so two branches
// for one element stay, and only the first is ever used. Wildcards never count as equal.
function findBranch(branches: readonly Branch[], wanted: Branch): number {
  let low = 0
  let high = branches.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareBranches(branches[middle] as Branch, wanted) > 0) low = middle + 1
    else high = middle
  }
  const found = branches[low]
  return found !== undefined && compareBranches(found, wanted) === 0 ? low : -1
}

function compareBranches(a: Branch, b: Branch): number {
  if (a.element === null && b.element !== null) return -1
  if (b.element === null) return 1
  return compareElements(a.element as PathElement, b.element)
}

function keepMatches(set: FieldSet, matcher: Matcher): FieldSet {
  if (matcher === null) return set
  const entries: Entry[] = []
  for (const entry of set.entries) {
    const branch = matcher.find(({ element }) => element === null || equalElements(element, entry.element))
    if (branch === undefined) continue
    const children = entry.children === null ? FieldSet.empty : keepMatches(entry.children, branch.below)
    const kept = entryOf(entry.element, entry.member, children)
    if (kept !== null) entries.push(kept)
  }
  return entries.length === 0 ? FieldSet.empty : new FieldSet(entries)
}
