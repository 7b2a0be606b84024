import { Entry, FieldSet } from "../fieldpath/set.js"
import type { Type } from "./type.js"

/**
 * Returns `set` with the declared fields on the way to its members: for `.spec.ports[port=80]`, `.spec` and `.spec.ports` become members if
 * the type declares them. Keys of maps and items of lists on the way do not.
 */
export function withNamedFields(type: Type, set: FieldSet): FieldSet {
  let out: Entry[] | null = null
  for (let i = 0; i < set.entries.length; i++) {
    const entry = set.entries[i] as Entry
    const named = entry.children === null ? entry : withNamedBelow(type, entry, entry.children)
    if (named !== entry && out === null) out = set.entries.slice(0, i)
    if (out !== null) out.push(named)
  }
  return out === null ? set : new FieldSet(out)
}

function withNamedBelow(type: Type, entry: Entry, below: FieldSet): Entry {
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
  const children = child === null ? below : withNamedFields(child, below)
  const member = entry.member || declared
  return member === entry.member && children === below ? entry : new Entry(element, member, children)
}
