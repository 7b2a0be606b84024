// One apply, tried as it was asked for and by force: a dry run of what an API server would do.

import { hasCode } from "../errors.js"
import { kindsOf } from "../kinds/kinds.js"
import type { Resource } from "../kinds/resource/resource.js"
import { type ApplyConflictError, type FieldConflict, MissingManagerError } from "../managedfields/chain/status.js"
import { withoutManagedFields } from "../managedfields/entries/entry.js"
import { managerId } from "../managedfields/entries/manager-id.js"
import {
  type ApplyOptions,
  type FieldManagerOptions,
  type FieldManagerResult,
  managerOptions,
  objectOf,
} from "../managedfields/request.js"
import { ObjectTypes } from "../managedfields/types/object-types.js"
import type { SmdError } from "../merge/conflict.js"
import { noSuchResource, type Problem, RequestFailure } from "../requests/failure.js"
import { textAt } from "../schema/group-version-kind.js"
import { aString, requireOptions } from "../value/argument.js"
import { own, put } from "../value/object.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { DryRun, type LiveObject } from "../write/dry-run.js"
import type { WriteStep } from "../write/write.js"
import { nameOf, type ObjectName, requireSameObject } from "./object-name.js"
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

/** The object that an apply makes, and how it comes about. */
export interface Made extends FieldManagerResult {
  /** Who owns what afterwards. */
  readonly shares: readonly Share[]
  /** The problems of the result that the live object had before. */
  readonly excused: readonly Problem[]
  /** What a server warns of in its answer. */
  readonly warnings: readonly string[]
}

/** An apply that a server refuses for another reason than a conflict. */
export interface RefusedApply {
  /** The step that refuses it. */
  readonly step: WriteStep
  /** The server's answer. */
  readonly failure: RequestFailure
  /** The error of the engine that led to it, if there is one. */
  readonly error?: SmdError
  /** The object that was refused by the steps after the merge. */
  readonly refused?: MapValue
  /** What a server warns of in its answer. */
  readonly warnings: readonly string[]
  /** Whether unions are a reason for the refusal. */
  readonly refusesUnions: boolean
}

/** Whether a server refuses the apply. */
export function isRefused(made: Made | RefusedApply): made is RefusedApply {
  return "failure" in made
}

/** An apply that was tried, and by force too where it was in conflict. Nothing was stored. */
export interface Trial {
  readonly request: OwnershipRequest
  readonly config: MapValue
  readonly live: MapValue | undefined
  /**
   * The object before the apply, at the version of the configuration and without managedFields; if there is none, the empty object of the
   * kind with the name of the configuration.
   */
  readonly base: MapValue
  /** Who owns what of the live object. */
  readonly shares: readonly Share[]
  /** The identifier of the applier. */
  readonly applier: string
  /** The conflict for which the apply is refused without force; null if there is none. */
  readonly refusal: ApplyConflictError | null
  readonly conflicts: readonly FieldConflict[]
  /** What the apply makes, by force if it would be in conflict without; or why a server refuses it. */
  readonly made: Made | RefusedApply
  /** Tries the apply of another configuration to the same object. */
  readonly apply: (config: MapValue, force: boolean) => Made | RefusedApply
  /** The resource that serves the kind; undefined if none does. */
  readonly resource: Resource | undefined
}

/** Tries the apply. Throws a BadRequestError, a MissingManagerError or a TypeError for misuse; a refusal is an answer. */
export function tryApply(live: object | undefined, config: object, request: OwnershipRequest): Trial {
  requireOptions("request", request, { ...managerOptions, manager: aString })
  const [liveObject, next] = [live === undefined ? undefined : objectOf(live), objectOf(config)]
  if (request.manager === "") throw new MissingManagerError()
  if (liveObject !== undefined) requireSameObject(liveObject, next, request.kind)
  const dryRun = dryRunOf(request, next)
  const read = liveObject && dryRun?.live(liveObject)
  const apply = (config: MapValue, force: boolean) => applied(dryRun, read, config, force, request)
  const given = apply(next, false)
  const refusal = isRefused(given) && hasCode(given.error, "conflict") ? (given.error as ApplyConflictError) : null
  const known = read === undefined || read.read instanceof RequestFailure ? liveObject : read.read
  const before = known ?? nothing(request, next)
  return {
    request,
    config: next,
    live: liveObject,
    base: withoutManagedFields(before),
    shares: liveObject === undefined ? [] : readShares(liveObject),
    applier: managerId({ manager: request.manager, operation: "Apply", subresource: request.subresource ?? "" }),
    refusal,
    conflicts: refusal === null ? [] : refusal.conflicts,
    made: refusal === null ? given : apply(next, true),
    apply,
    resource: dryRun?.endpoint.resource,
  }
}

/** Undefined for a kind that no server serves. */
export function dryRunOf(request: Omit<OwnershipRequest, "manager">, config: MapValue): DryRun | undefined {
  const { kind = { apiVersion: textAt(config, "apiVersion"), kind: textAt(config, "kind") } } = request
  const resource = kindsOf(request.types).resource(kind)
  return resource && new DryRun(resource, request.subresource ?? "", request)
}

function applied(
  dryRun: DryRun | undefined,
  live: LiveObject | undefined,
  config: MapValue,
  force: boolean,
  { manager }: OwnershipRequest,
): Made | RefusedApply {
  if (dryRun === undefined) return { step: "read", failure: noSuchResource(), warnings: [], refusesUnions: false }
  const outcome = dryRun.apply(live, config, { manager, force })
  if (!outcome.ok) return outcome
  const { object, changed, merged, dropped, unions, excused, warnings } = outcome
  return { object, changed, merged, dropped, unions, excused, warnings, shares: readShares(object) }
}

/** The empty object of the kind, from which a server starts before an object exists, with the name that it will have. */
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
