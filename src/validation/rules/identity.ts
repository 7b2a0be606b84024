// Decides which items of two lists are the same one.
import type { ListValue, Side } from "../../value/value.js"
import type { GoField, GoType } from "./go-type.js"
import { equalGo, fieldValue, goValue } from "./go-value.js"
import type { ListFacts } from "./place.js"

/** Tells items apart by a text or number for each. `of` is null if an item has no such text or number; `same` then compares two items. */
export interface Identity {
  readonly of: ((item: Side) => unknown) | null
  readonly same: (a: Side, b: Side) => boolean
}

export function identityOf({ semantic, keys }: ListFacts, element: GoType): Identity {
  const same = (a: Side, b: Side) => equalGo(element, a, b)
  if (semantic === "map") {
    const sameKeys = (a: Side, b: Side) => keys.every(key => equalGo(key.type, fieldValue(key, a), fieldValue(key, b)))
    const [first, ...others] = keys as [GoField, ...GoField[]]
    if (others.length === 0) return { of: item => plain(fieldValue(first, item)), same: sameKeys }
    return { of: item => JSON.stringify(keys.map(key => plain(fieldValue(key, item)) ?? null)), same: sameKeys }
  }
  const scalar = ["string", "bool", "integer", "float"].includes(element.kind)
  return { of: scalar ? plain : null, same }
}

/** Returns a scalar that is identical for all values that Go calls equal. */
export function plain(value: Side): unknown {
  return typeof value === "bigint" ? (Number.isSafeInteger(Number(value)) ? Number(value) : String(value)) : value
}

/** The indexes of all items that equal an earlier one. */
export function duplicatesIn(list: ListValue | undefined, element: GoType, { of, same }: Identity): number[] {
  const found: number[] = []
  const seen = new Set<unknown>()
  const before: Side[] = []
  for (let i = 0; i < (list?.length ?? 0); i++) {
    const item = goValue(element, (list as ListValue)[i])
    if (item === undefined && element.pointer) continue
    if (of === null ? before.some(other => same(other, item)) : seen.has(of(item))) found.push(i)
    else if (of === null) before.push(item)
    else seen.add(of(item))
  }
  return found
}

/** Returns a function that finds the old version of an item in a list: the first item that `identity` calls the same. */
export function finder(list: ListValue | undefined, element: GoType, { of, same }: Identity): (item: Side) => Side {
  const items = (list ?? []).map(item => goValue(element, item)).filter(item => item !== undefined)
  if (of === null || items.length < 8) return item => items.find(old => same(old, item))
  const known = new Map<unknown, Side>()
  for (const item of items) if (!known.has(of(item))) known.set(of(item), item)
  return item => known.get(of(item))
}
