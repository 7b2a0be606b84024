// Writes explanations of conflicts as a comment on a pull request.
import type { ExplainedConflict, Explanation } from "../../../tools/ownership/explain.js"
import { counted } from "../../../value/words.js"
import type { ConfiguredObject } from "../../input/application.js"
import { defineTerms, printable } from "../../terminal/layout.js"
import { plainStyle } from "../../terminal/style.js"
import { doubtsOf, explanationSummary, wayTexts } from "../explain.js"
import { objectTitle } from "../object-title.js"
import { longOwner } from "../owner.js"
import { isAboutTypes } from "../results.js"
import { diffValues } from "./diff.js"
import { type Fold, formatComment, noteColumns } from "./markdown.js"
import { noteRows } from "./notes.js"
import { refusalLines } from "./plan.js"

/** An explanation with the documents that it is about. */
export interface ExplainedObject {
  readonly documents: ConfiguredObject
  readonly text: string
  readonly explanation: Explanation
}

/** Writes a part for each object with conflicts or with findings. */
export function formatExplanationsAsMarkdown(all: readonly ExplainedObject[], marker = "explain"): string {
  const shown = all.filter(
    ({ explanation }) => explanation.conflicts.length > 0 || !explanation.findings.every(isAboutTypes),
  )
  const summary = explanationSummary(
    all.map(({ explanation }) => explanation),
    plainStyle,
  )
  return formatComment({ marker, summary, folds: shown.map(foldOf), noun: "object" })
}

function foldOf({ documents, text, explanation }: ExplainedObject): Fold {
  const { target, conflicts, refusal } = explanation
  const isRefused = refusal !== undefined
  return {
    title: objectTitle(target),
    result: isRefused ? "refused" : conflicts.length === 0 ? "no conflicts" : counted(conflicts.length, "conflict"),
    isUrgent: isRefused || conflicts.length > 0,
    lines: [
      ...(isRefused ? refusalLines(explanation) : []),
      ...conflicts.flatMap(conflict => linesOf(conflict, text)),
      ...noteRows(documents, [], doubtsOf(explanation)),
    ],
  }
}

function linesOf(conflict: ExplainedConflict, text: string): string[] {
  const { path, source, owners, live, configured, union } = conflict
  const place = source === undefined ? "" : ` ${source.file}:${source.line}`
  return [
    printable(`@@ ${path} @@${place}`),
    ...owners.map(owner => `! owned by ${longOwner(owner)}`),
    ...(union === undefined ? [] : [`# changed because of its union (policy ${union.policy})`]),
    ...diffValues(live, configured),
    ...defineTerms(wayTexts(conflict, text), noteColumns).map(row => `# ${row}`),
  ]
}
