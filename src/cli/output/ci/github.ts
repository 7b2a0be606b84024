// Annotations for GitHub workflows, which show such lines of output at their places in the changed files.
import { counted, listAnd } from "../../../value/words.js"
import { relativeFile } from "./fingerprint.js"
import type { ReportedFinding } from "./report.js"

/**
 * Writes the ten most important findings as annotations, errors first, and the number of the others. GitHub shows ten annotations of each
 * level for a step, and drops the others without a word.
 */
export function formatAnnotations(command: string, findings: readonly ReportedFinding[]): string {
  const ordered = severities.flatMap(severity => findings.filter(finding => finding.severity === severity))
  if (ordered.length <= most) return ordered.map(annotation).join("")
  // The number of the others is a notice too, so it takes the place of the last one if all ten are notices.
  const shown = ordered.slice(0, ordered[0]?.severity === "info" ? most - 1 : most)
  const others = ordered.slice(shown.length)
  const numbers = severities.flatMap(severity => {
    const number = others.filter(finding => finding.severity === severity).length
    return number === 0 ? [] : [counted(number, nouns[severity])]
  })
  const text = `${listAnd(numbers)} not shown here, because GitHub shows ${most} annotations. -o text prints all.`
  return `${shown.map(annotation).join("")}::notice title=smd ${command}::${data(text)}\n`
}

/** The most important first. */
const severities = ["error", "warning", "info"] as const
const levels = { error: "error", warning: "warning", info: "notice" } as const
const nouns = { error: "more error", warning: "more warning", info: "more notice" } as const
const most = 10

/** Returns the line of output that shows a finding at its place. */
function annotation({ severity, place: { file, position }, title, message }: ReportedFinding): string {
  const properties = [
    `file=${property(relativeFile(file))}`,
    ...(position === undefined ? [] : [`line=${position.line}`, `col=${position.column}`]),
    `title=${property(title)}`,
  ]
  return `::${levels[severity]} ${properties.join(",")}::${data(message)}\n`
}

/** Escapes the characters that would end a property of an annotation. */
function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C")
}

function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")
}
