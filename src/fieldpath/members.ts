// Reads the members of a set: counts them, compares them, visits them as paths, and writes them as an object for JSON.
import { equalElements, type PathElement } from "./element.js"
import type { Path } from "./path.js"

/** One level of a set, as far as reading needs it. */
interface Level {
  readonly entries: readonly LevelEntry[]
}

interface LevelEntry {
  readonly element: PathElement
  readonly member: boolean
  readonly children: Level | null
}

/** Returns the number of members of a level and below it. */
export function countMembers({ entries }: Level): number {
  let count = 0
  for (const { member, children } of entries)
    count += (member ? 1 : 0) + (children === null ? 0 : countMembers(children))
  return count
}

/** Whether both levels have exactly the same members. */
export function equalLevels({ entries: a }: Level, { entries: b }: Level): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) {
    const x = a[i] as LevelEntry
    const y = b[i] as LevelEntry
    if (x === y) continue
    if (x.member !== y.member || !equalElements(x.element, y.element)) return false
    if (x.children === null || y.children === null) {
      if (x.children !== y.children) return false
    } else if (!equalLevels(x.children, y.children)) return false
  }
  return true
}

/** Calls `visit` for the members of a level, then for the members below each of its entries. `path` leads to the level, and changes. */
export function visitMembers({ entries }: Level, path: PathElement[], visit: (path: Path) => void): void {
  for (const { element, member } of entries) {
    if (!member) continue
    path.push(element)
    visit(path)
    path.pop()
  }
  for (const { element, children } of entries) {
    if (children === null) continue
    path.push(element)
    visitMembers(children, path, visit)
    path.pop()
  }
}

/** Returns the level as the object that FieldsV1 would have for it. `self` means that the element above is a member too. */
export function fieldsOf({ entries }: Level, self: boolean): object {
  const fields: { [key: string]: object } = self ? { ".": {} } : {}
  for (const { element, member, children } of entries) {
    fields[element.toJSON()] = children === null ? {} : fieldsOf(children, member)
  }
  return fields
}
