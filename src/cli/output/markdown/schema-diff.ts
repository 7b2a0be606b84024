// Writes the effects of changed types on owners as a comment on a pull request.

import type { SchemaChange } from "../../../tools/ownership/schema-changes.js"
import type { SchemaDiff } from "../../../tools/ownership/schema-diff.js"
import { counted } from "../../../value/words.js"
import { wrap } from "../../terminal/layout.js"
import { plainStyle } from "../../terminal/style.js"
import {
  changesByType,
  effectOf,
  ownerEffects,
  type SchemaChangeRow,
  schemaChangeRows,
  schemaDiffSummary,
} from "../schema-diff.js"
import { type Fold, formatComment, noteColumns } from "./markdown.js"

/** Writes a part for each group of types with the same changes, and one with the effects on owners. */
export function formatSchemaDiffAsMarkdown(diff: SchemaDiff, marker = "schema diff"): string {
  const folds = Array.from(changesByType(diff), ([title, changes]) => foldOf(title, changes))
  const effects = ownerEffects(diff)
  const legend: Fold = {
    title: "effects",
    result: "on owners",
    isUrgent: false,
    lines: effects.flatMap(([code, effect]) => [
      `@@ ${code} @@`,
      ...wrap(effect, noteColumns).map(line => `  ${line}`),
    ]),
  }
  const summary = schemaDiffSummary(diff, plainStyle)
  return formatComment({ marker, summary, folds: [...folds, ...(effects.length > 0 ? [legend] : [])], noun: "type" })
}

function foldOf(title: string, changes: readonly SchemaChange[]): Fold {
  const affecting = changes.filter(change => effectOf(change) !== "no").length
  return {
    title,
    result: affecting === 0 ? "no effect on owners" : counted(affecting, "change"),
    isUrgent: affecting > 0,
    lines: schemaChangeRows(changes).flatMap(linesOf),
  }
}

/** `-` ends the ownership of fields, `!` may end it, and lines with a blank in front affect nobody. */
const signs = { yes: "-", depends: "!", no: " " } as const

function linesOf({ change, cells: [path, text, code], notes }: SchemaChangeRow): string[] {
  const sign = signs[effectOf(change)]
  return [`${sign} ${path}: ${text} (${code})`, ...notes.map(note => `#   ${note}`)]
}
