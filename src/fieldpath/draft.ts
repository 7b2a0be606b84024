// The trie of a field set while it is built from paths that come in any order.
import { compareElements, equalElements, invalidElement, type PathElement } from "./element.js"
import type { Path } from "./path.js"

/** An entry under construction. */
export class Draft {
  /** For V8 alone: while a class has no instance, a full collection drops its layout, and with it all code compiled for it. */
  static readonly kept: Draft = new Draft(invalidElement)

  readonly element: PathElement
  member = false
  /** Sorted by element; null for nothing. */
  below: Draft[] | null = null
  constructor(element: PathElement) {
    this.element = element
  }

  /** The draft of `element` below this one. */
  descend(element: PathElement): Draft {
    if (this.below !== null) return draftOf(this.below, element)
    const draft = new Draft(element)
    this.below = [draft]
    return draft
  }
}

/** Up to this many paths are inserted one by one, which costs moves in sorted arrays; more are grouped and sorted. */
const insertLimit = 2_048

/** The top level of the trie of these paths, none of them empty. O(n log n). */
export function draftTrie(paths: readonly Path[]): Draft[] {
  return paths.length <= insertLimit ? insertAll(paths) : groupAll(paths, 0)
}

function insertAll(paths: readonly Path[]): Draft[] {
  const top: Draft[] = []
  for (let i = 0; i < paths.length; i++) {
    const path = paths[i] as Path
    let draft = draftOf(top, path[0] as PathElement)
    for (let j = 1; j < path.length; j++) draft = draft.descend(path[j] as PathElement)
    draft.member = true
  }
  return top
}

/** The draft for `element` among these, which gets its place there if it is new. */
function draftOf(drafts: Draft[], element: PathElement): Draft {
  let low = 0
  let high = drafts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const draft = drafts[middle] as Draft
    const order = compareElements(draft.element, element)
    if (order === 0) return draft
    if (order < 0) low = middle + 1
    else high = middle
  }
  const draft = new Draft(element)
  drafts.push(draft)
  // Not splice, which makes a list of what it takes out, here nothing, each time.
  for (let i = drafts.length - 1; i > low; i--) drafts[i] = drafts[i - 1] as Draft
  drafts[low] = draft
  return draft
}

/** The level of these paths at `depth`; all of them reach it. */
function groupAll(paths: readonly Path[], depth: number): Draft[] {
  if (paths.length <= insertLimit) return insertAll(depth === 0 ? paths : paths.map(path => path.slice(depth)))
  return groupByElement(paths, depth).map(group => {
    const draft = new Draft((group[0] as Path)[depth] as PathElement)
    const longer = group.filter(path => path.length > depth + 1)
    draft.member = longer.length < group.length
    if (longer.length > 0) draft.below = groupAll(longer, depth + 1)
    return draft
  })
}

/** The paths by the element at `depth`, sorted by it. Mostly equal elements are the same object, which groups them at once. */
function groupByElement(paths: readonly Path[], depth: number): Path[][] {
  const groups = new Map<PathElement, Path[]>()
  for (const path of paths) {
    const element = path[depth] as PathElement
    const group = groups.get(element)
    if (group === undefined) groups.set(element, [path])
    else group.push(path)
  }
  const elementOf = (group: readonly Path[]): PathElement => (group[0] as Path)[depth] as PathElement
  const out: Path[][] = []
  for (const group of [...groups.values()].sort((a, b) => compareElements(elementOf(a), elementOf(b)))) {
    const last = out[out.length - 1]
    if (last === undefined || !equalElements(elementOf(last), elementOf(group))) out.push(group)
    else for (const path of group) last.push(path)
  }
  return out
}
