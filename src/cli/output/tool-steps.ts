// The steps of a tool before and after its apply, for people.
import type { PlannedApplier, PlannedStep } from "../../tools/ownership/appliers.js"
import type { Plan } from "../../tools/ownership/plan.js"
import { indent, labelled, printable } from "../terminal/layout.js"
import { ownershipRows } from "./transfers.js"

/** Says that nothing changes, or why a tool leaves the object alone. */
export function nothingText(as: PlannedApplier | undefined): string {
  return as?.skipped === undefined ? "no changes" : printable(`${as.tool} sends nothing: ${as.skipped}`)
}

const signs = { add: "+", change: "~", remove: "-" } as const
/** The indentation of the lines about a step. */
const margin = 2

const stepTexts: Readonly<Record<PlannedStep["step"], string>> = {
  "upgrade-managers": "makes updates its own applies",
  "replace-managers": "takes over entries, and cleans up",
  "migrate-versions": "moves every entry to the version of the configuration",
  "clear-managers": "forgets who owns what",
  "keep-last-applied": "keeps the annotation of client-side apply",
  "apply-again": "applies again",
  recreate: "deletes the object, which the apply creates again",
}

/** A line for each of the tool's steps, and below it what changes. */
export function stepRows({ as }: Plan, when: PlannedStep["when"], columns: number): string[] {
  return (as?.steps ?? [])
    .filter(step => step.when === when)
    .flatMap(({ step, changes, ownership, message }) => {
      const failed = message === undefined ? "" : `: refused, ${message}`
      const rows = changes.map(change => `${signs[change.action]} ${printable(change.path)}`)
      return [
        ...labelled(when, [printable(`${as?.tool} ${stepTexts[step]}${failed}`)], columns),
        ...[...rows, ...ownershipRows(ownership, "owners", columns - margin)].map(row => indent(row, margin)),
      ]
    })
}
