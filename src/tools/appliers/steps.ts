// The requests of a tool before and after its apply, as an API server would get them.
import { uniteSets } from "../../fieldpath/builder.js"
import { decodeFields, encodeFields } from "../../fieldpath/fieldsv1/object.js"
import { pathOf } from "../../fieldpath/path.js"
import { FieldSet } from "../../fieldpath/set.js"
import { lastAppliedAnnotation, lastAppliedOf } from "../../managedfields/chain/last-applied.js"
import { beforeFirstApply } from "../../managedfields/chain/skip-non-applied.js"
import { entryOf, type ManagedFieldsEntry, readManagedFields } from "../../managedfields/entries/entry.js"
import { findFieldsOwners, upgradeManagedFieldsPatch } from "../../managedfields/entries/upgrade.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { formatPointer } from "../../value/pointer.js"
import type { ListValue, MapValue, Value } from "../../value/value.js"
import { markOf } from "./configuration.js"
import type {
  ApplierStep,
  EntryRule,
  KeepLastAppliedStep,
  ReplaceManagersStep,
  UpgradeManagersStep,
} from "./profile.js"

/** The facts that a step depends on. */
export interface StepContext {
  /** The manager that applies. */
  readonly manager: string
  /** The start of its name, if the tool knows its own entries by that. */
  readonly managerPrefix?: string | undefined
  /** The configuration that the tool sends. */
  readonly config: MapValue
}

/** The request of a step. */
export type StepRequest = { readonly patch: ListValue } | { readonly apply: MapValue; readonly manager: string }

/** Returns the request of a step for the live object; undefined if the tool has nothing to do. */
export function requestOfStep(step: ApplierStep, live: MapValue, context: StepContext): StepRequest | undefined {
  switch (step.step) {
    case "upgrade-managers":
      return upgradeManagers(step, live, context)
    case "replace-managers":
      return replaceManagers(step, live, context)
    case "migrate-versions":
      return migrateVersions(live, context)
    case "clear-managers":
      return clearManagers(live, context)
    case "keep-last-applied":
      return keepLastApplied(step, live, context)
  }
}

const lastAppliedField = FieldSet.of([pathOf("metadata", "annotations", lastAppliedAnnotation)])

function upgradeManagers(step: UpgradeManagersStep, live: MapValue, { manager }: StepContext): StepRequest | undefined {
  const entries = entriesOf(live)
  if (step.if === "never-applied" && entries.some(entry => isOf(entry, { manager, operation: "Apply" })))
    return undefined
  const csaManagers = typeof step.managers === "string" ? ownersOfLastApplied(live) : step.managers
  const patch = upgradeManagedFieldsPatch(live, { csaManagers, ssaManager: manager })
  return patch && { patch: guarded(live, patch as readonly object[] as ListValue) }
}

/** Returns the managers that own the annotation of client-side apply by an update, as kubectl finds them. */
export function ownersOfLastApplied(live: MapValue): string[] {
  return findFieldsOwners(live, "Update", lastAppliedField).map(({ manager = "" }) => manager)
}

/** Returns the patch without the resourceVersion if the object has none. */
function guarded(live: MapValue, patch: ListValue): ListValue {
  return metaText(live, "resourceVersion") === "" ? patch.slice(0, 1) : patch
}

function replaceManagers(
  step: ReplaceManagersStep,
  live: MapValue,
  { manager, config }: StepContext,
): StepRequest | undefined {
  const { annotations = [], labels = [], unless = {} } = step
  if (markOf(config, unless) !== undefined || markOf(live, unless) !== undefined) return undefined
  const entries = replacedEntries(entriesOf(live), step.entries, manager)
  const patch: Value[] = [
    ...removals(live, "annotations", annotations),
    ...removals(live, "labels", labels),
    ...(entries === undefined ? [] : [replacement(entries)]),
  ]
  return patch.length === 0 ? undefined : { patch }
}

function removals(live: MapValue, map: "annotations" | "labels", keys: readonly string[]): Value[] {
  const there = mapAt(metadataOf(live), map)
  const present = keys.filter(key => own(there, key) !== undefined)
  return present.map(key => ({ op: "remove", path: formatPointer(["metadata", map, key]) }))
}

