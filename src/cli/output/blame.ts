// Shows people who owns the fields of an object: a tree of the fields, and a table of the managers below it.
import { formatElement, type PathElement } from "../../fieldpath/element.js"
import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import { valueAt } from "../../fieldpath/lookup.js"
import type { Path } from "../../fieldpath/path.js"
import { type Entry, FieldSet } from "../../fieldpath/set.js"
import type { Blame } from "../../tools/ownership/blame.js"
import type { Owner } from "../../tools/ownership/owners.js"
import type { MapValue } from "../../value/value.js"
import { counted } from "../../value/words.js"
import { alignColumns, fitColumns, printable, widest, wrapHanging } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import { clampLines, widthOf } from "../terminal/width.js"
import { showFlow } from "./flow.js"
import { titleLine } from "./object-title.js"
import { ago, shortOwner, wayOf } from "./owner.js"

/** Formats the fields of an object with their values and owners, then the managers with the number of their fields. */
export function formatBlame(blame: Blame, object: MapValue, terminal: Terminal): string {
  const { style, columns } = terminal
  const [head = "", ...fields] = fieldTable(blame, object, columns)
  const [managersHead = "", ...managers] = managerTable(managerRows(blame, terminal.now()), columns)
  const text = [
    titleLine(blame.target, blame.target.apiVersion, terminal),
    "",
    style.faint(head),
    ...fields,
    "",
    style.faint(managersHead),
    ...managers,
    "",
  ].join("\n")
  return clampLines(text, columns)
}

/** A row of the field table. */
interface Row {
  readonly name: string
  /** Returns "" if the rows below show the value. */
  readonly value: (width: number) => string
  readonly owners: string
}

function fieldTable(blame: Blame, object: MapValue, columns: number): string[] {
  const rows = [{ name: "FIELD", value: () => "VALUE", owners: "OWNERS" }, ...fieldRows(blame, object)]
  const owners = widest(
    rows.map(row => row.owners),
    Math.floor(columns * 0.35),
  )
  const names = widest(
    rows.map(row => row.name),
    Math.max(8, columns - owners - leastValue - 4),
  )
  const values = columns - owners - names - 4
  const cells = rows.map(({ name, value, owners }) => [name, value(values), owners])
  return fitColumns(cells, [
    names,
    widest(
      cells.map(([, value = ""]) => value),
      values,
    ),
    owners,
  ])
}

/** The columns that values get at least, however long the names are. */
const leastValue = 16

function fieldRows(blame: Blame, object: MapValue): Row[] {
  const all = blame.byManager().map(({ owner }) => owner)
  const rows: Row[] = []
  const visit = (set: FieldSet, above: Path, depth: number): void => {
    for (const entry of set.entries) {
      const { steps, last } = followFields(entry)
      const path = [...above, ...steps]
      const { owners, gone, byHand } = blame.at(path)
      rows.push({
        name: "  ".repeat(depth) + printable(steps.map(formatElement).join("")),
        value: width => (gone ? "(gone)" : last.children === null ? showFlow(valueAt(object, path), width) : ""),
        owners: last.member ? `${formatOwners(owners, all)}${byHand ? ", by hand" : ""}` : "",
      })
      if (last.children !== null) visit(last.children, path, depth + 1)
    }
  }
  visit(FieldSet.of(blame.fields.map(({ steps }) => steps.flatMap(step => parseFieldsV1Key(step) ?? []))), [], 0)
  return rows
}

function formatOwners(owners: readonly Owner[], all: readonly Owner[]): string {
  return owners.length === 0 ? "(nobody)" : owners.map(owner => shortOwner(owner, all)).join(", ")
}

/** Follows an entry down while it is not a member of the set and has a single child, a field. The steps share one row of the table. */
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

/** Lays out the rows in columns, or each as a sentence if the columns are too wide. The first row holds the headings. */
function managerTable(rows: readonly (readonly string[])[], columns: number): string[] {
  const table = alignColumns(rows)
  if (table.every(line => widthOf(line) <= columns)) return table
  const lines = rows.slice(1).flatMap(cells => {
    const [manager, ...rest] = cells.filter(cell => cell !== "")
    const fields = counted(Number(rest.pop()), "field")
    return wrapHanging(`${manager}: ${[...rest, fields].join(", ")}`, columns)
  })
  return ["MANAGERS", ...lines]
}

function managerRows(blame: Blame, now: Date): string[][] {
  const managers = blame.byManager()
  const isTimed = managers.some(({ owner }) => owner.time !== undefined)
  const row = (manager: string, way: string, version: string, time: string, fields: string) => {
    return [printable(manager), way, printable(version), ...(isTimed ? [printable(time)] : []), fields]
  }
  const unowned = blame.unowned().length
  return [
    row("MANAGER", "OPERATION", "API VERSION", "LAST CHANGE", "FIELDS"),
    ...managers.map(({ owner, fields }) => {
      const { manager, apiVersion, time } = owner
      const version = blame.ownersAtOtherVersions.includes(owner) ? `${apiVersion} (other version)` : apiVersion
      return row(manager, wayOf(owner), version, time === undefined ? "" : ago(time, now), `${fields.length}`)
    }),
    ...(unowned > 0 ? [row("(nobody)", "", "", "", `${unowned}`)] : []),
  ]
}
