// Shows people changes of managedFields: which owners gain and lose fields, which fields nobody owns any more, and the next applies.

import { readManagedFields } from "../../managedfields/entries/entry.js"
import type { ManagersChange } from "../../tools/managers/change.js"
import type { NextApply } from "../../tools/managers/next-apply.js"
import type { PlannedChange } from "../../tools/ownership/planned-change.js"
import { compareStrings } from "../../value/compare.js"
import { didYouMean } from "../../value/nearest.js"
import type { MapValue } from "../../value/value.js"
import { counted, listAnd } from "../../value/words.js"
import { indent, labelled, pad, printable, wrap } from "../terminal/layout.js"
import type { Style } from "../terminal/style.js"
import type { Terminal } from "../terminal/terminal.js"
import { clampLines } from "../terminal/width.js"
import { objectTitle, titleLine } from "./object-title.js"
import { longOwner } from "./owner.js"
import { listPaths, ownershipRows } from "./transfers.js"

/** Formats the changes of all objects, one after the other, and a summary. */
export function formatManagers(changes: readonly ManagersChange[], terminal: Terminal): string {
  const { style, columns } = terminal
  const [changed, others] = [changes.filter(isChange), changes.filter(change => !isChange(change))]
  const text = [
    ...changed.map(change => `${formatChange(change, terminal)}\n`),
    ...others.map(change =>
      style.faint(
        `${objectTitle(change.target)}: ${hasNoEffect(change) ? "the patch would have no effect" : "no changes"}`,
      ),
    ),
    ...(others.length > 0 ? [""] : []),
    ...wrap(summary(changes, style), columns),
    "",
  ].join("\n")
  return clampLines(text, columns)
}

/** Returns a sentence about each of these managers that none of the objects has, since its name may be misspelt. */
export function absentManagers(names: readonly string[], live: readonly MapValue[]): string[] {
  const known = new Set(live.flatMap(object => readManagedFields(object) ?? []).map(({ manager = "" }) => manager))
  const shown = Array.from(known).sort(compareStrings)
  return names
    .filter(name => !known.has(name))
    .map(name => {
      const others = shown.length === 0 || shown.length > maxManagers ? "" : `: only ${listAnd(shown)}`
      return printable(`no object has the manager "${name}"${didYouMean(name, shown) || others}`)
    })
}

/** The number of managers that a note may list. */
const maxManagers = 8

function isChange({ outcome }: ManagersChange): boolean {
  return outcome === "change"
}

/** Whether a server would keep the managedFields that the object has. */
function hasNoEffect({ findings }: ManagersChange): boolean {
  return findings.some(({ code }) => code === "no-effect")
}

const labels = { owners: "owners", version: "version", nobody: "nobody", next: "next" }
const labelWidth = Math.max(...Object.values(labels).map(label => label.length))

const margin = 4

function formatChange(change: ManagersChange, terminal: Terminal): string {
  const { target, operation, ownership, relabelled, orphaned, next } = change
  const room = terminal.columns - margin
  const width = room - labelWidth - 2
  const moved = relabelled.map(
    ({ owner, from }) => `${longOwner(owner)} from ${printable(from)} to ${printable(owner.apiVersion)}`,
  )
  const rows = (label: string, texts: readonly string[]) => labelled(pad(label, labelWidth), texts, room)
  const lines = [
    ...ownershipRows(ownership, pad(labels.owners, labelWidth), room),
    ...rows(labels.version, moved),
    ...rows(labels.nobody, orphaned.length === 0 ? [] : [`owns ${listPaths(orphaned, width)} any more`]),
    ...rows(
      labels.next,
      next.map(apply => formatNextApply(apply, width)),
    ),
  ]
  return [
    titleLine(target, `${operation}, ${target.apiVersion}`, terminal),
    ...lines.map(line => indent(line, margin)),
  ].join("\n")
}

function formatNextApply(
  { manager, subresource, basis, outcome, changes, gains, conflicts, message }: NextApply,
  width: number,
): string {
  const who = `${printable(manager)}${subresource === undefined ? "" : ` (${printable(subresource)})`} would`
  if (outcome === "refused") return `${who} be refused: ${printable(message ?? "")}`
  if (outcome === "conflict") {
    const others = [...new Set(conflicts.map(({ owner }) => owner.manager))]
    return `${who} be in conflict with ${printable(listAnd(others))} over ${listPaths(conflicts, width)}${basisOf(basis)}`
  }
  const at = (...actions: PlannedChange["action"][]) => changes.filter(({ action }) => actions.includes(action))
  const [removed, written] = [at("remove"), at("add", "change")]
  const parts = [
    ...(removed.length > 0 ? [`remove ${listPaths(removed, width)}`] : []),
    ...(written.length > 0 ? [`write ${listPaths(written, width)}`] : []),
    ...(gains.length > 0 ? [`own ${listPaths(gains, width)}${basis === "applied" ? " again" : ""}`] : []),
  ]
  if (parts.length === 0) return `${who} change nothing${basisOf(basis)}`
  return `${who} ${listAnd(parts)}${basisOf(basis)}`
}

function basisOf(basis: NextApply["basis"]): string {
  if (basis === "applied") return ""
  return basis === "nothing" ? ", unless its configuration has it" : ", by the configuration of client-side apply"
}

function summary(changes: readonly ManagersChange[], style: Style): string {
  const changed = changes.filter(isChange)
  const withoutEffect = changes.filter(hasNoEffect).length
  const removed = changed.flatMap(({ next }) =>
    next.flatMap(apply => apply.changes.filter(({ action }) => action === "remove")),
  )
  const orphaned = changed.reduce((sum, change) => sum + change.orphaned.length, 0)
  const parts = [
    `${counted(changed.length, "object")} to change`,
    ...(orphaned > 0 ? [`${counted(orphaned, "field")} that nobody owns any more`] : []),
    ...(removed.length > 0 ? [`${counted(removed.length, "field")} that next applies would remove`] : []),
  ]
  const fails = withoutEffect === 0 ? "" : ` ${style.bad(`${counted(withoutEffect, "patch")} without effect.`)}`
  const send = changed.length === 0 ? "" : " Nothing is sent: --output kubectl prints the commands."
  return `Managers: ${parts.join(", ")}.${fails}${send}`
}
