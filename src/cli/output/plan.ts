// Shows people the effects of an apply: a line for each field, which owners gain and lose fields, and a summary.

import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import type { PlannedStep } from "../../tools/ownership/appliers.js"
import { type Owner, ownersAt, sharesAfter } from "../../tools/ownership/owners.js"
import type { Place } from "../../tools/ownership/place.js"
import type { Plan } from "../../tools/ownership/plan.js"
import type { PlannedChange } from "../../tools/ownership/planned-change.js"
import { fieldOf, type RefusalCause } from "../../tools/ownership/refusal.js"
import { nextWrites } from "../../tools/ownership/writers.js"
import { compareStrings } from "../../value/compare.js"
import { addToGroup, groupBy } from "../../value/groups.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type Value } from "../../value/value.js"
import { counted, listAnd } from "../../value/words.js"
import { fitColumns, indent, labelled, pad, printable, widest, wrap, wrapHanging } from "../terminal/layout.js"
import type { Style } from "../terminal/style.js"
import type { Terminal } from "../terminal/terminal.js"
import { clampLines } from "../terminal/width.js"
import { showBoth, showChange, showFlow } from "./flow.js"
import { applyTitleLine, objectTitle } from "./object-title.js"
import { shortPaths } from "./short-path.js"
import { nothingText, stepRows } from "./tool-steps.js"
import { listPaths, ownershipRows } from "./transfers.js"

interface PlansOptions {
  /** Whether to list each unchanged object, not only their number. */
  readonly all?: boolean
}

/** Formats the plans of all configurations, one after the other, and a summary. */
export function formatPlans(plans: readonly Plan[], terminal: Terminal, options: PlansOptions = {}): string {
  const [changed, unchanged] = [plans.filter(({ outcome }) => outcome !== "unchanged"), plans.filter(isUnchanged)]
  const isFolded = unchanged.length > 1 && options.all !== true
  const rows = isFolded
    ? [`${counted(unchanged.length, "object")} without changes; --all lists them`]
    : unchanged.map(({ target, as }) => `${objectTitle(target)}: ${nothingText(as)}`)
  const text = [
    ...changed.map(plan => `${formatPlan(plan, terminal)}\n`),
    ...rows.map(terminal.style.faint),
    ...(unchanged.length > 0 ? [""] : []),
    ...wrap(planSummary(plans, terminal.style), terminal.columns),
    ...(plans.some(({ outcome }) => outcome === "conflict")
      ? ["smd explain shows the ways out of the conflicts."]
      : []),
    "",
  ].join("\n")
  return clampLines(text, terminal.columns)
}

function isUnchanged({ outcome }: Plan): boolean {
  return outcome === "unchanged"
}

/** Formats one plan, without a line end. */
export function formatPlan(plan: Plan, terminal: Terminal): string {
  const { style, columns } = terminal
  const { outcome } = plan
  const title = applyTitleLine(plan, terminal)
  const steps = (when: PlannedStep["when"]) => stepRows(plan, when, columns - margin).map(indented)
  if (outcome === "refused") return [title, ...steps("before"), ...refusalRows(plan, terminal)].join("\n")
  const created = `  ${style.good("+")} new, with ${counted(fieldsOf(plan), "field")}`
  if (outcome === "create") {
    return [title, ...steps("before"), created, ...changeRows(plan, admittedChanges(plan), terminal)].join("\n")
  }
  return [
    title,
    ...steps("before"),
    ...changeRows(plan, [...changesIn(plan), ...replacedByAdmission(plan)], terminal),
    ...ownershipRows(plan.ownership, outcome === "conflict" ? "by force" : "owners", columns - margin).map(indented),
    ...(isHopeless(plan)
      ? [`${" ".repeat(margin)}by force  refused too`]
      : labelled("force is", forceTexts(plan, columns), columns - margin).map(indented)),
    ...steps("after"),
  ].join("\n")
}

