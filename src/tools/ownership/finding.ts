import { formatJson } from "../../json/json.js"
import type { Kinds } from "../../kinds/kinds.js"
import type { Problem } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { celPackage } from "../../kinds/rules/library.js"
import { removedIn } from "../../kubernetes/removed-versions.js"
import type { DecodedSets } from "../../managedfields/entries/decoded-sets.js"
import { readEntries } from "../../managedfields/entries/entry.js"
import { problemOfEntry } from "../../managedfields/entries/managed.js"
import type { JsonPatchOperation } from "../../managedfields/entries/upgrade.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { defaultUnionPolicy, type UnionPolicy, type UnionPolicyName, unionPolicy } from "../../union/policy.js"
import { textAt } from "../../value/fields.js"
import { nearest } from "../../value/nearest.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { listOr } from "../../value/words.js"
import type { PlannedChange } from "./planned-change.js"

/** A reason why the answer is doubtful or incomplete. */
export interface Finding {
  /**
   * Identifies the finding, for programs.
   * - `managed-fields-missing`: the object was stored, but comes without its managedFields.
   * - `managed-fields-unreadable`: its managedFields, or one entry of them, can't be read, so some or all owners are missing.
   * - `force-refused`: the apply is in conflict, and a forced apply would be refused for another reason.
   * - `unions-settled`: the plan depends on unions, the request names no policy for them, and a cluster ignores them.
   * - `union-invalid`: a definition declares a union that has no effect, because the declaration is wrong.
   * - `not-served`: no API server serves the kind at this version.
   * - `live-incomplete`: the live object differs from what a server stores, so its faulty parts are not checked.
   * - `rules-not-run`: the CEL rules of the kind are not run, so the plan doesn't say what they would refuse.
   * - `types-only`: only the type of the kind is known, so there are no defaults and no validation. Absent after `typesOnly()` of the kinds.
   * - `default-returns`: the applier is the only owner of a field and omits it, so the server sets its default again.
   * - `wedged-by-co-owner`: a server refuses the apply because the object keeps a field that others own and the applier omits.
   * - `refused`: a server refuses the apply for a reason other than the conflicts explained or resolved here.
   */
  readonly code:
    | "managed-fields-missing"
    | "managed-fields-unreadable"
    | "force-refused"
    | "unions-settled"
    | "union-invalid"
    | "not-served"
    | "live-incomplete"
    | "rules-not-run"
    | "types-only"
    | "default-returns"
    | "wedged-by-co-owner"
    | "refused"
  /** A message for people: the problem, and how to solve it. */
  readonly message: string
  /** The JSON Patch of the live object that solves the problem; absent if there is none, or if it is up to others. */
  readonly patch?: readonly JsonPatchOperation[]
}

/** Returns the reasons to doubt the owners that an object lists, if any. `sets` is as in `readShares`. */
export function findingsAbout(object: MapValue | undefined, sets?: DecodedSets): Finding[] {
  const metadata = object === undefined ? undefined : own(object, "metadata")
  if (!isMap(metadata)) return []
  const given = own(metadata, "managedFields")
  if (isNone(given)) return isStoredWithout(object as MapValue, metadata, given) ? [missing] : []
  return isList(given) ? given.flatMap((item, index) => unreadableEntry(item, index, sets)) : [unreadable(noList)]
}

/**
 * Returns findings about one entry. If one entry is malformed, the engine ignores all entries. If an entry says nothing that the engine
 * knows, it refuses to apply.
 */
function unreadableEntry(item: Value, index: number, sets: DecodedSets | undefined): Finding[] {
  const place = `metadata.managedFields[${index}]`
  const entry = readEntries([item])?.[0]
  if (entry === undefined) return [unreadable(`${place} is not an entry: ${noEntry}`)]
  const problem = problemOfEntry(entry, index, sets)
  if (problem === undefined) return []
  const owner = JSON.stringify(entry.manager ?? "")
  return [unreadable(`${place}, of manager ${owner}, can't be read: ${problem}. ${mend}`)]
}

/**
 * Whether a server stored the object with managedFields, and they were left out later. A server stores none for an object with nothing that
 * a manager could own.
 */
function isStoredWithout(object: MapValue, metadata: MapValue, managedFields: Value | undefined): boolean {
  if (isList(managedFields) || textAt(metadata, "resourceVersion") === "") return false
  return hasOtherKeys(object, ["apiVersion", "kind", "metadata"]) || hasOtherKeys(metadata, unownedMetadata)
}

function hasOtherKeys(map: MapValue, keys: readonly string[]): boolean {
  for (const key in map) if (!keys.includes(key)) return true
  return false
}

/** The fields of metadata that nobody owns. */
const unownedMetadata: readonly string[] = [
  ...["name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp"],
  ...["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields"],
]

function isNone(managedFields: Value | undefined): boolean {
  return managedFields === undefined || managedFields === null || (isList(managedFields) && managedFields.length === 0)
}

