// Explains the conflicts of an apply to people: where each field is configured, who owns it, and the ways out.
import type { TextEdit } from "../../io/yaml-edit.js"
import type { TextRange } from "../../io/yaml-place.js"
import type { ConflictOwner } from "../../tools/ownership/conflicts.js"
import type { ExplainedConflict, Explanation } from "../../tools/ownership/explain.js"
import type { Finding } from "../../tools/ownership/finding.js"
import type { SourcePlace } from "../../tools/ownership/source.js"
import type { WayOut } from "../../tools/ownership/ways-out.js"
import { isList, isMap, type Value } from "../../value/value.js"
import { counted } from "../../value/words.js"
import { withoutBlanks } from "../secrets/source-text.js"
import { alignColumns, pad, printable, spread, wrap } from "../terminal/layout.js"
import type { Style } from "../terminal/style.js"
import type { Terminal } from "../terminal/terminal.js"
import { clampLines, cutMiddle, sliceColumns, widthOf } from "../terminal/width.js"
import { showFlow } from "./flow.js"
import { applyTitleLine } from "./object-title.js"
import { ago, wayOf } from "./owner.js"
import { refusalRows } from "./plan.js"

/** An explanation, and the text that its configuration was read from. */
export interface ExplainedText {
  readonly explanation: Explanation
  readonly text: string
}

/** Formats the numbered conflicts of all configurations, what else refuses them, and the totals. */
export function formatExplanations(all: readonly ExplainedText[], terminal: Terminal): string {
  const { style, columns } = terminal
  const parts: string[] = []
  let number = 0
  for (const { explanation, text } of all) {
    const { conflicts, refusal } = explanation
    if (conflicts.length === 0 && refusal === undefined) continue
    const refused = refusal === undefined ? [] : refusalRows(explanation, terminal)
    parts.push(`${[applyTitleLine(explanation, terminal), ...refused].join("\n")}\n`)
    for (const conflict of conflicts) parts.push(`${formatConflict(conflict, ++number, text, terminal).join("\n")}\n`)
  }
  const total = explanationSummary(
    all.map(({ explanation }) => explanation),
    style,
  )
  return clampLines([...parts, `${total}\n`].join("\n"), columns)
}

/** Returns the findings that the refusal does not say already. */
export function doubtsOf({ findings, refusal }: Explanation): readonly Finding[] {
  return refusal === undefined ? findings : findings.filter(({ code }) => code !== "refused")
}

/** `2 conflicts in 1 of 3 objects. 1 object would be refused.` */
export function explanationSummary(all: readonly Explanation[], style: Style): string {
  const refused = all.filter(({ refusal }) => refusal !== undefined).length
  const inConflict = all.filter(({ conflicts }) => conflicts.length > 0)
  return [
    ...(inConflict.length > 0 ? [conflictSummary(inConflict, all.length, style)] : []),
    ...(refused > 0 ? [style.bad(`${counted(refused, "object")} would be refused.`)] : []),
    ...(inConflict.length + refused === 0 ? [style.good("No conflicts.")] : []),
  ].join(" ")
}

function conflictSummary(inConflict: readonly Explanation[], all: number, style: Style): string {
  const number = inConflict.reduce((sum, { conflicts }) => sum + conflicts.length, 0)
  if (inConflict.every(({ as }) => as?.force === true))
    return style.strong(`${counted(number, "field")} taken by force.`)
  const objects = all === 1 ? "" : ` in ${inConflict.length} of ${counted(all, "object")}`
  return style.bad(`${counted(number, "conflict")}${objects}.`)
}

/** The indentation of the lines about a conflict. */
const margin = 3

/** Formats a conflict under its number. If its source is not `text`, `elsewhere` may be the place of the field in another file. */
export function formatConflict(
  conflict: ExplainedConflict,
  number: number,
  text: string,
  terminal: Terminal,
  elsewhere = "",
): string[] {
  const { style, columns } = terminal
  const { source, path } = conflict
  const { line, column } = source === undefined ? { line: 0, column: 0 } : markedPart(source).start
  const place = source === undefined ? elsewhere : `${source.file}:${line}:${column}`
  const title = `${pad(`${number}`, margin - 1)} ${style.strong(cutMiddle(printable(path), columns - margin))}`
  const values = valueLines(conflict)
  return [
    place === "" ? title : spread(title, printable(place), columns),
    ...(source === undefined
      ? values.flatMap(part => hanging(" ".repeat(margin), part, columns))
      : excerpt(source, text, values, terminal)),
    ...ownerRows(conflict.owners, terminal),
    ...wayRows(conflict, text, terminal),
  ]
}

/** States both values in one line, or in two if that is too long, and why a list or a map is in conflict as a whole. */
function valueLines({ live, configured, union }: ExplainedConflict): string[] {
  const there = live === undefined ? "the object has none" : `the object has ${showFlow(live, mostOfValue)}`
  const next = showFlow(configured, mostOfValue)
  const implied = configured === undefined ? `this clears ${union?.member}` : `this makes it ${next}`
  const here = union === undefined ? `you set ${next}` : `${implied} (union policy ${union.policy})`
  const parts = here.length + there.length > mostOfSentence ? [`${here},`, there] : [`${here}, ${there}`]
  if (isList(live) && isList(configured)) return [...parts, "(an atomic list: it is owned as a whole)"]
  return isMap(live) && isMap(configured) ? [...parts, "(an atomic map: it is owned as a whole)"] : parts
}

const mostOfValue = 120
const mostOfSentence = 90

/** The range to underline: the value, or its key if the value begins on another line. */
function markedPart({ key, value }: SourcePlace): TextRange {
  return key !== undefined && value.start.line !== key.start.line ? key : value
}

