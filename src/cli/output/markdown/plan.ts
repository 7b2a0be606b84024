// Writes plans as a comment on a pull request.
import type { Plan } from "../../../tools/ownership/plan.js"
import type { PlannedChange } from "../../../tools/ownership/planned-change.js"
import { counted } from "../../../value/words.js"
import type { ConfiguredObject } from "../../input/application.js"
import { printable, wrapHanging } from "../../terminal/layout.js"
import { plainStyle } from "../../terminal/style.js"
import { objectTitle } from "../object-title.js"
import {
  admittedChanges,
  changesIn,
  fieldsOf,
  isHopeless,
  planSummary,
  reasonFor,
  refusalTexts,
  replacedByAdmission,
  valueless,
} from "../plan.js"
import { isAboutTypes } from "../results.js"
import { stepRows } from "../tool-steps.js"
import { ownershipRows } from "../transfers.js"
import { diffValues } from "./diff.js"
import { type Fold, formatComment, noteColumns } from "./markdown.js"
import { noteRows } from "./notes.js"

/** A plan with the documents that it is about. */
export interface PlannedObject {
  readonly documents: ConfiguredObject
  readonly plan: Plan
}

/** Writes a part for each plan that changes something. */
export function formatPlansAsMarkdown(all: readonly PlannedObject[], marker = "plan"): string {
  const plans = all.map(({ plan }) => plan)
  const shown = all.filter(({ plan }) => plan.outcome !== "unchanged" || !plan.findings.every(isAboutTypes))
  const rest = all.length - shown.length
  const unchanged = rest === 0 ? "" : ` ${counted(rest, "object")} without changes.`
  const summary = `${planSummary(plans, plainStyle)}${unchanged}`
  return formatComment({ marker, summary, folds: shown.map(foldOf), noun: "object" })
}

function foldOf({ documents, plan }: PlannedObject): Fold {
  return {
    title: objectTitle(plan.target),
    result: resultOf(plan),
    isUrgent: plan.outcome === "conflict" || plan.outcome === "refused",
    lines: [...linesOf(plan), ...noteRows(documents, plan.warnings, plan.findings)],
  }
}

function resultOf({ outcome, changes: applied, conflicts, as }: Plan): string {
  if (outcome === "conflict") return counted(new Set(conflicts.map(({ path }) => path)).size, "conflict")
  if (outcome === "change") {
    const changes = [...applied, ...(as?.steps ?? []).flatMap(step => step.changes)]
    const changed = changes.filter(({ action }) => action !== "stay").length
    return changed === 0 ? "only owners change" : counted(changed, "change")
  }
  return { create: "new", refused: "refused", unchanged: "no changes" }[outcome]
}

function linesOf(plan: Plan): string[] {
  const { outcome } = plan
  if (outcome === "refused") return refusalLines(plan)
  if (outcome === "create") {
    const created = `+ new, with ${counted(fieldsOf(plan), "field")}`
    return [created, ...admittedChanges(plan).flatMap(change => changeLines(change, plan))]
  }
  return [
    ...stepRows(plan, "before", noteColumns).map(row => `# ${row}`),
    ...[...changesIn(plan), ...replacedByAdmission(plan)].flatMap(change => changeLines(change, plan)),
    ...ownershipRows(plan.ownership, outcome === "conflict" ? "by force" : "owners", noteColumns).map(
      row => `# ${row}`,
    ),
    ...(isHopeless(plan) ? ["# by force  refused too"] : []),
    ...stepRows(plan, "after", noteColumns).map(row => `# ${row}`),
  ]
}

/** The server's refusal of the apply, with a line for each cause. */
export function refusalLines(refused: Pick<Plan, "status" | "refusal">): string[] {
  const [title, ...causes] = refusalTexts(refused)
  return [`! ${title}`, ...causes.flatMap(cause => wrapHanging(cause, noteColumns)).map(line => `- ${line}`)]
}

function changeLines(change: PlannedChange, plan: Plan): string[] {
  const { path, action, because, from, to } = change
  const reason = reasonFor(change, plan)
  const values = valueless.has(because) ? [] : diffValues(from, action === "stay" ? from : to)
  return [
    `@@ ${printable(path)} @@`,
    ...(reason === "" ? [] : [reason.startsWith("! ") ? reason : `# ${reason}`]),
    ...values,
  ]
}
