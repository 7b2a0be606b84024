// The words and the small decisions of the element.
import { hasCode } from "../../errors.js"
import { counted } from "../../value/words.js"
import type { Owner } from "../ownership/owners.js"
import type { Plan } from "../ownership/plan.js"
import { isByHand, type WriterRole } from "../ownership/writers.js"
import { h } from "./dom.js"
import { ownerName } from "./looks.js"
import type { ShownOutcome } from "./outcome.js"
import type { OwnedLine } from "./owned-object.js"

export const roleWords: Readonly<Record<WriterRole, string>> = {
  applier: "applies a configuration",
  autoscaler: "an autoscaler",
  person: "a manual edit",
  program: "a program",
}

export function legendText(owner: Owner, fields: number): string {
  const operation = owner.operation === "Apply" ? "applies" : isByHand([owner]) ? "by hand" : "updates"
  return `${operation}, ${counted(fields, "field")}`
}

export const verdictKinds = {
  create: "created",
  change: "changed",
  unchanged: "",
  conflict: "conflict",
  refused: "error",
} as const

export function verdict(kind: string, text: string): HTMLElement {
  return h("h3", { class: `verdict ${kind}` }, text)
}

export function verdictOf({ manager, outcome, conflicts, force }: Plan): string {
  const who = `${manager}${force ? ", by force," : ""}`
  switch (outcome) {
    case "create":
      return `${who} would create the object`
    case "change":
      return `${who} would change the object`
    case "unchanged":
      return `${who} would change nothing`
    case "conflict":
      return `${who} would have ${counted(new Set(conflicts.map(({ path }) => path)).size, "conflict")}`
    case "refused":
      return `${who} would be refused`
  }
}

export function outcomeOf({ changes, ownership }: Plan): ShownOutcome {
  const shown = changes.flatMap(({ path, action, from, to }) =>
    action === "add" || action === "change" || action === "remove"
      ? [{ path, action, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }]
      : [],
  )
  return { changes: shown, transfers: ownership, unions: [] }
}

/** Returns the lines that contain the word, or whose owners do, and the lines of the maps and lists around them. */
export function linesWith(lines: readonly OwnedLine[], word: string): readonly OwnedLine[] {
  const found = new Set<OwnedLine>()
  const above: { readonly margin: number; readonly line: OwnedLine }[] = []
  for (const line of lines) {
    // Items of a list may stand in the column of the key of their list.
    const margin = line.text.search(/[^ ]/) + (/^ *- /.test(line.text) ? 0.5 : 0)
    while ((above.at(-1)?.margin ?? -1) >= margin) above.pop()
    above.push({ margin, line })
    const names = line.owners.map(ownerName).join(" ")
    const text = `${line.text} ${names}${line.fields.some(({ byHand }) => byHand) ? " by hand" : ""}`
    if (text.toLowerCase().includes(word)) for (const one of above) found.add(one.line)
  }
  return lines.filter(line => found.has(line))
}

/** Returns the message of an error about data. Throws any other error again, since it is a bug. */
export function messageOf(error: unknown): string {
  if (hasCode(error) || error instanceof TypeError || error instanceof RangeError) return error.message
  throw error
}
