// The trie of a field set under construction, from paths in any order.
import { addToGroup } from "../value/groups.js"
import { compareElements, equalElements, type PathElement } from "./element.js"
import type { Path } from "./path.js"

/** An entry under construction. */
export class Draft {
  /** A copy of the element's order, since most comparisons of drafts need nothing else. */
  readonly order: number
  readonly element: PathElement
  member = false
  /** Sorted by element; null if there is nothing below. */
  below: Draft[] | null = null
  constructor(element: PathElement) {
    this.order = element.order
    this.element = element
  }

  /** Returns the draft of `element` below this one, and creates it if it is missing. */
  descend(element: PathElement): Draft {
    if (this.below !== null) return draftOf(this.below, element)
    const draft = new Draft(element)
    this.below = [draft]
    return draft
  }
}

/** The number of drafts that `insertAll` has moved so far, to insert others before them. */
let moves = 0

/**
 * Returns the level at `depth` of the trie of these paths, which are all longer than `depth`. Inserts the paths one by one, which is cheap
 * if they are mostly in order. A large level in disorder would take too many moves, so its paths are sorted instead.
 */
export function draftTrie(paths: readonly Path[], depth = 0): Draft[] {
  return insertAll(paths, depth) ?? groupAll(paths, depth)
}

/** Inserts the paths one by one. Returns null if that takes too many moves. */
function insertAll(paths: readonly Path[], depth: number): Draft[] | null {
  const most = 32 * paths.length
  moves = 0
  const top: Draft[] = []
  for (let i = 0; i < paths.length; i++) {
    const path = paths[i] as Path
    let draft = draftOf(top, path[depth] as PathElement)
    for (let j = depth + 1; j < path.length; j++) draft = draft.descend(path[j] as PathElement)
    draft.member = true
    if (moves > most) return null
  }
  return top
}

/** Returns the draft of `element`, and inserts it if it is missing. */
function draftOf(drafts: Draft[], element: PathElement): Draft {
  const wanted = element.order
  let low = 0
  let high = drafts.length - 1
  // Most paths come in order, or at least right after others with the same parent.
  if (high >= 0) {
    const last = drafts[high] as Draft
    const order = last.order - wanted || compareElements(last.element, element)
    if (order === 0) return last
    if (order < 0) low = ++high
  }
  while (low < high) {
    const middle = (low + high) >>> 1
    const draft = drafts[middle] as Draft
    const order = draft.order - wanted || compareElements(draft.element, element)
    if (order === 0) return draft
    if (order < 0) low = middle + 1
    else high = middle
  }
  const draft = new Draft(element)
  drafts.push(draft)
  // `splice` would create an empty list of removed drafts each time.
  moves += drafts.length - 1 - low
  for (let i = drafts.length - 1; i > low; i--) drafts[i] = drafts[i - 1] as Draft
  drafts[low] = draft
  return draft
}

/** Returns the same level, by sorting. Equal elements are mostly the same object, so a Map finds the paths of each. */
function groupAll(paths: readonly Path[], depth: number): Draft[] {
  const groups = new Map<PathElement, Path[]>()
  for (const path of paths) addToGroup(groups, path[depth] as PathElement, path)
  const out: Draft[] = []
  const elements = [...groups.keys()].sort(compareElements)
  for (let i = 0; i < elements.length; ) {
    const element = elements[i] as PathElement
    const group = groups.get(element) as Path[]
    while (++i < elements.length && equalElements(element, elements[i] as PathElement)) {
      for (const path of groups.get(elements[i] as PathElement) as Path[]) group.push(path)
    }
    const draft = new Draft(element)
    const longer = group.filter(path => path.length > depth + 1)
    draft.member = longer.length < group.length
    if (longer.length > 0) draft.below = draftTrie(longer, depth + 1)
    out.push(draft)
  }
  return out
}
