import { entryOf } from "../fieldpath/builder.js"
import { type Entry, FieldSet } from "../fieldpath/set.js"
import type { Reach } from "./reach.js"
import type { Type } from "./type.js"

/**
 * Returns `set` with the declared fields on the way to its members: for `.spec.ports[port=80]`, `.spec` and `.spec.ports` become members if
 * the type declares them. Keys of maps and items of lists on the way do not.
 */
export function withNamedFields(type: Type, set: FieldSet): FieldSet {
  let out: Entry[] | null = null
  for (let i = 0; i < set.entries.length; i++) {
    const entry = set.entries[i] as Entry
    const named = entry.children === null ? entry : (withNamedBelow(type, entry, entry.children, null) as Entry)
    if (named !== entry && out === null) out = set.entries.slice(0, i)
    if (out !== null) out.push(named)
  }
  return out === null ? set : new FieldSet(out)
}

/** Like `withNamedFields`, for the members of `set` at some places. */
export function withNamedFieldsWithin(type: Type, set: FieldSet, reach: Reach): FieldSet {
  const out: Entry[] = []
  for (const { element, children } of reach.entries) {
    const entry = set.find(element)
    if (entry === undefined) continue
    const named = entry.children === null ? entry : withNamedBelow(type, entry, entry.children, children)
    if (named !== null) out.push(named)
  }
  return out.length === 0 ? FieldSet.empty : new FieldSet(out)
}

/** Null for `reach` stands for all places. Returns null if the entry has no members there. */
function withNamedBelow(type: Type, entry: Entry, below: FieldSet, reach: Reach | null): Entry | null {
  const { element } = entry
  let child: Type | null = null
  let declared = false
  if (element.kind === "field" && type.map !== null) {
    const field = type.map.fields.get(element.name)
    declared = field !== undefined
    child = field === undefined ? type.map.rest : field.type
  } else if (element.kind === "key" && type.list !== null) {
    child = type.list.item
  }
  const children =
    child === null ? below : reach === null ? withNamedFields(child, below) : withNamedFieldsWithin(child, below, reach)
  const member = entry.member || declared
  return member === entry.member && children === below ? entry : entryOf(element, member, children)
}
