import { formatElement, type PathElement } from "../../fieldpath/element.js"
import { valueAt } from "../../fieldpath/lookup.js"
import type { Managers } from "../../fieldpath/managers.js"
import type { Path } from "../../fieldpath/path.js"
import { type Entry, FieldSet } from "../../fieldpath/set.js"
import type { Value } from "../../value/value.js"
import { alignColumns, printable, showValue } from "./layout.js"

/** Everything that somebody owns. */
export function ownedFields(managers: Managers): FieldSet {
  let all = FieldSet.empty
  for (const { set } of managers.values()) all = all.union(set)
  return all
}

/** The managers that own a field, in their order: `web-team, mesh`; "" for none. */
export function ownersOf(managers: Managers, path: Path): string {
  const owners: string[] = []
  for (const [manager, { set }] of managers) if (set.has(path)) owners.push(manager)
  return printable(owners.join(", "))
}

/** Every owned field of an object with its value and its managers, as an indented tree in aligned columns. */
export function ownershipTable(object: Value, managers: Managers): string[] {
  const rows: string[][] = [["FIELD", "VALUE", "MANAGERS"]]
  const visit = (set: FieldSet, above: Path, depth: number): void => {
    for (const entry of set.entries) {
      const { steps, last } = followFields(entry)
      const path = [...above, ...steps]
      const value = last.children === null ? showValue(valueAt(object, path), 20) : ""
      rows.push(["  ".repeat(depth) + printable(steps.map(formatElement).join("")), value, ownersOf(managers, path)])
      if (last.children !== null) visit(last.children, path, depth + 1)
    }
  }
  visit(ownedFields(managers), [], 0)
  return alignColumns(rows)
}

/** Follows an entry down while there is only one way to go, through fields that nobody owns themselves. */
function followFields(entry: Entry): { readonly steps: PathElement[]; readonly last: Entry } {
  const steps = [entry.element]
  let last = entry
  for (;;) {
    const only: Entry | undefined = last.children?.entries.length === 1 ? last.children.entries[0] : undefined
    if (only === undefined || last.member || only.element.kind !== "field") return { steps, last }
    steps.push(only.element)
    last = only
  }
}
