// Shows people what differs between two recordings.

import type { FieldChange } from "../../tools/ownership/field-changes.js"
import { counted, listAnd } from "../../value/words.js"
import { alignColumns, indent, printable, wrapHanging } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import { clampLines } from "../terminal/width.js"
import type { BodyDifference, RecordingDifference } from "../traffic/compare.js"
import { showChange, showFlow } from "./flow.js"
import { actionSign } from "./plan.js"

/** The names of the two files. */
type Names = readonly [before: string, after: string]

/** Formats the differences. */
export function formatRecordDiff(diff: RecordingDifference, names: Names, terminal: Terminal): string {
  const { style, columns } = terminal
  const { requests, bodies, fields, forces, refusals } = diff
  const counts = requests.map(({ verb, resource, manager, before, after }) => {
    return [verb, resource, manager, `${before} -> ${after}`].map(printable)
  })
  const sentences = (texts: readonly string[]) => texts.flatMap(text => wrapHanging(printable(text), columns - margin))
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ["Requests", alignColumns(counts)],
    ["Bodies", bodies.flatMap(body => [...sentences([bodyTitle(body, names)]), ...changeLines(body, terminal)])],
    [
      "Fields",
      fields.flatMap(({ resource, manager, gained, lost }) => [
        ...sentences(gained.map(path => `${manager} now writes ${path} of ${resource}`)),
        ...sentences(lost.map(path => `${manager} no longer writes ${path} of ${resource}`)),
      ]),
    ],
    [
      "Force",
      sentences(
        forces.map(({ object, manager, forces, line }) => {
          return `${manager} ${forces ? "now" : "no longer"} forces applies of ${object} (line ${line} of ${names[forces ? 1 : 0]})`
        }),
      ),
    ],
    [
      "Refusals",
      sentences(
        refusals.map(({ verb, object, manager, code, why, before, after }) => {
          return `${verb} of ${object} by ${manager}: ${[code, why].join(" ").trimEnd()}, ${before} -> ${after}`
        }),
      ),
    ],
  ]
  const blocks = sections.flatMap(([title, lines]) =>
    lines.length === 0 ? [] : [style.strong(title), ...lines.map(line => indent(line, margin)), ""],
  )
  return clampLines([...blocks, ...wrapHanging(summary(diff), columns), ""].join("\n"), columns)
}

const margin = 2

function bodyTitle({ verb, object, manager, before, after }: BodyDifference, [old, now]: Names): string {
  const title = `${verb} of ${object} by ${manager}`
  if (before === undefined) return `${title}: only in ${now}, line ${after}`
  return after === undefined ? `${title}: only in ${old}, line ${before}` : `${title}: line ${before} -> line ${after}`
}

function changeLines({ changes }: BodyDifference, { style, columns }: Terminal): string[] {
  return changes.map(change => indent(`${actionSign(change, style)} ${fieldLine(change, columns)}`, margin))
}

function fieldLine({ action, path, from, to }: FieldChange, columns: number): string {
  const width = Math.max(20, columns - path.length - 10)
  const change = action === "change" ? showChange(from, to, width) : showFlow(action === "add" ? to : from, width)
  return `${printable(path)}  ${change ?? `${showFlow(from, width)} -> ${showFlow(to, width)}`}`
}

function summary({ requests, bodies, fields, forces, refusals }: RecordingDifference): string {
  const parts = [
    [requests.length, "kind of request", "kinds of requests"],
    [bodies.length, "body", "bodies"],
    [fields.length, "set of fields", "sets of fields"],
    [forces.length, "use of force", "uses of force"],
    [refusals.length, "refusal", "refusals"],
  ] as const
  const found = parts.flatMap(([count, one, many]) => (count === 0 ? [] : [counted(count, one, many)]))
  return found.length === 0 ? "The recordings have the same requests." : `The recordings differ in ${listAnd(found)}.`
}