/** Says for the fields in conflict whether force is safe, in the words of smd explain. */
function forceTexts({ conflicts }: Plan, columns: number): string[] {
  const sorted = conflicts.toSorted((a, b) => compareStrings(a.path, b.path))
  const byVerdict = new Map<string, Place[]>()
  for (const ofField of groupBy(sorted, ({ path }) => path).values()) {
    const next = nextWrites(
      ofField.map(({ owner }) => owner),
      managerNames,
    )
    addToGroup(byVerdict, next === "" ? "safe" : `unsure: ${next}`, ofField[0] as Place)
  }
  return Array.from(byVerdict, ([verdict, places]) => `${verdict} (${listPaths(places, columns)})`)
}

/** The server's refusal of the apply, with a line for each cause. */
export function refusalRows(refused: RefusedByServer, { style, columns }: Terminal): string[] {
  const [title, ...rows] = refusalTexts(refused)
  return [`  ${style.bad("!")} ${title}`, ...rows.flatMap(row => wrapHanging(row, columns - margin)).map(indented)]
}

/** The server's response to a refused apply. */
type RefusedByServer = Pick<Plan, "status" | "refusal">

/** Returns a cause of a refusal for people, without the "<nil>" by which a server names no field. */
export function causeText(cause: RefusalCause): string {
  const field = fieldOf(cause)
  return field === "" ? cause.message : `${field}: ${cause.message}`
}

/** The code and reason of a server's refusal, and then its causes with their places. */
export function refusalTexts({ status, refusal }: RefusedByServer): string[] {
  const causes = refusal?.causes ?? []
  const title = `refused with ${status?.code ?? ""} ${status?.reason ?? ""}`.trimEnd()
  const lines = causes.map(cause => {
    const { source } = cause
    const file = source?.file === undefined ? "line " : `${source.file}:`
    const place = source === undefined ? "" : `${file}${source.line}: `
    return `${place}${causeText(cause)}`
  })
  return [title, ...(causes.length > 0 ? lines : [status?.message ?? ""])].map(printable)
}

/** Whether the apply fails even with force, so that its changes are unknown. */
export function isHopeless({ outcome, forced }: Plan): boolean {
  return outcome === "conflict" && forced === undefined
}

/** The changes of a plan, or, if the apply fails even with force, the changes that are in conflict. */
export function changesIn(plan: Plan): readonly PlannedChange[] {
  if (!isHopeless(plan)) return plan.changes
  const { conflicts } = plan
  const fields = conflicts.filter(({ path }, i) => conflicts.findIndex(other => other.path === path) === i)
  return fields.map(({ path, steps, live, configured, union }): PlannedChange => {
    return {
      path,
      steps,
      action: live === undefined ? "add" : configured === undefined ? "remove" : "change",
      because: union === undefined ? "configured" : "union",
      ...(live !== undefined && { from: live }),
      ...(configured !== undefined && { to: configured }),
      owners: conflicts.filter(other => other.path === path).map(({ owner }) => owner),
      contested: true,
      ...(union !== undefined && { union }),
    }
  })
}

/** The number of fields and items that the applier owns in a new object. */
export function fieldsOf({ ownership }: Plan): number {
  return ownership.reduce((sum, { gained }) => sum + gained.length, 0)
}

const signs = { add: "+", change: "~", remove: "-", stay: "=" } as const
/** Two spaces, the sign, and another space. */
const margin = 4
const between = 2

function indented(line: string): string {
  return indent(line, margin)
}

/** Returns the fields that admission changed, as changes. */
export function admittedChanges({ admitted = [] }: Plan): PlannedChange[] {
  return admitted.map(({ owners, ...field }) => ({ ...field, because: "admission", owners }))
}

/** Returns the values of the configuration that admission has replaced, unless the plan lists the field already. */
export function replacedByAdmission(plan: Plan): PlannedChange[] {
  const listed = new Set(plan.changes.filter(({ because }) => because === "admission").map(({ path }) => path))
  return admittedChanges(plan).filter(({ action, path }) => action === "change" && !listed.has(path))
}

