// The move of an object from one tool to another: the first apply of the new tool, and the rest of the old one.
import { hasCode } from "../../errors.js"
import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import { Lookup } from "../../fieldpath/lookup.js"
import type { Path } from "../../fieldpath/path.js"
import { managerId } from "../../managedfields/entries/manager-id.js"
import { metadataOf } from "../../schema/metadata.js"
import { aListOfStrings, anObject, aString, either, optional, requireOptions } from "../../value/argument.js"
import { mapAt, textAt } from "../../value/fields.js"
import { formatPointer } from "../../value/pointer.js"
import { quoteForShell } from "../../value/quote.js"
import type { MapValue, Value } from "../../value/value.js"
import { fillPlaceholders, skipReason } from "../appliers/configuration.js"
import { lastAppliedManager } from "../appliers/gitops-profiles.js"
import type { ApplierOrigin } from "../appliers/origin.js"
import type { ApplierAlias, ApplierName, ApplierProfile } from "../appliers/profile.js"
import { applierProfile } from "../appliers/read-profile.js"
import { type AsApplier, toolWays } from "../ownership/appliers.js"
import { objectType } from "../ownership/fields.js"
import { type Owner, readShares, type Share } from "../ownership/owners.js"
import { type Place, pathsOf, placeOf } from "../ownership/place.js"
import { type Plan, type PlanRequest, plan } from "../ownership/plan.js"
import { TypedLookup } from "../ownership/typed-lookup.js"
import { writerRole } from "../ownership/writers.js"
import type { CoOwner, LeftBehind, Migration, MigrationCommand, TakenFrom } from "./migration.js"
import { transfer } from "./operations.js"
import { resourceWords } from "./patch.js"

/** The request of `migrate`. */
export interface MigrateRequest extends Omit<AsApplier<PlanRequest>, "as"> {
  /** The tool that has written the object so far: the name of a built-in profile, or a profile of your own. */
  readonly from: ApplierName | ApplierAlias | ApplierProfile
  /** Other names under which it has written, in addition to the one of its profile. */
  readonly fromManagers?: readonly string[] | undefined
  /** The tool that applies from now on. `manager` and `force` are about it. */
  readonly to: ApplierName | ApplierAlias | ApplierProfile
}

/**
 * Plans the move of an object from one tool to another. `live` is the object as the old tool left it (undefined if it does not exist), and
 * `config` is its configuration for the new tool. The first apply is that of `plan` with `as`.
 *
 * Conflicts and other refusals are part of the result. Throws a RangeError for a profile that is unknown, and whatever `plan` throws.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { FieldManager } from "structured-merge-diff/managedfields"
 * import { migrate } from "structured-merge-diff/managers"
 *
 * const types = kubernetesTypes
 * const map = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data })
 * const live = new FieldManager({ types }).update(undefined, map({ color: "red", size: "1" }), { manager: "helm" }).object
 *
 * const { plan, left } = migrate(live, map({ color: "red" }), { types, from: "helm3", to: "argocd", origin: { name: "web" } })
 * for (const { path, value } of left.fields) console.log(plan.outcome, path, value)
 * // change .data.size 1
 * ```
 */
export function migrate(live: object | undefined, config: object, request: MigrateRequest): Migration {
  const aProfile = either(aString, anObject)
  requireOptions("request", request, { from: aProfile, to: aProfile, fromManagers: optional(aListOfStrings) })
  const { from, to, fromManagers, ...rest } = request
  const [former, next] = [applierProfile(from), applierProfile(to)]
  const tool = { ...rest, as: next }
  const planned = plan(live, config, tool)
  const done = planned.outcome === "conflict" ? plan(live, config, { ...tool, force: true }) : planned
  const isFormer = formerOwner(former, fromManagers, planned.manager)
  const move: Move = { live: live as MapValue | undefined, config: config as MapValue, done, isFormer, tool }
  const taken = takenFrom(move)
  const left = leftBehind(move)
  const isLeftAlone = skipReason(move.config, move.live, next.skips ?? []) !== undefined
  const coOwners = isLeftAlone ? [] : coOwnersOf(move)
  const wave = next.waves === undefined ? "" : textAt(mapAt(metadataOf(move.config), "annotations"), next.waves)
  return {
    type: "migration",
    version: 1,
    target: planned.target,
    from: former.name,
    to: next.name,
    ...(wave !== "" && { wave }),
    plan: planned,
    taken,
    left,
    ...(coOwners.length > 0 && { coOwners }),
    commands: isLeftAlone ? [] : commandsFor(move, next, { planned, taken, left }),
  }
}

