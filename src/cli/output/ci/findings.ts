// Turns the results of commands into findings for reports.

import type { PlainProblem } from "../../../io/plain-message.js"
import type { LintFinding } from "../../../tools/lint/finding.js"
import type { ExplainedConflict, Explanation } from "../../../tools/ownership/explain.js"
import type { Finding } from "../../../tools/ownership/finding.js"
import { objectName } from "../../../tools/ownership/object-name.js"
import type { Plan } from "../../../tools/ownership/plan.js"
import { fieldOf, type PlannedRefusal } from "../../../tools/ownership/refusal.js"
import type { SchemaChange, SchemaPlace } from "../../../tools/ownership/schema-changes.js"
import { errorKinds, type FieldError } from "../../../validation/rules/report.js"
import { isMap } from "../../../value/value.js"
import { listAnd } from "../../../value/words.js"
import type { ConfiguredObject } from "../../input/application.js"
import type { Document, FilePlace } from "../../input/document.js"
import { Places } from "../../input/locate.js"
import { formatPlainly, type Problem } from "../../input/problems.js"
import type { Refusal } from "../../input/refused-write.js"
import { printable } from "../../terminal/layout.js"
import { doubtsOf } from "../explain.js"
import { showValue } from "../flow.js"
import { objectTitle } from "../object-title.js"
import { causeText } from "../plan.js"
import { documentOf, isAboutTypes } from "../results.js"
import type { CheckedObject, ReportedFinding } from "./report.js"

/** A finding of lint at its place in a file. */
export interface PlacedFinding extends LintFinding {
  readonly place: FilePlace
  /** The path and the message for people; absent if they are the same. */
  readonly plain?: PlainProblem
}

/** A problem of an object, with the reason of a server or the error of a rule. */
export interface ObjectProblem extends Problem, Partial<Pick<Refusal, "reason">> {
  /** The error of the rule that found the problem. */
  readonly error?: FieldError
}

/** Returns an object that was checked. */
export function checkedObject(document: Document, findings: readonly ReportedFinding[]): CheckedObject {
  return { title: documentTitle(document), place: document.placeOf([]), findings }
}

/** `Deployment shop/web`; the file if the document holds no object with a kind. */
function documentTitle({ value, file }: Document): string {
  const name = isMap(value) ? objectName(value) : undefined
  return name === undefined || name.kind === "" ? printable(file) : objectTitle(name)
}

/** Returns what lint found. */
export function lintFinding(found: PlacedFinding): ReportedFinding {
  const { code, severity, path, place } = found
  return { code, severity, title: code, message: printable(lintSentence(found)), place, path: printable(path) }
}

/** The path, the problem and the remedy. */
export function lintSentence({ plain, remedy, ...finding }: PlacedFinding): string {
  const { path, message } = plain ?? finding
  return `${path === "" ? "" : `${path}: `}${message}; ${remedy}`
}

/** Returns a problem that validate found. */
export function problemFinding(problem: ObjectProblem): ReportedFinding {
  const { place, path, reason, error } = problem
  const title = error !== undefined ? errorKinds[error.type] : reason !== undefined ? "Refused" : "Wrong type"
  return {
    code: error?.type ?? printable(reason ?? "wrong-type"),
    severity: isEnforced(error) ? "error" : "warning",
    title,
    message: printable(formatPlainly(problem)),
    place,
    path: printable(path),
  }
}

/** Whether the error counts: an API server does not enforce rules of level alpha. */
export function isEnforced(error: FieldError | undefined): boolean {
  return error?.level !== "alpha"
}