function replacement(entries: readonly ManagedFieldsEntry[]): Value {
  return { op: "replace", path: "/metadata/managedFields", value: entries as ListValue }
}

/**
 * Unites the entries that the rules select into the manager's applied entry, which becomes the last one. Without an applied entry, the first
 * selected one becomes it. Returns undefined if no rule selects an entry.
 */
function replacedEntries(
  entries: readonly ManagedFieldsEntry[],
  rules: readonly EntryRule[],
  manager: string,
): readonly ManagedFieldsEntry[] | undefined {
  const applied = entries.findLast(entry => entry.manager === manager && entry.operation === "Apply")
  const meant = entries.filter(entry => entry !== applied && rules.some(rule => isMeant(entry, rule)))
  const [first = applied, ...others] = applied === undefined ? meant : [applied, ...meant]
  if (meant.length === 0 || first === undefined) return undefined
  const united = uniteSets([first, ...others].map(setOf))
  const fieldsV1 = others.length === 0 ? first.fieldsV1 : encodeFields(united)
  const own = entryOf({ ...(first as MapValue), manager, operation: "Apply", fieldsV1 })
  return [...entries.filter(entry => entry !== applied && !meant.includes(entry)), own]
}

/** Returns the fields of an entry. */
export function setOf({ fieldsV1 }: ManagedFieldsEntry): FieldSet {
  return fieldsV1 === undefined ? FieldSet.empty : decodeFields(fieldsV1).set
}

/** Whether the rule selects the entry. Rules never select entries of subresources. */
function isMeant(entry: ManagedFieldsEntry, rule: EntryRule): boolean {
  if ((entry.subresource ?? "") !== "" || entry.operation !== rule.operation) return false
  const { manager = "" } = entry
  return rule.prefix === true ? manager.startsWith(rule.manager) : manager === rule.manager
}

/** Whether the entry is this manager's own for the main resource. */
function isOf(entry: ManagedFieldsEntry, { manager, operation }: { manager: string; operation: string }): boolean {
  return entry.manager === manager && entry.operation === operation && (entry.subresource ?? "") === ""
}

/** Gives all entries the version of the configuration, even if their fields have other names there. */
function migrateVersions(live: MapValue, { config }: StepContext): StepRequest | undefined {
  const apiVersion = textAt(config, "apiVersion")
  const entries = entriesOf(live)
  if (entries.every(entry => entry.apiVersion === apiVersion)) return undefined
  return { patch: [replacement(entries.map(entry => ({ ...entry, apiVersion })))] }
}

/**
 * Moves from client-side to server-side apply as Crossplane does: clears all owners before the first apply, so that `before-first-apply` owns
 * the other fields, and removes that manager before the second.
 */
function clearManagers(live: MapValue, { manager, managerPrefix = manager }: StepContext): StepRequest | undefined {
  const entries = entriesOf(live)
  const hasApplied = entries.some(entry => (entry.manager ?? "").startsWith(managerPrefix))
  const before = entries.findLastIndex(entry => entry.manager === beforeFirstApply)
  if (hasApplied && before < 0) return undefined
  const clear: Value = hasApplied
    ? { op: "remove", path: formatPointer(["metadata", "managedFields", before]) }
    : { op: "replace", path: "/metadata/managedFields", value: [{}] }
  const guard: Value = {
    op: "replace",
    path: "/metadata/resourceVersion",
    value: metaText(live, "resourceVersion"),
  }
  return { patch: guarded(live, [clear, guard]) }
}

function keepLastApplied(step: KeepLastAppliedStep, live: MapValue, context: StepContext): StepRequest | undefined {
  const text = lastAppliedOf(live)
  if (context.manager !== step.onlyAs || text === "") return undefined
  if (findFieldsOwners(live, "Apply", lastAppliedField).length > 0) return undefined
  const namespace = metaText(live, "namespace")
  const metadata = {
    name: metaText(live, "name"),
    ...(namespace !== "" && { namespace }),
    annotations: { [lastAppliedAnnotation]: text },
  }
  const { config } = context
  const apply = { ...objectKindOf(config), metadata }
  return { apply, manager: step.manager }
}

function entriesOf(live: MapValue): readonly ManagedFieldsEntry[] {
  return readManagedFields(live) ?? []
}