/** A move, with the apply that succeeds if any does. */
interface Move {
  readonly live: MapValue | undefined
  readonly config: MapValue
  readonly done: Plan
  readonly isFormer: (owner: Owner) => boolean
  readonly tool: AsApplier<PlanRequest> & { readonly as: ApplierProfile }
}

/** Returns a function that says whether an owner is the old tool. The applied entry of the new tool is not, even under the same name. */
function formerOwner(
  { manager, managerPrefix }: ApplierProfile,
  others: readonly string[] = [],
  next: string,
): (owner: Owner) => boolean {
  const names = [...(manager === undefined ? [] : [manager]), ...others]
  return ({ manager: name, operation, subresource }) => {
    if (subresource !== undefined || (name === next && operation === "Apply")) return false
    return names.includes(name) || (managerPrefix !== undefined && name.startsWith(managerPrefix))
  }
}

/** Returns the fields that owners lose in conflicts, and by the steps around the apply. */
function takenFrom({ live, done, isFormer, tool }: Move): TakenFrom[] {
  const lost = [
    ...done.taken.map(({ owner, fields }) => ({ owner, fields })),
    ...(done.as?.steps ?? []).flatMap(step => step.ownership.map(({ owner, lost }) => ({ owner, fields: lost }))),
  ]
  const found = new Map<string, { readonly owner: Owner; readonly places: Map<string, Place> }>()
  for (const { owner, fields } of lost) {
    const isOwn = owner.manager === done.manager || owner.manager === lastAppliedManager
    if (isOwn || isFormer(owner) || fields.length === 0) continue
    const key = JSON.stringify([owner.manager, owner.operation, owner.subresource])
    const known = found.get(key) ?? { owner, places: new Map() }
    for (const place of leavesOf(fields)) known.places.set(place.steps.join("\n"), place)
    found.set(key, known)
  }
  const [before, after] = [valuesOf(tool.types, live), valuesOf(tool.types, done.object)]
  return Array.from(found.values(), ({ owner, places }) => {
    const fields = Array.from(places.values(), place => {
      const [from, to] = [before(place), after(place)]
      return { ...place, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    })
    return { owner, role: writerRole(owner), fields }
  })
}

/** Returns the places that have no other one inside. */
function leavesOf(places: readonly Place[]): readonly Place[] {
  const above = new Set(places.flatMap(({ steps }) => steps.slice(1).map((_, i) => steps.slice(0, i + 1).join("\n"))))
  return places.filter(({ steps }) => !above.has(steps.join("\n")))
}

/** Returns a function that finds values of the object. It finds none if the kind is unknown. */
function valuesOf(types: PlanRequest["types"], object: MapValue | undefined): (place: Place) => Value | undefined {
  const type = object && objectType(types, object)
  if (object === undefined || type === undefined) return () => undefined
  const lookup = new TypedLookup(type, object)
  return place => lookup.valueAt(pathIn(place))
}

function pathIn({ steps }: Place): Path {
  return steps.flatMap(step => parseFieldsV1Key(step) ?? [])
}

function leftBehind(move: Move): LeftBehind {
  const { live, done, isFormer } = move
  if (live === undefined || done.outcome === "refused") return { entries: [], fields: [] }
  const staying = readShares(done.object).filter(({ owner }) => isFormer(owner))
  const entries = staying.map(({ owner, set }) => ({ owner, fields: pathsOf(set.leaves()).map(placeOf) }))
  const marks = marksLeft(move)
  const others = staying.length === 0 ? [] : fieldsLeft(move, staying)
  const isListed = ({ steps }: Place) => marks.some(mark => steps.every((step, i) => step === mark.steps[i]))
  return { entries, fields: [...marks, ...others.filter(place => !isListed(place))] }
}

/** Returns the labels and annotations of the old tool that the new one does not apply, and that the object keeps. */
function marksLeft({ live = {}, done, isFormer, tool }: Move): LeftBehind["fields"] {
  const applied = managerId({ manager: done.manager, operation: "Apply", subresource: "" })
  const mine = readShares(done.object).find(({ id }) => id === applied)?.set
  const valueAfter = valuesOf(tool.types, done.object)
  const former = readShares(live).filter(({ owner }) => isFormer(owner))
  return former.flatMap(({ set }) =>
    pathsOf(set.leaves()).flatMap(path => {
      const place = placeOf(path)
      const isMark = place.steps[0] === "f:metadata" && path.length === 3 && mine?.has(path) !== true
      const value = isMark ? valueAfter(place) : undefined
      return value === undefined ? [] : [{ ...place, value }]
    }),
  )
}

/**
 * Returns the fields that the object loses if the new tool gets the entries of the old one and applies again. Defaults are not among them,
 * because the object has them again at once.
 */
function fieldsLeft(move: Move, staying: readonly Share[]): LeftBehind["fields"] {
  const { changes = [] } = planAfterTransfer(move, move.done.object, staying, { ...move.tool, force: true }) ?? {}
  return changes.flatMap(({ path, steps, action, from: value }) =>
    (action === "remove" || action === "change") && value !== undefined ? [{ path, steps, value }] : [],
  )
}

/** Returns the plan for the object if the new tool first gets these entries; undefined if that is refused. */
function planAfterTransfer(
  { config, done, tool }: Move,
  object: object,
  entries: readonly Share[],
  request: Move["tool"],
): Plan | undefined {
  const names = {
    from: managersOf(entries),
    to: done.manager,
    toVersion: textAt(config, "apiVersion"),
    subresource: "",
  }
  try {
    return plan(transfer(object, { types: tool.types, ...names }).object, config, request)
  } catch (error) {
    if (!hasCode(error)) throw error
    return undefined
  }
}

function managersOf(entries: readonly Pick<Share, "owner">[]): string[] {
  return unique(entries.map(({ owner }) => owner.manager))
}

/** Returns the other owners by updates of fields that are in the configuration. */
function coOwnersOf({ config, done, isFormer, tool }: Move): CoOwner[] {
  if (done.outcome === "refused") return []
  const configured = valuesOf(tool.types, config)
  return readShares(done.object).flatMap(({ owner, set }) => {
    const role = writerRole(owner)
    if (owner.operation !== "Update" || owner.subresource !== undefined || role === "autoscaler") return []
    const fields = isFormer(owner) ? [] : pathsOf(set.leaves()).map(placeOf)
    return fields.some(place => configured(place) !== undefined) ? [{ owner, role, fields }] : []
  })
}

interface Effects {
  readonly planned: Plan
  readonly taken: readonly TakenFrom[]
  readonly left: LeftBehind
}

function commandsFor(move: Move, next: ApplierProfile, { planned, taken, left }: Effects): MigrationCommand[] {
  const { live = {}, config, done, isFormer, tool } = move
  const contested = taken.filter(({ role }) => role !== "person").flatMap(({ fields }) => fields)
  const lookup = new Lookup(live)
  const before = contested.flatMap(field => {
    const steps = lookup.stepsTo(pathIn(field))
    const place = { ...field, ...(steps !== undefined && { livePointer: formatPointer(steps) }) }
    return toolWays(next, config, place).find(({ way }) => way === "relinquish") ?? []
  })
  // Entries that make the apply fail are handed over before it, others after it.
  const isInTheWay = planned.outcome === "conflict" && planned.taken.some(({ owner }) => isFormer(owner))
  const former = isInTheWay ? readShares(live).filter(({ owner }) => isFormer(owner)) : []
  const prepared = isInTheWay ? planAfterTransfer(move, live, former, tool) : undefined
  const isForced = (prepared ?? planned).outcome === "conflict" && done.outcome !== "refused"
  const handover = transferCommands(planned, live, prepared === undefined ? left.entries : former)
  return [
    ...unique(before.map(({ text }) => text)).map(text => ({ when: "before", text }) as const),
    ...(prepared === undefined ? [] : handover.map(text => ({ when: "before", text }) as const)),
    ...(next.commands ?? []).map(({ text, force }) => {
      const words = filled(text, tool.origin ?? markedOrigin(live, next))
      return { when: "apply", text: isForced && force !== undefined ? `${words} ${force}` : words } as const
    }),
    ...(prepared === undefined ? handover.map(text => ({ when: "after", text }) as const) : []),
    ...marksCommands(planned, left).map(text => ({ when: "after", text }) as const),
  ]
}

/** Returns the release or the like that the labels and annotations of the live object name. */
function markedOrigin(live: MapValue = {}, { configuration = {} }: ApplierProfile): Partial<ApplierOrigin> {
  const metadata = metadataOf(live)
  const found: { name?: string; namespace?: string } = {}
  for (const map of ["labels", "annotations"] as const) {
    for (const [key, template] of Object.entries(configuration[map] ?? {})) {
      const value = textAt(mapAt(metadata, map), key)
      if (value !== "" && (template === "{name}" || template === "{release}")) found.name ??= value
      if (value !== "" && (template === "{namespace}" || template === "{target}")) found.namespace ??= value
    }
  }
  return found
}

function filled(text: string, origin: Partial<ApplierOrigin>): string {
  const { name, namespace, release = name, targetNamespace = namespace } = origin
  const words: Readonly<Record<string, string | undefined>> = { name, namespace, release, target: targetNamespace }
  return fillPlaceholders(text, key => {
    const word = words[key]
    return word === undefined ? standIns[key] : quoteForShell(word)
  })
}

/** The words in commands for names that are unknown. */
const standIns: Readonly<Record<string, string>> = {
  name: "NAME",
  namespace: "NAMESPACE",
  release: "NAME",
  target: "NAMESPACE",
}

/** Returns the command that hands over entries of the old tool. */
function transferCommands(
  { target, manager }: Plan,
  live: MapValue,
  entries: readonly Pick<Share, "owner">[],
): string[] {
  const names = managersOf(entries)
  if (names.length === 0) return []
  const isElsewhere = ({ owner }: Share) => owner.subresource !== undefined && names.includes(owner.manager)
  const only = readShares(live).some(isElsewhere) ? [`--subresource ${quoteForShell("")}`] : []
  const from = names.map(name => `--from ${quoteForShell(name)}`)
  const to = `--to ${quoteForShell(manager)}`
  return [["smd managers transfer", ...from, to, ...only, resourceText(target), "--output kubectl"].join(" ")]
}

/** Returns the commands that remove labels and annotations that nobody applies. */
function marksCommands({ target }: Plan, { entries, fields }: LeftBehind): string[] {
  const owned = new Set(entries.flatMap(entry => entry.fields.map(({ steps }) => steps.join("\n"))))
  const marks = fields.filter(({ steps }) => steps[0] === "f:metadata" && !owned.has(steps.join("\n")))
  return marks.map(({ steps: [, map, key = ""] }) => {
    const verb = map === "f:labels" ? "label" : "annotate"
    return `kubectl ${verb} ${resourceText(target)} ${quoteForShell(`${key.slice(2)}-`)}`
  })
}

function resourceText(target: Plan["target"]): string {
  return resourceWords(target).map(quoteForShell).join(" ")
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