const missing: Finding = {
  code: "managed-fields-missing",
  message:
    "The object has a resourceVersion but no managedFields, so it does not say who owns what. " +
    "Fetch it with --show-managed-fields, or over the API.",
}

const mend = "An apply to the object is refused until the entry is fixed or removed."
const noEntry =
  "it must be a map of texts, with a time in RFC 3339. Because of it no entry counts, so nobody owns anything. Fix it, or remove it."
const noList =
  "metadata.managedFields of the object is not a list of entries, so nobody owns anything. Fetch the object again."

function unreadable(message: string): Finding {
  return { code: "managed-fields-unreadable", message }
}

/** The plan differs from what a cluster would do because of the default policy for unions. */
export const unionsSettled: Finding = {
  code: "unions-settled",
  message:
    `Unions are settled by the default policy, ${defaultUnionPolicy}. A cluster ignores unions: the policy off plans what it would do. ` +
    "Name either policy to avoid this message.",
}

/** Returns the finding that the kind of the configuration is not served at its version. The message lists the versions that are served. */
export function notServed(config: MapValue, kinds: Kinds): Finding {
  const kind = objectKindOf(config)
  const absent = (["apiVersion", "kind"] as const).filter(name => kind[name] === "")
  if (absent.length > 0) return { code: "not-served", message: `The configuration has no ${listOr(absent)}.` }
  const served = kinds.servedVersions(kind)
  const since = removedIn(kind.apiVersion, kind.kind)
  const gone = since === undefined ? "is not served" : `is not served since Kubernetes ${since}`
  const names = kinds.table().all.map(each => `${each.apiVersion} ${each.kind}`)
  const close = served.length > 0 ? undefined : nearest(`${kind.apiVersion} ${kind.kind}`, names)
  const advice =
    served.length > 0
      ? `${kind.kind} is served at ${served.join(", ")}.`
      : close === undefined
        ? "Pass its CustomResourceDefinition, if it has one."
        : `Did you mean ${close}?`
  return { code: "not-served", message: `${kind.apiVersion} ${kind.kind} ${gone}. ${advice}` }
}

/** Returns the finding that the live object has problems that would have kept any server from storing it. */
export function liveIncomplete(problems: readonly Problem[]): Finding {
  const listed = problems.slice(0, 3).map(({ field, message }) => `${field}: ${message}`)
  const more = problems.length > listed.length ? `, and ${problems.length - listed.length} more` : ""
  const message =
    `No server has stored the live object as it is (${listed.join("; ")}${more}), so it is not complete, and the plan passes over that. ` +
    "Fetch the whole object."
  return { code: "live-incomplete", message }
}

/** Returns the CEL rules that were not run. Empty if all were run, or if the kind has none. */
export function rulesNotRun(resource: Resource | undefined): Finding[] {
  const places = resource?.custom?.unrunRules() ?? []
  if (resource === undefined || places.length === 0) return []
  const more = places.length > 3 ? `, and ${places.length - 3} more` : ""
  const message =
    `Rules in CEL of ${resource.kind} are not run, and may refuse the object: ${places.slice(0, 3).join(", ")}${more}. ` +
    `If ${celPackage} is not installed, install it. Programs then have to await loadCel() of structured-merge-diff/kinds.`
  return [{ code: "rules-not-run", message }]
}

/** Returns a finding for each union of the definition that has no effect, because it is declared wrongly. None if the policy is `off`. */
export function unionsLeftOut(
  resource: Resource | undefined,
  unions: UnionPolicyName | UnionPolicy = defaultUnionPolicy,
): Finding[] {
  if (resource?.custom === undefined || !unionPolicy(unions).enabled) return []
  return resource.custom.unionProblems().map(problem => {
    return { code: "union-invalid", message: `A union of ${resource.kind} has no effect. ${problem}` }
  })
}

/** Returns the finding that only the type of the kind is known. */
export function typesOnly({ kind }: Resource): Finding {
  const message =
    `Only the type of ${kind} is known, so defaults and validation are left out. ` +
    "Pass its CustomResourceDefinition, if it has one."
  return { code: "types-only", message }
}

/** Returns the finding that a forced apply would be refused too. */
export function forceRefused(error: Error): Finding {
  return { code: "force-refused", message: `The apply is refused with force too: ${error.message}` }
}

/** Returns a finding for each field that gets another value by its default, because its only owner omits it. */
export function defaultsReturning(changes: readonly PlannedChange[], manager: string): Finding[] {
  return changes.flatMap(({ because, path, from, to }): Finding[] => {
    if (because !== "reset-to-default" || from === undefined || to === undefined) return []
    const [old, standard] = [formatJson(from), formatJson(to)]
    const message =
      `Only ${manager} owns ${path} and omits it, so the server sets its default again: ${standard} instead of ${old}. ` +
      `To keep ${old}, first let the next owner apply ${old} too, or use smd managers transfer ${path} --from ${manager} --to NAME. ` +
      `Then omit the field.`
    return [{ code: "default-returns", message }]
  })
}
