import type { Finding } from "../../../tools/ownership/finding.js"
import type { ConfiguredObject } from "../../input/application.js"
import { printable, wrapHanging } from "../../terminal/layout.js"
import { documentOf, levelOf } from "../results.js"
import { noteColumns } from "./markdown.js"

/** Returns lines for the warnings of a server, and for the reasons to doubt an answer, each with its place. */
export function noteRows(
  documents: ConfiguredObject,
  warnings: readonly string[],
  findings: readonly Finding[],
): string[] {
  const notes = [
    ...warnings.map(text => `${documents.config.at([])}: warning: ${text}`),
    ...findings.map(finding => `${documentOf(finding, documents).at([])}: ${levelOf(finding)}: ${finding.message}`),
  ]
  return notes.flatMap(text => wrapHanging(printable(text), noteColumns)).map(line => `# ${line}`)
}
