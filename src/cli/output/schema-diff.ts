// Shows people how changed types affect owners: a line for each change, the effects on owners, and a summary.

import {
  type AffectedObjects,
  type OwnershipEffect,
  type SchemaChange,
  schemaChangeRules,
} from "../../tools/ownership/schema-changes.js"
import type { ComparedObjects, SchemaDiff } from "../../tools/ownership/schema-diff.js"
import { groupBy } from "../../value/groups.js"
import { counted, listAnd } from "../../value/words.js"
import { defineTerms, fitColumns, indent, printable, widest, wrap } from "../terminal/layout.js"
import type { Style } from "../terminal/style.js"
import type { Terminal } from "../terminal/terminal.js"
import { clampLines } from "../terminal/width.js"

export function formatSchemaDiff(diff: SchemaDiff, terminal: Terminal): string {
  const { style, columns } = terminal
  const blocks = Array.from(changesByType(diff), ([title, changes]) =>
    [...wrap(title, columns).map(style.strong), ...changeRows(changes, terminal), ""].join("\n"),
  )
  const rows = ownerEffects(diff)
  const legend =
    rows.length === 0 ? [] : [style.strong("Owners"), indent(defineTerms(rows, columns - 2).join("\n"), 2), ""]
  return clampLines([...blocks, ...legend, ...wrap(schemaDiffSummary(diff, style), columns), ""].join("\n"), columns)
}

/** Groups the changes by the types that have them. The keys are titles. */
export function changesByType({ changes }: SchemaDiff): ReadonlyMap<string, readonly SchemaChange[]> {
  return groupBy(changes, titleOf)
}

/** The effect on owners of each code that a change has, without those that affect no owner. */
export function ownerEffects({ changes }: SchemaDiff): (readonly [code: string, effect: string])[] {
  return [...new Map(changes.filter(isTelling).map(({ code, effect }): [string, string] => [code, effect]))]
}

/** Whether the legend explains how the change affects owners. */
function isTelling({ ownership, affected }: SchemaChange): boolean {
  return ownership !== "no" && affected?.objects !== 0
}

/** The types that have the change, with their common part written once: `example.com/v1 Gadget and Widget`, `v1 and v1beta1 Pod`. */
function titleOf({ places, more }: SchemaChange): string {
  const types = [...new Set(places.map(({ type }) => type))].map(type => type.split(" "))
  const [versions, kinds] = [0, 1].map(i => [...new Set(types.map(words => words[i] ?? ""))]) as [string[], string[]]
  const some = (words: readonly string[]) => listSome(words, mostTypes, more)
  if (kinds.length > 1 && versions.length > 1) return printable(some(types.map(words => words.join(" "))))
  return printable(`${some(versions)} ${some(kinds)}`.trimEnd())
}

/** Lists the first words, and how many more there are. If `more` is set, there are more than `words` holds. */
function listSome(words: readonly string[], most: number, more = false): string {
  const few = words.slice(0, most)
  const rest = words.length - few.length
  if (rest === 0 && !(more && words.length === most)) return listAnd(few)
  return listAnd([...few, rest > 0 ? `${rest} more` : "more"])
}

const mostTypes = 3
const mostPaths = 5
const margin = 4
const signs: Readonly<Record<OwnershipEffect, string>> = { yes: "!", depends: "?", no: "=" }

/** A row of the table, and the notes below it. */
export interface SchemaChangeRow {
  readonly change: SchemaChange
  readonly cells: readonly [path: string, change: string, code: string]
  readonly notes: readonly string[]
}

function changeRows(changes: readonly SchemaChange[], { style, columns }: Terminal): string[] {
  const rows = schemaChangeRows(changes)
  const column = (i: 0 | 1 | 2, most: number) =>
    widest(
      rows.map(({ cells }) => cells[i]),
      most,
    )
  const codes = column(2, columns)
  const paths = column(0, Math.floor((columns - margin - codes) / 2))
  const widths = [paths, column(1, columns - margin - paths - codes - 4), codes]
  return rows.flatMap(({ change, cells, notes }) => [
    ...columnsOf(cells, widths).map((line, j) => `  ${j === 0 ? effectSign(change, style) : " "} ${line}`),
    ...notes
      .flatMap(text => wrap(printable(text), columns - margin - 2))
      .map(line => `${" ".repeat(margin + 2)}${style.faint(line)}`),
  ])
}

