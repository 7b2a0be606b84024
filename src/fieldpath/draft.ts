// The trie of a field set under construction, from paths in any order.
import { compareElements, equalElements, type PathElement } from "./element.js"
import type { Path } from "./path.js"

/** An entry under construction. */
export interface Draft {
  readonly element: PathElement
  readonly member: boolean
  /** Sorted by element; null if there is nothing below. */
  readonly below: readonly Draft[] | null
}

/**
 * Returns the level at `depth` of the trie of these paths, which are all longer than `depth`. Equal elements are mostly the same object, so a
 * Map finds most paths of each element before the elements are compared.
 */
export function draftTrie(paths: readonly Path[], depth = 0): Draft[] {
  const groups = new Map<PathElement, Path[]>()
  for (const path of paths) {
    const element = path[depth] as PathElement
    const group = groups.get(element)
    if (group === undefined) groups.set(element, [path])
    else group.push(path)
  }
  const drafts: Draft[] = []
  const elements = [...groups.keys()].sort(compareElements)
  for (let i = 0; i < elements.length; ) {
    const element = elements[i] as PathElement
    const group = groups.get(element) as Path[]
    while (++i < elements.length && equalElements(element, elements[i] as PathElement)) {
      for (const path of groups.get(elements[i] as PathElement) as Path[]) group.push(path)
    }
    const longer = group.filter(path => path.length > depth + 1)
    const below = longer.length > 0 ? draftTrie(longer, depth + 1) : null
    drafts.push({ element, member: longer.length < group.length, below })
  }
  return drafts
}