function changeRows(plan: Plan, changes: readonly PlannedChange[], { style, columns }: Terminal): string[] {
  const rows = changes.map(change => ({ change, reason: reasonFor(change, plan) }))
  const reasons = widest(
    rows.map(({ reason }) => reason),
    Math.floor(columns * 0.45),
  )
  const most = Math.floor(columns * 0.33)
  const values = rows.map(({ change }) => formatValues(change, most))
  const valueWidth = widest(values, most)
  const pathWidth = columns - margin - valueWidth - reasons - 2 * between
  const paths = shortPaths(changes, pathWidth)
  const widths = [widest(paths, pathWidth), valueWidth, reasons]
  return rows.flatMap(({ change, reason }, i) => {
    const lines = fitColumns([[paths[i] ?? "", values[i] ?? "", reason]], widths)
    return [
      ...lines.map((line, j) => `  ${j === 0 ? actionSign(change, style) : " "} ${colourWarning(reason, line, style)}`),
      ...(values[i] === "" ? bothValues(change, columns) : []),
    ]
  })
}

/** Both values of a change on lines of their own, because they don't fit on one line. */
function bothValues({ from, to, because }: PlannedChange, columns: number): string[] {
  if (valueless.has(because)) return []
  const start = (name: string) => `${" ".repeat(margin + between)}${pad(name, 6)}`
  const [before, after] = showBoth(from, to, columns - start("").length)
  return [start("from") + before, start("to") + after]
}

/** Reasons that say enough without the values. */
export const valueless: ReadonlySet<PlannedChange["because"]> = new Set(["order", "last-applied"])

/** The coloured sign for the action on a field. */
export function actionSign({ action }: Pick<PlannedChange, "action">, style: Style): string {
  const sign = signs[action]
  return action === "add" ? style.good(sign) : action === "remove" ? style.bad(sign) : style.strong(sign)
}

function colourWarning(reason: string, line: string, style: Style): string {
  const at = reason.startsWith("! ") ? line.lastIndexOf("! ") : -1
  return at < 0 ? line : line.slice(0, at) + style.bad(line.slice(at))
}

/** The values on one line; "" if they don't fit, or if the reason says enough. */
function formatValues({ action, from, to, steps, because }: PlannedChange, width: number): string {
  if (valueless.has(because)) return ""
  if (action === "change") return showChange(from, to, width) ?? ""
  return showFlow(withoutKeys(action === "add" ? to : from, steps), width)
}

/** The value of an item without the keys that its path shows. */
function withoutKeys(value: Value | undefined, steps: readonly string[]): Value | undefined {
  const element = parseFieldsV1Key(steps[steps.length - 1] ?? "")
  if (element?.kind !== "key" || value === undefined || !isMap(value)) return value
  const rest: Record<string, Value> = {}
  for (const key in value)
    if (!element.fields.some(({ name }) => name === key)) put(rest, key, own(value, key) as Value)
  return rest
}

/** Says in a few words why the field changes or stays, with `! ` in front in a conflict; "" if that is plain. */
export function reasonFor(change: PlannedChange, plan: Plan): string {
  const { because, owners, contested, counterpart, union, action } = change
  const others = managerNames(owners)
  const isLost = owners.some(owner => loses(owner, change, plan))
  const it = because === "atomic" ? "all of it" : ownsWhole(change, plan) ? "it" : "a part"
  const part = owners.length > 0 ? `; ${others} ${lose(owners)} a part` : ""
  if (because === "duplicates") return duplicates(change, plan, others)
  if (contested && plan.outcome === "conflict") return `! ${others} ${owns(owners)} ${it}`
  if (contested || (isLost && because === "configured" && action === "change")) return `taken from ${others}`
  switch (because) {
    case "configured":
      return owners.length === 0 || action === "add" ? "" : `${others} ${owns(owners)} ${it} too`
    case "no-longer-applied":
      return owners.length === 0 ? "you applied it, nobody else owns it" : `you applied it${part}`
    case "owned-by-others":
      return `stays: ${others} ${owns(owners)} ${it === "it" ? "it too" : it}`
    case "union":
      return union?.effect === "implied" ? `union: ${printable(union.member)} is set` : "union: another member is set"
    case "list-key-changed":
      return `key changed, ${action === "add" ? "was" : "now"} ${printable(lastItem(counterpart ?? ""))}${action === "remove" ? part : ""}`
    case "atomic":
      return "atomic: replaced as a whole"
    case "order":
      return "same items in another order"
    case "reset-to-default":
      return "! you applied it, nobody else owns it: the default comes back"
    case "defaulted":
      return action === "add" ? "a default" : "set by the server"
    case "admission":
      return `set by admission, ${ownersAfter(change, plan)}`
    case "last-applied":
      return "kept up to date for client-side apply"
    case "kept":
      return "stays as part of its parent"
  }
}

