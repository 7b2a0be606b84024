// Finds updates that get in the way of appliers: they are left over from client-side apply, from before the first apply, or from an earlier
// update of the applier itself. A field that such an update owns too stays when the applier omits it.

import { uniteSets } from "../../fieldpath/builder.js"
import { fieldElement } from "../../fieldpath/create-element.js"
import type { PathElement } from "../../fieldpath/element.js"
import { valueAt } from "../../fieldpath/lookup.js"
import { equalPaths, formatPath, type Path } from "../../fieldpath/path.js"
import type { FieldSet } from "../../fieldpath/set.js"
import { ancientChanges } from "../../managedfields/chain/cap-managers.js"
import { lastAppliedAnnotation, lastAppliedConfig, lastAppliedOf } from "../../managedfields/chain/last-applied.js"
import { kubectlManager } from "../../managedfields/chain/last-applied-updater.js"
import { beforeFirstApply } from "../../managedfields/chain/skip-non-applied.js"
import { compareTimes } from "../../managedfields/entries/time.js"
import { metaText } from "../../schema/metadata.js"
import type { Type } from "../../typed/type.js"
import { textAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import { counted } from "../../value/words.js"
import { finding, type LintFinding } from "./finding.js"
import { aboutEntry, entryLabel, type OwnedFields } from "./owners.js"

const annotationPath: Path = ["metadata", "annotations", lastAppliedAnnotation].map(fieldElement)

/** The name under which kubectl updates objects by client-side apply. */
const clientSideApply = "kubectl-client-side-apply"

/** An update that owns fields of an applier. */
interface Leftover {
  readonly update: OwnedFields
  readonly applier: OwnedFields
  /** The number of fields that both own. */
  readonly shared: number
}

/** Finds leftovers in an object that has appliers, and fields that only leftovers keep. */
export function lintLeftovers(
  found: LintFinding[],
  live: MapValue,
  owners: readonly OwnedFields[],
  type: Type | undefined,
): void {
  for (const update of owners) {
    if (update.entry.operation !== "Update") continue
    const leftover = leftoverOf(update, owners)
    if (leftover === undefined) continue
    const { applier, shared } = leftover
    const name = applier.entry.manager ?? ""
    const message = `${entryLabel(update.entry)} owns ${counted(shared, "field")} that ${name} applies: they stay when ${name} leaves them out`
    found.push(aboutEntry("applied-and-updated", update, message, handOver(update, name)))
    for (const path of keptBy(leftover, live, owners, type)) {
      const kept = `only ${entryLabel(update.entry)} owns this, so it stays although ${name}, which applies the fields around it, leaves it out`
      const remedy = `transfer the fields of ${update.entry.manager ?? ""} to ${name}, whose next apply removes them: ${commandFor(update)}`
      found.push({
        ...finding("dropped-field-kept", formatPath(path), kept, remedy),
        manager: update.entry.manager ?? "",
      })
    }
  }
}

function handOver(update: OwnedFields, applier: string): string {
  const byKubectl = update.set.has(annotationPath) ? " (kubectl apply --server-side does it by itself)" : ""
  return `let ${applier} be the only owner: ${commandFor(update)}${byKubectl}`
}

function commandFor({ entry }: OwnedFields): string {
  return `smd managers ${entry.manager === beforeFirstApply ? "transfer" : "upgrade"}`
}

/** Returns the applier that shares the most fields with the update; undefined if somebody may still need the update. */
function leftoverOf(update: OwnedFields, owners: readonly OwnedFields[]): Leftover | undefined {
  const { manager = "", apiVersion, subresource = "" } = update.entry
  const isAnyones = isClientSide(update) || manager === beforeFirstApply
  let most: Leftover | undefined
  for (const applier of owners) {
    const { entry } = applier
    if (entry.operation !== "Apply" || entry.apiVersion !== apiVersion || (entry.subresource ?? "") !== subresource) {
      continue
    }
    if (!isAnyones && entry.manager !== manager) continue
    const shared = update.set.intersection(applier.set).leaves().size
    if (shared > (most?.shared ?? 0)) most = { update, applier, shared }
  }
  return most
}

/** Whether the update comes from client-side apply. Like kubectl, this accepts any manager that wrote the annotation. */
function isClientSide({ entry: { manager, operation }, set }: OwnedFields): boolean {
  if (operation !== "Update" || manager === ancientChanges) return false
  return manager === clientSideApply || set.has(annotationPath)
}

/**
 * Returns the fields that only the update owns and that, judging by this one object, the applier once had: they are in the configuration of
 * client-side apply, or they are items in places where the applier has others. Empty if the update is later than the applier's last change,
 * or if it owns more fields without the applier than with it.
 */
function keptBy(
  { update, applier, shared }: Leftover,
  live: MapValue,
  owners: readonly OwnedFields[],
  type: Type | undefined,
): Path[] {
  if (!isOlder(update, applier, live)) return []
  const others = uniteSets(owners.filter(owner => owner !== update).map(({ set }) => set))
  const candidates: Candidate[] = []
  collect(update.set, others, applier.set, [], candidates)
  const config = update.set.has(annotationPath) ? lastConfiguration(live, update) : undefined
  const isOutdated = config !== undefined && applier.entry.manager !== kubectlManager
  const kept = candidates.filter(({ path }) => {
    if (valueAt(live, path) === undefined || leadsToAnnotation(path)) return false
    return isOutdated ? valueAt(config, path) !== undefined : isItem(path, update, live, type)
  })
  return kept.reduce((sum, { fields }) => sum + fields, 0) > shared ? [] : kept.map(({ path }) => path)
}

/** Whether the annotation of client-side apply is at, below or above the path. */
function leadsToAnnotation(path: Path): boolean {
  const length = Math.min(path.length, annotationPath.length)
  return equalPaths(path.slice(0, length), annotationPath.slice(0, length))
}

/**
 * Whether the update is older than the applier's last change. An applier has no time if it never changed anything, because the object
 * already matched its configuration. It is then newer than client-side apply, and newer than a manager that only created the object.
 */
function isOlder(update: OwnedFields, { entry: { time } }: OwnedFields, live: MapValue): boolean {
  if (time !== undefined) return compareTimes(update.entry.time, time) <= 0
  const created = metaText(live, "creationTimestamp")
  return isClientSide(update) || update.entry.manager === beforeFirstApply || update.entry.time === created
}

/** A field or a subtree in which only the update owns fields. */
interface Candidate {
  readonly path: Path
  /** The number of owned fields in it. */
  readonly fields: number
}

/** Collects the fields that only the update owns, in places where the applier owns others. */
function collect(update: FieldSet, others: FieldSet, applier: FieldSet, path: Path, found: Candidate[]): void {
  for (const { element, children } of update.entries) {
    const below = [...path, element]
    const other = others.find(element)
    if (other === undefined) found.push({ path: below, fields: children === null ? 1 : children.leaves().size })
    else if (children !== null && other.children !== null) {
      const applied = applier.find(element)?.children ?? null
      if (applied !== null) collect(children, other.children, applied, below, found)
    }
  }
}

/** Returns the configuration of client-side apply; undefined if it can't be read or has another version than the update. */
function lastConfiguration(live: MapValue, { entry }: OwnedFields): MapValue | undefined {
  const config = lastAppliedConfig(live)
  return config !== undefined && textAt(config, "apiVersion") === entry.apiVersion ? config : undefined
}

/**
 * Whether the path ends at a list item or a map key, because defaults of an API server never create these. Fields from before the first
 * apply may belong to anybody, and webhooks add items to Pods and to lists in the metadata.
 */
function isItem(path: Path, { entry }: OwnedFields, live: MapValue, type: Type | undefined): boolean {
  if (entry.manager === beforeFirstApply || textAt(live, "kind") === "Pod") return false
  const last = path.at(-1) as PathElement
  if (last.kind === "field") return type !== undefined && isKeyOfMap(type, path)
  const [first] = path
  return !(first?.kind === "field" && first.name === "metadata")
}

/** Whether the path ends at a key of a map rather than at a field of a struct. */
function isKeyOfMap(type: Type, path: Path): boolean {
  let at = type
  let isKey = false
  for (const element of path) {
    const { map, list } = at
    const field = element.kind === "field" ? map?.fields.get(element.name)?.type : undefined
    const below: Type | undefined = element.kind === "field" ? (field ?? map?.rest) : list?.item
    if (below === undefined) return false
    isKey = element.kind === "field" && field === undefined
    at = below
  }
  return isKey
}

/** Reports the annotation of client-side apply if nobody keeps it up to date: no applier does, and the update that wrote it is gone. */
export function lintLastApplied(found: LintFinding[], live: MapValue, owners: readonly OwnedFields[]): void {
  if (lastAppliedOf(live) === "") return
  const keeps = ({ entry, set }: OwnedFields): boolean =>
    (entry.operation === "Apply" && (entry.manager === kubectlManager || set.has(annotationPath))) ||
    (isClientSide({ index: 0, entry, set }) && entry.manager !== beforeFirstApply)
  if (owners.some(keeps)) return
  const message =
    "nobody updates this annotation: a client-side kubectl apply would remove fields by its old content, and it doubles the object"
  found.push(
    finding(
      "last-applied-left",
      formatPath(annotationPath),
      message,
      "remove it, if nobody applies client-side any more",
    ),
  )
}