/** The line that configures the field, and below it an underline and the lines that explain the conflict. */
function excerpt(source: SourcePlace, text: string, values: readonly string[], { style, columns }: Terminal): string[] {
  const { start, end } = markedPart(source)
  const line = lineAt(text, start.offset).trimEnd()
  const before = widthOf(shownText(line.slice(0, start.column - 1)))
  const stop = end.line === start.line ? end.column - 1 : line.length
  const marked = Math.max(1, widthOf(shownText(line.slice(start.column - 1, stop))))
  const gutter = `${`${start.line}`.padStart(margin + 3)} | `
  const blank = `${" ".repeat(gutter.length - 2)}| `
  const room = columns - gutter.length
  // The beginning of a long line is cut as far as necessary.
  const hidden = before + marked > room ? Math.max(0, before - Math.floor(room / 2)) : 0
  const shown = sliceColumns(shownText(line), hidden, room)
  const indent = " ".repeat(before - hidden)
  const mark = "^".repeat(Math.min(marked, room - indent.length))
  const [first = "", ...others] = values
  const fits = others.length === 0 && indent.length + mark.length + 1 + widthOf(first) <= room
  return [
    `${style.faint(gutter)}${shown}`.trimEnd(),
    `${style.faint(blank)}${indent}${style.bad(mark)}${fits ? ` ${first}` : ""}`,
    ...(fits ? [] : values.flatMap(part => wrap(part, room)).map(part => style.faint(blank) + part)),
  ]
}

/** A part of the source as it is shown. */
function shownText(part: string): string {
  return printable(withoutBlanks(part))
}

/** The line of the text that contains the offset. */
function lineAt(text: string, offset: number): string {
  const end = text.indexOf("\n", offset)
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, end < 0 ? text.length : end)
}

const label = 10

function ownerRows(owners: readonly ConflictOwner[], terminal: Terminal): string[] {
  const rows = owners.map(owner => {
    const { manager, time } = owner
    return [printable(manager), wayOf(owner), time === undefined ? "" : printable(ago(time, terminal.now()))]
  })
  const name = owners.length === 1 ? "owner" : "owners"
  const lines = alignColumns(rows)
  const room = terminal.columns - margin - label
  return lines.flatMap((line, i) => {
    const text = widthOf(line) <= room ? [line] : wrap((rows[i] ?? []).filter(cell => cell !== "").join(", "), room)
    return text.map((part, j) => `${" ".repeat(margin)}${pad(i + j === 0 ? name : "", label)}${part}`)
  })
}

/** The ways out of a conflict: the name, and the action with its doubts. `text` is the text of the configuration. */
export function wayTexts(
  { ways, live, path, toolWays }: ExplainedConflict,
  text: string,
): (readonly [name: string, action: string])[] {
  if (toolWays !== undefined) return toolWays.map(({ way, text }) => [wayNames[way], printable(text)] as const)
  const { relinquish, share, overwrite } = ways
  const rows: [string, WayOut, string][] = [
    ["leave it", relinquish, removalText(relinquish, text, path)],
    ["agree", share, `write ${long(live) ? "what the object has" : showFlow(live, mostOfShort)}`],
    ["take it", overwrite, "--force-conflicts"],
  ]
  return rows.map(([name, { applicability, reason }, action]) => {
    if (applicability === "impossible") return [name, `not possible: ${printable(reason)}`]
    return [name, `${action}; ${printable(reason)} (${applicability})`]
  })
}

const wayNames = { relinquish: "leave it", share: "agree", overwrite: "take it" } as const

function wayRows(conflict: ExplainedConflict, text: string, { style, columns }: Terminal): string[] {
  const heading = `${" ".repeat(margin)}ways out`
  const isNarrow = columns - margin - 2 * label < leastRoom
  const lines = wayTexts(conflict, text).flatMap(([name, action], i) => {
    const first = `${pad(i === 0 && !isNarrow ? heading : "", margin + (isNarrow ? 0 : label))}${pad(name, label)}`
    return hanging(first, action, columns).map(line => coloured(line, style))
  })
  return isNarrow ? [heading, ...lines] : lines
}

/** The columns that the text of a way out needs at least: none of our words is longer. */
const leastRoom = 20

function long(value: Value | undefined): boolean {
  return widthOf(showFlow(value, mostOfShort + 1)) > mostOfShort
}

const mostOfShort = 40

function coloured(line: string, { good }: Style): string {
  return line.endsWith("(safe)") ? line.slice(0, -"(safe)".length) + good("(safe)") : line
}

/** The wrapped text after `first`, with its further lines aligned below its beginning. */
function hanging(first: string, text: string, columns: number): string[] {
  const column = widthOf(first)
  return wrap(text, columns - column).map((line, i) => (i === 0 ? first : " ".repeat(column)) + line)
}

/** `delete line 9`: how to edit the text to leave a field out. */
function removalText({ source }: WayOut, text: string, path: string): string {
  const edits = source?.edits ?? []
  if (edits.length === 0) return `leave out ${printable(path)}`
  return edits.map(edit => formatEdit(edit, text)).join(", ")
}

function formatEdit({ range: { start, end }, text: replacement }: TextEdit, text: string): string {
  const cut = text.slice(start.offset, end.offset)
  if (replacement !== "") return `write ${printable(replacement.trim())} in line ${start.line}`
  const isWhole = start.column === 1 && (cut.endsWith("\n") || end.offset === text.length)
  if (!isWhole) return `delete ${shownText(cut.trim())} in line ${start.line}`
  const last = cut.endsWith("\n") ? end.line - 1 : end.line
  return last <= start.line ? `delete line ${start.line}` : `delete lines ${start.line} to ${last}`
}
