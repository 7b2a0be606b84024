// Shows people the move of objects from one tool to another.
import type { ApplierProfile } from "../../tools/appliers/profile.js"
import type { Migration, MigrationCommand, TakenFrom } from "../../tools/managers/migration.js"
import type { Owner } from "../../tools/ownership/owners.js"
import type { Place } from "../../tools/ownership/place.js"
import type { Plan } from "../../tools/ownership/plan.js"
import type { WriterRole } from "../../tools/ownership/writers.js"
import { quoteForShell } from "../../value/quote.js"
import { counted, listAnd } from "../../value/words.js"
import { foldLines, indent, labelled, printable, wrap } from "../terminal/layout.js"
import type { Style } from "../terminal/style.js"
import type { Terminal } from "../terminal/terminal.js"
import { clampLines } from "../terminal/width.js"
import { showFlow } from "./flow.js"
import { objectTitle } from "./object-title.js"
import { longOwner } from "./owner.js"
import { formatPlan } from "./plan.js"
import { shortPaths } from "./short-path.js"
import { nothingText } from "./tool-steps.js"
import { listPaths } from "./transfers.js"

/** Formats the moves of all objects, then the commands, and a summary. `tools` are the old and the new one. */
export function formatMigrations(
  migrations: readonly Migration[],
  tools: readonly [ApplierProfile, ApplierProfile],
  terminal: Terminal,
): string {
  const { style, columns } = terminal
  const isSkipped = ({ plan, coOwners, commands }: Migration) =>
    plan.as?.skipped !== undefined && coOwners === undefined && commands.every(({ when }) => when === "apply")
  const [skipped, moved] = [migrations.filter(isSkipped), migrations.filter(each => !isSkipped(each))]
  const text = [
    ...moved.map(migration => `${formatMigration(migration, terminal)}\n`),
    ...skipped.map(({ target, plan }) => style.faint(`${objectTitle(target)}: ${nothingText(plan.as)}`)),
    ...(skipped.length > 0 ? [""] : []),
    ...commandRows(migrations, style, columns),
    ...wrap(summary(migrations, tools, style), columns),
    "",
  ].join("\n")
  return clampLines(text, columns)
}

const margin = 4

function formatMigration(migration: Migration, terminal: Terminal): string {
  const { plan, taken, left, coOwners = [], wave } = migration
  const room = terminal.columns - margin
  const unchanged = `${objectTitle(plan.target)}: ${nothingText(plan.as)}`
  const rows = [
    ...labelled("wave", wave === undefined ? [] : [printable(wave)], room),
    ...labelled(
      "takes",
      taken.flatMap(from => takenTexts(from, room)),
      room,
    ),
    ...labelled(
      "stays",
      [
        ...left.entries.map(
          ({ owner, fields }) => `${longOwner(owner)} as the owner of ${counted(fields.length, "field")}`,
        ),
        ...(left.fields.length === 0 ? [] : [fieldsThatStay(left.fields, room)]),
      ],
      room,
    ),
    ...labelled(
      "also",
      coOwners.map(({ owner, fields }) => coOwnerText(owner, fields.length, plan.manager)),
      room,
    ),
  ]
  return [
    plan.outcome === "unchanged" ? unchanged : formatPlan(withoutDefaults(plan), terminal),
    ...rows.map(row => indent(row, margin)),
  ].join("\n")
}

/** Returns the plan without the defaults that the old tool owned and that stay: every object has a dozen of them. */
function withoutDefaults(plan: Plan): Plan {
  return {
    ...plan,
    changes: plan.changes.filter(({ action, because }) => action !== "stay" || because !== "defaulted"),
  }
}

function fieldsThatStay(fields: readonly Place[], room: number): string {
  return `${listPaths(fields, room)}, which the configuration does not have`
}

function coOwnerText(owner: Owner, fields: number, manager: string): string {
  const [stay, them] = fields === 1 ? ["stays", "it"] : ["stay", "them"]
  const effect = `owns ${counted(fields, "field")}, which ${stay} when ${printable(manager)} omits ${them}`
  const advice = `--from-manager ${printable(quoteForShell(owner.manager))} includes ${them} in the move`
  return `${longOwner(owner)} ${effect}; ${advice}`
}

const roles: Readonly<Record<WriterRole, string>> = {
  autoscaler: "an autoscaler",
  person: "a manual edit",
  applier: "another applier",
  program: "another program",
}

/** `.spec.replicas (7 -> 3) from kube-controller-manager, an autoscaler`. */
function takenTexts({ owner, role, fields }: TakenFrom, room: number): string[] {
  const from = `from ${longOwner(owner)}, ${roles[role]}`
  const shown = fields.slice(0, mostFields)
  const paths = shortPaths(shown, Math.floor(room / 2))
  const texts = shown.map(({ from: before, to: after }, i) => {
    const [old, now] = [showFlow(before, valueWidth), after === undefined ? "removed" : showFlow(after, valueWidth)]
    return old === now ? `${paths[i]} (${old})` : `${paths[i]} (${old} -> ${now})`
  })
  const rest = fields.length - shown.length
  return [`${listAnd(rest > 0 ? [...texts, counted(rest, "more field")] : texts)} ${from}`]
}

const mostFields = 4
const valueWidth = 20

/** The commands of all objects, each once. If an apply needs force, its command takes the place of the one without. */
function commandRows(migrations: readonly Migration[], style: Style, columns: number): string[] {
  const all = migrations.flatMap(({ commands }) => commands)
  const texts = (when: MigrationCommand["when"]): string[] => {
    const found = [...new Set(all.filter(command => command.when === when).map(({ text }) => printable(text)))]
    return found.filter(text => !found.some(other => other.startsWith(`${text} --`)))
  }
  const parts = [
    ["Before the move", texts("before")],
    ["Commands", texts("apply")],
    ["Afterwards", texts("after")],
  ] as const
  return parts.flatMap(([title, lines]) =>
    lines.length === 0 ? [] : [style.strong(title), ...lines.map(line => foldLines(`  ${line}`, columns)), ""],
  )
}

function summary(migrations: readonly Migration[], tools: readonly [ApplierProfile, ApplierProfile], style: Style) {
  const [from, to] = tools.map(({ tool }) => printable(tool))
  const conflicts = migrations.filter(({ plan }) => plan.outcome === "conflict").length
  const refused = migrations.filter(({ plan }) => plan.outcome === "refused").length
  const taken = migrations.flatMap(migration => migration.taken)
  const fields = taken.reduce((sum, each) => sum + each.fields.length, 0)
  const leaving = migrations.filter(({ left }) => left.entries.length + left.fields.length > 0).length
  const parts = [
    counted(migrations.length, "object"),
    ...(fields > 0 ? [`${counted(fields, "field")} taken from others`] : []),
    leaving === 0 ? "nothing stays behind" : `something stays behind in ${counted(leaving, "object")}`,
  ]
  const fails = [
    ...(conflicts > 0 ? [` ${counted(conflicts, "object")} in conflict: would fail.`] : []),
    ...(refused > 0 ? [` ${counted(refused, "object")} would be refused.`] : []),
  ].map(style.bad)
  return `From ${from} to ${to}: ${parts.join(", ")}.${fails.join("")}`
}
