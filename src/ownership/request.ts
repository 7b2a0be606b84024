// One apply, tried as it was asked for and by force, with what happened on the way.
import { hasCode, type StructuredMergeError } from "../errors.js"
import { withoutManagedFields } from "../managedfields/entries/entry.js"
import { managerId } from "../managedfields/entries/manager-id.js"
import { FieldManager } from "../managedfields/field-manager.js"
import {
  type ApplyAttempt,
  type ApplyOptions,
  type FieldManagerOptions,
  type FieldManagerResult,
  managerOptions,
  objectOf,
} from "../managedfields/request.js"
import type { ApplyConflictError, FieldConflict } from "../managedfields/status.js"
import { ObjectTypes } from "../managedfields/types/object-types.js"
import { VersionConverter } from "../managedfields/types/version-converter.js"
import { textAt } from "../schema/group-version-kind.js"
import { aString, requireOptions } from "../value/argument.js"
import { own, put } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { nameOf, type ObjectName } from "./object-name.js"
import { readShares, type Share } from "./owners.js"

/** Who would apply, by which endpoint, whether by force; and what a `FieldManager` needs to know of the kind. */
export interface OwnershipRequest extends FieldManagerOptions, ApplyOptions {}

/** Which apply a result is about. */
export interface RequestedApply {
  /** The object that the configuration is about. */
  readonly target: ObjectName
  /** The name of the applier. */
  readonly manager: string
  /** Absent for the main resource. */
  readonly subresource?: string
}

/** What results say of the request. */
export function requestedApply(config: MapValue, { manager, subresource = "" }: OwnershipRequest): RequestedApply {
  return { target: nameOf(config), manager, ...(subresource !== "" && { subresource }) }
}

/** What an apply made, and what it was before defaults and `prepare` changed it. */
export interface Made extends FieldManagerResult {
  /** What merge and pruning made. */
  readonly merged: MapValue
  /** Who owns what afterwards. */
  readonly shares: readonly Share[]
}

/** An apply that was tried, and by force too where it was in conflict. Nothing was stored. */
export interface Trial {
  readonly request: OwnershipRequest
  readonly config: MapValue
  readonly live: MapValue | undefined
  /**
   * What was there before at the version of the configuration, without managedFields; the empty object, but with its name, where
   * there was nothing.
   */
  readonly base: MapValue
  /** Who owns what of the live object. */
  readonly shares: readonly Share[]
  /** The identifier of the applier. */
  readonly applier: string
  /** Why the apply would be refused without force; null where it would not be. */
  readonly refusal: ApplyConflictError | null
  readonly conflicts: readonly FieldConflict[]
  /** What the apply makes, by force where it would be in conflict without; the error where force does not help. */
  readonly made: Made | StructuredMergeError
}

/** Tries the apply. Throws, as `FieldManager.apply` does, what is no conflict. */
export function tryApply(live: object | undefined, config: object, request: OwnershipRequest): Trial {
  requireOptions("request", request, { ...managerOptions, manager: aString })
  const [liveObject, next] = [live === undefined ? undefined : objectOf(live), objectOf(config)]
  const apply = applierOf(request, liveObject, next)
  const given = apply(false)
  if (given instanceof Error && !hasCode(given, "conflict")) throw given
  const refusal = given instanceof Error ? (given as ApplyConflictError) : null
  return {
    request,
    config: next,
    live: liveObject,
    base: withoutManagedFields(
      liveObject === undefined ? nothing(request, next) : atVersionOf(request, liveObject, next),
    ),
    shares: liveObject === undefined ? [] : readShares(liveObject),
    applier: managerId({ manager: request.manager, operation: "Apply", subresource: request.subresource ?? "" }),
    refusal,
    conflicts: refusal === null ? [] : refusal.conflicts,
    made: refusal === null ? given : apply(true),
  }
}

/** A function that applies, by force or not, and returns the error where the request is at fault. */
function applierOf(request: OwnershipRequest, live: MapValue | undefined, config: MapValue) {
  const { manager, subresource = "", force: _, defaults, prepare, ...options } = request
  let merged: MapValue | undefined
  const fieldManager = new FieldManager({
    ...options,
    ...(defaults !== undefined && { defaults: object => defaults((merged = object)) }),
    ...(prepare !== undefined && { prepare: (object, ...rest) => prepare(keep(object), ...rest) }),
  })
  const keep = (object: MapValue): MapValue => {
    merged ??= object
    return object
  }
  return (force: boolean): Made | StructuredMergeError => {
    merged = undefined
    const attempt: ApplyAttempt = fieldManager.tryApply(live, config, { manager, subresource, force })
    if (!attempt.ok) return attempt.error
    return { ...attempt, merged: merged ?? attempt.object, shares: readShares(attempt.object) }
  }
}

/** What there is before an object exists: the empty object of its kind, under the name that it will have. */
function nothing({ types }: OwnershipRequest, config: MapValue): MapValue {
  const empty = new ObjectTypes(types).emptyObject({
    apiVersion: textAt(config, "apiVersion"),
    kind: textAt(config, "kind"),
  })
  const given = own(config, "metadata")
  if (!isMap(given)) return empty
  const metadata: Record<string, Value> = { ...(own(empty, "metadata") as MapValue | undefined) }
  for (const key of ["name", "namespace"]) {
    const value = own(given, key)
    if (value !== undefined) put(metadata, key, value)
  }
  return { ...empty, metadata }
}

/** The object at the version of the configuration. */
export function atVersionOf({ types, converter, hub }: OwnershipRequest, object: MapValue, config: MapValue): MapValue {
  return new VersionConverter(new ObjectTypes(types), new Set(), converter, hub).toVersion(
    object,
    textAt(config, "apiVersion"),
  )
}
