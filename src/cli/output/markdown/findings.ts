// Writes findings as a comment on a pull request.
import { counted, listAnd } from "../../../value/words.js"
import { formatPlace } from "../../input/document.js"
import { printable, wrapHanging } from "../../terminal/layout.js"
import type { CheckedObject, Report, ReportedFinding } from "../ci/report.js"
import { type Fold, formatComment, noteColumns } from "./markdown.js"

/** Writes a part for each object with findings. */
export function formatFindings({ command, objects, failing }: Report, marker = command): string {
  const shown = objects.filter(({ findings }) => findings.length > 0)
  const found = shown.flatMap(({ findings }) => findings)
  const name = command.charAt(0).toUpperCase() + command.slice(1)
  const summary =
    found.length === 0
      ? `${name}: nothing found in ${counted(objects.length, "object")}.`
      : `${name}: ${tally(found)} in ${shown.length} of ${counted(objects.length, "object")}.`
  const folds = shown.map(object => foldOf(object, failing))
  return formatComment({ marker, summary, folds, noun: "object" })
}

const severities = ["error", "warning", "info"] as const
/** The signs by which a diff is coloured. */
const signs = { error: "-", warning: "!", info: "#" } as const
const nouns = { error: "error", warning: "warning", info: "notice" } as const

function tally(findings: readonly ReportedFinding[]): string {
  return listAnd(
    severities.flatMap(severity => {
      const number = findings.filter(finding => finding.severity === severity).length
      return number === 0 ? [] : [counted(number, nouns[severity])]
    }),
  )
}

function foldOf({ title, findings }: CheckedObject, failing: Report["failing"]): Fold {
  const ordered = severities.flatMap(severity => findings.filter(finding => finding.severity === severity))
  return {
    title,
    result: tally(findings),
    isUrgent: findings.some(({ severity }) => failing.includes(severity)),
    lines: ordered.flatMap(linesOf),
  }
}

function linesOf({ severity, code, place, message }: ReportedFinding): string[] {
  return [
    printable(`@@ ${formatPlace(place)} @@ ${nouns[severity]}: ${code}`),
    ...message
      .split("\n")
      .flatMap(text => wrapHanging(text, noteColumns))
      .map(line => `${signs[severity]} ${line}`),
  ]
}
