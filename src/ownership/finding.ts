import type { Kinds } from "../kinds/kinds.js"
import type { Resource } from "../kinds/resource/resource.js"
import { celPackage } from "../kinds/rules/library.js"
import { removedIn } from "../kubernetes/removed-versions.js"
import { readEntries } from "../managedfields/entries/entry.js"
import { problemOfEntry } from "../managedfields/entries/managed.js"
import type { Problem } from "../requests/failure.js"
import { objectKindOf, textAt } from "../schema/group-version-kind.js"
import { defaultUnionPolicy } from "../union/policy.js"
import { nearest } from "../value/nearest.js"
import { own } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"

/** Something that makes the answer doubtful, or incomplete. */
export interface Finding {
  /**
   * What was found, for programs. `managed-fields-missing`: the object was stored, but comes without its owners.
   * `managed-fields-unreadable`: its managedFields, or one entry of them, can't be read, so an owner is missing or all are.
   * `force-refused`: the apply is in conflict, and by force it would be refused for another reason. `unions-settled`: the plan depends on
   * unions, no policy for them was named, and a cluster ignores them. `not-served`: no API server serves the kind at this version.
   * `live-incomplete`: the live object is not as a server stores it, so the plan is not checked where that is wrong.
   * `rules-not-run`: rules in CEL of the kind are not run, so the plan does not say what they refuse.
   * `refused`: a server refuses the apply for another reason than the conflicts that are explained or resolved.
   */
  readonly code:
    | "managed-fields-missing"
    | "managed-fields-unreadable"
    | "force-refused"
    | "unions-settled"
    | "not-served"
    | "live-incomplete"
    | "rules-not-run"
    | "refused"
  /** What was found and what to do about it, for people. */
  readonly message: string
}

/** What makes the owners that an object names doubtful. Empty if nothing does. */
export function findingsAbout(object: MapValue | undefined): Finding[] {
  const metadata = object === undefined ? undefined : own(object, "metadata")
  if (!isMap(metadata)) return []
  const given = own(metadata, "managedFields")
  if (isNone(given)) return textAt(metadata, "resourceVersion") === "" ? [] : [missing]
  return isList(given) ? given.flatMap(unreadableEntry) : [unreadable(noList)]
}

/**
 * What can't be read of an entry. The engine passes over all entries where one is none, and refuses to apply where one says nothing
 * it knows.
 */
function unreadableEntry(item: Value, index: number): Finding[] {
  const place = `metadata.managedFields[${index}]`
  const entry = readEntries([item])?.[0]
  if (entry === undefined) return [unreadable(`${place} is no entry: ${noEntry}`)]
  const problem = problemOfEntry(entry, index)
  if (problem === undefined) return []
  const owner = JSON.stringify(entry.manager ?? "")
  return [unreadable(`${place}, of manager ${owner}, can't be read: ${problem}. ${mend}`)]
}

function isNone(managedFields: Value | undefined): boolean {
  return managedFields === undefined || managedFields === null || (isList(managedFields) && managedFields.length === 0)
}

const missing: Finding = {
  code: "managed-fields-missing",
  message:
    "The object has a resourceVersion but no managedFields, so it does not say who owns what. " +
    "Fetch it with --show-managed-fields, or over the API.",
}

const mend = "An apply to the object is refused until the entry is mended, or removed."
const noEntry =
  "it has to be a map of texts, its time in RFC 3339. With it no entry counts, so nobody owns anything. Mend it, or remove it."
const noList =
  "metadata.managedFields of the object is no list of entries, so nobody owns anything. Fetch the object anew."

function unreadable(message: string): Finding {
  return { code: "managed-fields-unreadable", message }
}

/** A plan that the default policy for unions made different from what a cluster would do. */
export const unionsSettled: Finding = {
  code: "unions-settled",
  message:
    `Unions are settled by the default policy, ${defaultUnionPolicy}. A cluster ignores unions: the policy off plans what it would do. ` +
    "Name either policy, and this message goes.",
}

/** The kind of the configuration is not served, with the versions that are. */
export function notServed(config: MapValue, kinds: Kinds): Finding {
  const kind = objectKindOf(config)
  const served = kinds.servedVersions(kind)
  const since = removedIn(kind.apiVersion, kind.kind)
  const gone = since === undefined ? "is not served" : `is not served since Kubernetes ${since}`
  const names = kinds.table().all.map(each => `${each.apiVersion} ${each.kind}`)
  const close = served.length > 0 ? undefined : nearest(`${kind.apiVersion} ${kind.kind}`, names)
  const advice =
    served.length > 0
      ? `${kind.kind} is served at ${served.join(", ")}.`
      : close === undefined
        ? "Give its CustomResourceDefinition, if it has one."
        : `Did you mean ${close}?`
  return { code: "not-served", message: `${kind.apiVersion} ${kind.kind} ${gone}. ${advice}` }
}

/** The live object has problems for which no server would have stored it. */
export function liveIncomplete(problems: readonly Problem[]): Finding {
  const listed = problems.slice(0, 3).map(({ field, message }) => `${field}: ${message}`)
  const more = problems.length > listed.length ? `, and ${problems.length - listed.length} more` : ""
  const message =
    `No server has stored the live object as it is (${listed.join("; ")}${more}), so it is not complete, and the plan passes over that. ` +
    "Fetch the whole object."
  return { code: "live-incomplete", message }
}

/** The rules in CEL that were not run. Empty if all were, and for kinds that have none. */
export function rulesNotRun(resource: Resource | undefined): Finding[] {
  const places = resource?.custom?.unrunRules() ?? []
  if (resource === undefined || places.length === 0) return []
  const more = places.length > 3 ? `, and ${places.length - 3} more` : ""
  const message =
    `Rules in CEL of ${resource.kind} are not run, and may refuse the object: ${places.slice(0, 3).join(", ")}${more}. ` +
    `If ${celPackage} is not installed, install it. Programs then have to await loadCel() of structured-merge-diff/kinds.`
  return [{ code: "rules-not-run", message }]
}

/** That force would not help either. */
export function forceRefused(error: Error): Finding {
  return { code: "force-refused", message: `By force the apply is refused too: ${error.message}` }
}
