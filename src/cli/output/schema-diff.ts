// What a change of types does to owners, for people: a line for each change, what happens to owners, and a summary.
import type { AffectedObjects, OwnershipEffect, SchemaChange } from "../../ownership/schema-changes.js"
import type { ComparedObjects, SchemaDiff } from "../../ownership/schema-diff.js"
import type { Style, Terminal } from "../terminal.js"
import { count, defineTerms, fitColumns, indent, listWords, printable, widest, wrap } from "./layout.js"
import { clampLines } from "./width.js"

export function formatSchemaDiff(diff: SchemaDiff, terminal: Terminal): string {
  const { style, columns } = terminal
  const groups = new Map<string, SchemaChange[]>()
  for (const change of diff.changes) {
    const title = titleOf(change)
    groups.set(title, [...(groups.get(title) ?? []), change])
  }
  const blocks = Array.from(groups, ([title, changes]) =>
    [style.strong(title), ...changeRows(changes, terminal), ""].join("\n"),
  )
  const effects = new Map(diff.changes.filter(isTelling).map(({ code, effect }): [string, string] => [code, effect]))
  const rows = [...effects]
  const legend =
    rows.length === 0 ? [] : [style.strong("Owners"), indent(defineTerms(rows, columns - 2).join("\n"), 2), ""]
  return clampLines([...blocks, ...legend, ...wrap(summary(diff, style), columns), ""].join("\n"), columns)
}

/** Whether the change is worth a word on what happens to owners. */
function isTelling({ ownership, affected }: SchemaChange): boolean {
  return ownership !== "no" && affected?.objects !== 0
}

/** The types that have the change, those of one kind together: `example.com/v1 and v1beta1 Widget`. */
function titleOf({ places, more }: SchemaChange): string {
  const types = [...new Set(places.map(({ type }) => type))]
  const few = types.slice(0, mostTypes)
  const rest = types.length - few.length
  return printable(listWords(rest > 0 || more ? [...few, rest > 0 ? `${rest} more` : "more"] : few))
}

const mostTypes = 3
const mostPaths = 5
const margin = 4
const signs: Readonly<Record<OwnershipEffect, string>> = { yes: "!", depends: "?", no: "=" }

function changeRows(changes: readonly SchemaChange[], { style, columns }: Terminal): string[] {
  const cells = changes.map(({ code, before, after, places }) => [
    printable(places[0]?.path || "(all of it)"),
    printable(`${before} -> ${after}`),
    code,
  ])
  const column = (i: number, most: number) =>
    widest(
      cells.map(row => row[i] ?? ""),
      most,
    )
  const codes = column(2, columns)
  const paths = column(0, Math.floor((columns - margin - codes) / 2))
  const widths = [paths, column(1, columns - margin - paths - codes - 4), codes]
  return changes.flatMap((change, i) => {
    const lines = columnsOf(cells[i] ?? [], widths)
    return [
      ...lines.map((line, j) => `  ${j === 0 ? marked(change, style) : " "} ${line}`),
      ...[...otherPaths(change), ...concerned(change.affected)].flatMap(text =>
        wrap(text, columns - margin - 2).map(line => `${" ".repeat(margin + 2)}${style.faint(line)}`),
      ),
    ]
  })
}

/** The row in columns: the change is wrapped in its own, the code beside its first line. */
function columnsOf(
  [path = "", change = "", code = ""]: readonly string[],
  [paths = 0, changes = 0, codes = 0]: number[],
) {
  const [first = "", ...others] = wrap(change, changes)
  return [
    ...fitColumns([[path, first, code]], [paths, changes, codes]),
    ...others.map(line => `${" ".repeat(paths + 2)}${line}`),
  ]
}

function marked({ ownership, affected }: SchemaChange, style: Style): string {
  const effect = affected === undefined ? ownership : affected.objects > 0 ? "yes" : "no"
  return effect === "no" ? signs[effect] : style.bad(signs[effect])
}

/** Where else in the same types the change shows. */
function otherPaths({ places, more }: SchemaChange): string[] {
  const others = [...new Set(places.map(({ path }) => path))].slice(1)
  const few = others.slice(0, mostPaths)
  const rest = others.length - few.length
  if (others.length === 0) return []
  return [printable(`also ${listWords(rest > 0 || more ? [...few, rest > 0 ? `${rest} more` : "more"] : few)}`)]
}

function concerned(affected: AffectedObjects | undefined): string[] {
  if (affected === undefined || affected.objects === 0) return []
  const { objects, owners, managers } = affected
  return [printable(`${count(objects, "object")}, ${count(owners, "owner")}: ${listWords(managers)}`)]
}

function summary({ changes, objects }: SchemaDiff, style: Style): string {
  if (changes.length === 0) return `${style.good("Schema diff: no change that a merge sees.")}${ofObjects(objects)}`
  const tally = (effect: OwnershipEffect) => changes.filter(({ ownership }) => ownership === effect).length
  const [yes, depends, no] = [tally("yes"), tally("depends"), tally("no")]
  const parts = [
    ...(yes > 0 ? [style.bad(`${count(yes, "change")} of ownership`)] : []),
    ...(depends > 0 ? [style.bad(`${depends} that ${depends === 1 ? "depends" : "depend"} on the object`)] : []),
    ...(no > 0 ? [`${no} that ${no === 1 ? "changes" : "change"} no owners`] : []),
  ]
  return `Schema diff: ${listWords(parts)}.${ofObjects(objects)}`
}

function ofObjects(objects: ComparedObjects | undefined): string {
  if (objects === undefined) return ""
  const { checked, others, unfit, affected } = objects
  const parts = [
    ` ${affected.objects} of ${count(checked, "object")} and ${count(affected.owners, "owner")} concerned.`,
  ]
  if (unfit > 0) parts.push(` ${count(unfit, "object")} ${unfit === 1 ? "does" : "do"} not fit the new types.`)
  if (others > 0) parts.push(` ${count(others, "object")} of other kinds passed over.`)
  return parts.join("")
}