/** Returns each conflict and refusal at its place in the configuration, and each reason to doubt the plan. */
export function planFindings(documents: ConfiguredObject, plan: Plan): ReportedFinding[] {
  const { conflicts, refusal, warnings, findings } = plan
  const { config } = documents
  const places = new Places(config.value)
  const about = (document: Document) => ({ place: document.placeOf([]), path: "" })
  const at = (path: string) => ({ place: config.placeOf(places.locate(path)), path: printable(path) })
  return [
    ...conflicts.map(({ path, owner, live, configured }): ReportedFinding => {
      const message =
        `${owner.manager} owns ${path}: the live object has ${showValue(live)}, the apply would make it ${showValue(configured)}. ` +
        "Ways out: leave the field out, write the value that is there, or --force-conflicts; smd explain tries each."
      const title = printable(`Conflict with ${owner.manager}`)
      return { code: "conflict", severity: "error", title, message: printable(message), ...at(path) }
    }),
    ...(refusal === undefined ? [] : refusalFindings(config, refusal)),
    ...warnings.map((text): ReportedFinding => {
      return { code: "warning", severity: "warning", title: "Warning", message: printable(text), ...about(config) }
    }),
    ...findings.map((finding): ReportedFinding => {
      const { code, message } = finding
      const doubt = {
        code,
        severity: severityOf(finding),
        title: "Doubtful plan",
        message: printable(message),
      } as const
      return { ...doubt, ...about(documentOf(finding, documents)) }
    }),
  ]
}

function severityOf(finding: Finding): ReportedFinding["severity"] {
  return isAboutTypes(finding) ? "info" : "warning"
}

function refusalFindings(config: Document, { causes, message }: PlannedRefusal): ReportedFinding[] {
  const refused = { code: "refused", severity: "error", title: "Refused" } as const
  const whole = { place: config.placeOf([]), path: "" }
  if (causes.length === 0) return [{ ...refused, message: printable(message), ...whole }]
  const places = new Places(config.value)
  return causes.map(cause => {
    const field = fieldOf(cause)
    const path = `.${field}`
    const where = field === "" ? whole : { place: config.placeOf(places.locate(path)), path: printable(path) }
    return { ...refused, message: printable(causeText(cause)), ...where }
  })
}

/** Returns each conflict and refusal at its place in the configuration, and each reason to doubt the explanation. */
export function explanationFindings(documents: ConfiguredObject, explanation: Explanation): ReportedFinding[] {
  const { config } = documents
  const conflicts = explanation.conflicts.map((conflict): ReportedFinding => {
    const { source, owners, path } = conflict
    const place = source === undefined ? config.placeOf([]) : { file: config.file, position: source }
    const names = printable(listAnd(owners.map(({ manager }) => manager)))
    const message = conflictMessage(conflict, names)
    return {
      code: "conflict",
      severity: "error",
      title: `Conflict with ${names}`,
      message,
      place,
      path: printable(path),
    }
  })
  const { refusal } = explanation
  const doubts = doubtsOf(explanation).map((finding): ReportedFinding => {
    const { code, message } = finding
    const place = documentOf(finding, documents).placeOf([])
    const [severity, title] = [severityOf(finding), "Doubtful explanation"]
    return { code, severity, title, message: printable(message), place, path: "" }
  })
  return [...conflicts, ...(refusal === undefined ? [] : refusalFindings(config, refusal)), ...doubts]
}

function conflictMessage({ path, live, configured, ways }: ExplainedConflict, owners: string): string {
  const names = { relinquish: "Leave it", share: "Agree", overwrite: "Take it" } as const
  return [
    `${printable(path)} is owned by ${owners}: the object has ${showValue(live)}, the apply would make it ${showValue(configured)}`,
    ...(["relinquish", "share", "overwrite"] as const).map(way => {
      return `${names[way]} (${ways[way].applicability}): ${printable(ways[way].reason)}`
    }),
  ].join("\n")
}

/** Returns each change that affects owners. `placeOf` finds its place in the new types. */
export function schemaFindings(
  changes: readonly SchemaChange[],
  placeOf: (place: SchemaPlace) => FilePlace,
): ReportedFinding[] {
  return changes.flatMap(({ code, ownership, before, after, effect, places, affected }): ReportedFinding[] => {
    if (ownership === "no" || affected?.objects === 0) return []
    const [place] = places as readonly [SchemaPlace]
    const severity = ownership === "yes" || affected !== undefined ? "error" : "warning"
    const message = printable(`${place.type} ${place.path}: ${before} -> ${after}. ${effect}`)
    return [{ code, severity, title: code, message, place: placeOf(place), path: printable(place.path) }]
  })
}