/** Says who owns a field afterwards. */
function ownersAfter({ path }: PlannedChange, { admitted = [] }: Plan): string {
  const { owners = [] } = admitted.find(field => field.path === path) ?? {}
  return owners.length === 0 ? "nobody owns it" : `owned by ${managerNames(owners)}`
}

/** Says how often an item occurs that occurred several times, and from which owners it is taken. */
function duplicates({ from, to, owners, contested }: PlannedChange, { outcome }: Plan, others: string): string {
  const times = (value: Value | undefined) => (isList(value) ? `${value.length} times` : "once")
  const happens = `there ${times(from)}, then ${times(to)}`
  if (!contested) return happens
  return outcome === "conflict" ? `! ${happens}; ${others} ${owns(owners)} it` : `${happens}; taken from ${others}`
}

/** Whether the owner would lose exactly this field. */
function loses(owner: Owner, { steps }: PlannedChange, { ownership }: Plan): boolean {
  const name = steps.join("\n")
  return ownership.some(
    change => isSameOwner(change.owner, owner) && change.lost.some(place => place.steps.join("\n") === name),
  )
}

/** Whether one of the owners owns exactly this field, and not only fields inside it. */
function ownsWhole(change: PlannedChange, plan: Plan): boolean {
  const { owners, steps } = change
  if (owners.some(owner => loses(owner, change, plan))) return true
  const path = steps.flatMap(step => parseFieldsV1Key(step) ?? [])
  return ownersAt(sharesAfter(plan), path).some(owner => owners.some(other => isSameOwner(owner, other)))
}

function isSameOwner(a: Owner, b: Owner): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.apiVersion === b.apiVersion &&
    a.subresource === b.subresource
  )
}

/** The last step of a path that leads to an item. */
function lastItem(path: string): string {
  return path.slice(path.lastIndexOf("["))
}

function managerNames(owners: readonly Owner[]): string {
  return printable(listAnd([...new Set(owners.map(({ manager }) => manager))]))
}

function owns(owners: readonly Owner[]): string {
  return new Set(owners.map(({ manager }) => manager)).size > 1 ? "own" : "owns"
}

function lose(owners: readonly Owner[]): string {
  return owns(owners) === "own" ? "lose" : "loses"
}

/** `Plan: 1 to add, 0 to change, 0 to remove.`, with the numbers of conflicts and refusals. */
export function planSummary(plans: readonly Plan[], style: Style): string {
  const planned = plans.filter(({ outcome }) => outcome !== "create")
  const changes = planned.flatMap(plan => [...plan.changes, ...(plan.as?.steps ?? []).flatMap(step => step.changes)])
  const tally = (action: PlannedChange["action"]) => changes.filter(change => change.action === action).length
  const created = plans.filter(({ outcome }) => outcome === "create").length
  const conflicts = plans.reduce((sum, plan) => sum + new Set(plan.conflicts.map(({ path }) => path)).size, 0)
  const parts = [
    ...(created > 0 ? [`${counted(created, "object")} to create`] : []),
    `${tally("add")} to add`,
    `${tally("change")} to change`,
    `${tally("remove")} to remove`,
    ...(tally("stay") > 0 ? [tally("stay") === 1 ? "1 stays" : `${tally("stay")} stay`] : []),
  ]
  const refused = plans.filter(({ outcome }) => outcome === "refused").length
  const fails = [
    ...(conflicts > 0 ? [`${counted(conflicts, "conflict")}: would fail.`] : []),
    ...(refused > 0 ? [`${counted(refused, "object")} would be refused.`] : []),
  ].map(text => ` ${style.bad(text)}`)
  return `Plan: ${parts.join(", ")}.${fails.join("")}`
}
