// Summarizes the history of one object for people: the changes of each manager, the writes that changed nothing, and the fights.

import type { ObjectName } from "../../tools/ownership/object-name.js"
import { formatValue } from "../../value/format.js"
import { addToGroup } from "../../value/groups.js"
import { counted, listAnd } from "../../value/words.js"
import { objectTitle } from "../output/object-title.js"
import { alignColumns, indent, printable, wrapHanging } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import { clampLines } from "../terminal/width.js"
import type { RecordedWrite, Remark } from "./recorder.js"

/** A field that managers write in turn. */
interface LoggedFight {
  readonly path: string
  readonly managers: readonly string[]
  /** The number of writes that changed it. */
  readonly writes: number
}

/** Finds the fields that a manager set back to an earlier value of its own, after another manager had changed them. */
function fightsIn(writes: readonly RecordedWrite[]): LoggedFight[] {
  const courses = new Map<string, { readonly manager: string; readonly value: string }[]>()
  for (const { manager, changes } of writes) {
    for (const { path, to } of changes) {
      addToGroup(courses, path, { manager, value: to === undefined ? "" : formatValue(to) })
    }
  }
  return [...courses].flatMap(([path, course]) => {
    const again = course.some((write, i) => {
      const earlier = course.slice(0, i).findLastIndex(({ manager }) => manager === write.manager)
      if (earlier < 0 || course[earlier]?.value !== write.value) return false
      return course.slice(earlier + 1, i).some(({ manager }) => manager !== write.manager)
    })
    if (!again) return []
    return [{ path, managers: [...new Set(course.map(({ manager }) => manager))].sort(), writes: course.length }]
  })
}

/** Formats the summary, with a line for each manager. */
export function formatSummary(
  target: ObjectName,
  writes: readonly RecordedWrite[],
  remarks: readonly Remark[],
  { reportStyle, columns }: Pick<Terminal, "reportStyle" | "columns">,
): string {
  const managers = [...new Set(writes.map(({ manager }) => manager))]
  const of = (manager: string) => writes.filter(write => write.manager === manager)
  const rows = managers.map(manager => {
    const tally = (outcome: RecordedWrite["outcome"]) =>
      `${of(manager).filter(write => write.outcome === outcome).length}`
    return [printable(manager), `${of(manager).length}`, tally("changed"), tally("unchanged"), tally("refused")]
  })
  const changed = managers.flatMap(manager => {
    const paths = [...new Set(of(manager).flatMap(({ changes }) => changes.map(({ path }) => printable(path))))]
    const rest = paths.length > mostPaths ? [counted(paths.length - mostPaths, "more field")] : []
    return paths.length === 0 ? [] : [`${printable(manager)}: ${listAnd([...paths.slice(0, mostPaths), ...rest])}`]
  })
  const idle = managers.flatMap(manager => {
    const lines = of(manager).flatMap(({ outcome, line }) => (outcome === "unchanged" ? [`${line}`] : []))
    return lines.length === 0 ? [] : [`${printable(manager)}: line${lines.length === 1 ? "" : "s"} ${listAnd(lines)}`]
  })
  const fights = fightsIn(writes).map(
    ({ path, managers, writes }) => `${printable(path)}: ${printable(listAnd(managers))}, ${counted(writes, "write")}`,
  )
  const lines = [
    `${reportStyle.strong(objectTitle(target))}: ${counted(writes.length, "write")}`,
    ...alignColumns([["MANAGER", "WRITES", "CHANGED", "NOTHING", "REFUSED"], ...rows]).map(line => indent(line, 2)),
    ...section("changed", changed, columns),
    ...section("changed nothing", idle, columns),
    ...section(reportStyle.bad("fights"), fights, columns),
    ...section(
      "remarks",
      remarks.map(({ line, message }) => `line ${line}: ${printable(message)}`),
      columns,
    ),
    "",
  ]
  return clampLines(lines.join("\n"), columns)
}

const mostPaths = 3

function section(title: string, texts: readonly string[], columns: number): string[] {
  if (texts.length === 0) return []
  return [`  ${title}`, ...texts.flatMap(text => wrapHanging(text, columns - 4)).map(line => indent(line, 4))]
}