/** Returns a row for each change that may affect owners, and one for each code of the others. */
export function schemaChangeRows(changes: readonly SchemaChange[]): SchemaChangeRow[] {
  return [...changes.filter(changesOwners).map(rowOf), ...foldedRows(changes.filter(change => !changesOwners(change)))]
}

function changesOwners({ ownership }: SchemaChange): boolean {
  return ownership !== "no"
}

function rowOf(change: SchemaChange): SchemaChangeRow {
  const { code, before, after, places, more, affected } = change
  const [first, ...others] = [...new Set(places.map(({ path }) => path))]
  return {
    change,
    cells: [printable(first || "(all of it)"), printable(`${before} -> ${after}`), code],
    notes: [...(others.length > 0 ? [`also ${listSome(others, mostPaths, more)}`] : []), ...affectedNotes(affected)],
  }
}

/** Changes that affect no owner, one row for each code: a new version of an API has many of them. */
function foldedRows(changes: readonly SchemaChange[]): SchemaChangeRow[] {
  const byCode = groupBy(changes, ({ code }) => code)
  return Array.from(byCode, ([code, same]) => {
    const [first] = same as [SchemaChange]
    if (same.length === 1) return rowOf(first)
    const paths = same.map(({ places }) => places[0]?.path || "(all of it)")
    return {
      change: first,
      cells: [`${same.length} times`, schemaChangeRules[code].what, code],
      notes: [listSome(paths, mostPaths)],
    }
  })
}

/** Lays out the row in columns. The change is wrapped inside its column, and the code is on its first line. */
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

/** Whether the change affects owners of the objects that were compared, or of any objects if none were. */
export function effectOf({ ownership, affected }: SchemaChange): OwnershipEffect {
  return affected === undefined ? ownership : affected.objects > 0 ? "yes" : "no"
}

function effectSign(change: SchemaChange, style: Style): string {
  const effect = effectOf(change)
  return effect === "no" ? signs[effect] : style.bad(signs[effect])
}

function affectedNotes(affected: AffectedObjects | undefined): string[] {
  if (affected === undefined || affected.objects === 0) return []
  const { objects, owners, managers } = affected
  return [`${counted(objects, "object")}, ${counted(owners, "owner")}: ${listAnd(managers)}`]
}

/** `Schema diff: 2 changes of ownership and 1 that concerns no owner.`, with the number of objects concerned. */
export function schemaDiffSummary({ changes, objects }: SchemaDiff, style: Style): string {
  if (changes.length === 0) return `${style.good("Schema diff: no change that a merge sees.")}${ofObjects(objects)}`
  const tally = (effect: OwnershipEffect) => changes.filter(({ ownership }) => ownership === effect).length
  const [yes, depends, no] = [tally("yes"), tally("depends"), tally("no")]
  const parts = [
    ...(yes > 0 ? [style.bad(`${counted(yes, "change")} of ownership`)] : []),
    ...(depends > 0
      ? [
          style.bad(
            `${yes > 0 ? depends : counted(depends, "change")} that ${depends === 1 ? "depends" : "depend"} on the object`,
          ),
        ]
      : []),
    ...(no > 0
      ? [`${yes + depends > 0 ? no : counted(no, "change")} that ${no === 1 ? "concerns" : "concern"} no owner`]
      : []),
  ]
  return `Schema diff: ${listAnd(parts)}.${ofObjects(objects)}`
}

function ofObjects(objects: ComparedObjects | undefined): string {
  if (objects === undefined) return ""
  const { checked, others, unfit, affected } = objects
  const parts = [
    ` ${affected.objects} of ${counted(checked, "object")} and ${counted(affected.owners, "owner")} concerned.`,
  ]
  if (unfit > 0) parts.push(` ${counted(unfit, "object")} ${unfit === 1 ? "does" : "do"} not fit the new types.`)
  if (others > 0) parts.push(` ${counted(others, "object")} of other kinds skipped.`)
  return parts.join("")
}
