// Tries one apply as requested, and by force if it is in conflict: a dry run of an API server.

import { hasCode } from "../../errors.js"
import { kindsOf } from "../../kinds/kinds.js"
import { noSuchResource, type Problem, RequestFailure } from "../../kinds/refusal/failure.js"
import type { Resource } from "../../kinds/resource/resource.js"
import { kubernetesTypes } from "../../kubernetes/types.js"
import { lastingFacts, ObjectFacts } from "../../managedfields/chain/object-facts.js"
import { type ApplyConflictError, type FieldConflict, MissingManagerError } from "../../managedfields/chain/status.js"
import { withoutManagedFields } from "../../managedfields/entries/entry.js"
import { managerId } from "../../managedfields/entries/manager-id.js"
import {
  type ApplyOptions,
  type FieldManagerOptions,
  type FieldManagerResult,
  managerOptions,
  objectOf,
} from "../../managedfields/request.js"
import { ObjectTypes } from "../../managedfields/types/object-types.js"
import type { SmdError } from "../../merge/conflict.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { anObject, aString, optional, requireOptions } from "../../value/argument.js"
import { textAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import type { Admission } from "../../write/attributes.js"
import { DryRun, type LiveObject } from "../../write/dry-run.js"
import { managedScale } from "../../write/scale.js"
import type { WriteStep } from "../../write/step.js"
import type { AcceptedWrite } from "../../write/write.js"
import { type Finding, notServed, rulesNotRun, typesOnly, unionsLeftOut } from "./finding.js"
import { type ObjectName, objectName, requireSameObject } from "./object-name.js"
import { readShares, type Share } from "./owners.js"

/**
 * The applier, the endpoint and whether to use force, plus the options of a `FieldManager` for the kind. With the subresource `scale`, the
 * configuration is a Scale, and the live object is the one that has the Scale; results are then about the Scale.
 */
export interface OwnershipRequest extends FieldManagerOptions, ApplyOptions {
  /**
   * The admission of the cluster, from `loadAdmission`: its policies, webhooks, limits, quotas and classes may then change or refuse the
   * object. Absent if the answer is to be that of a cluster without any.
   */
  readonly admission?: Admission | undefined
}

/** Identifies the apply that a result is about. */
export interface RequestedApply {
  /** The object that the configuration is about. */
  readonly target: ObjectName
  /** The name of the applier. */
  readonly manager: string
  /** The subresource applied to; absent for the main resource. */
  readonly subresource?: string
}

/** Returns the description of the request in results. */
export function requestedApply(config: MapValue, { manager, subresource = "" }: OwnershipRequest): RequestedApply {
  return { target: objectName(config), manager, ...(subresource !== "" && { subresource }) }
}

/** The object that results from an apply, and details about how. */
export interface AcceptedApply extends FieldManagerResult, Pick<AcceptedWrite, "admitted"> {
  /** The owners afterwards, with their fields. */
  readonly shares: readonly Share[]
  /** The problems of the result that the live object already had. */
  readonly excused: readonly Problem[]
  /** The warnings in the server's response. */
  readonly warnings: readonly string[]
}

/** An apply that a server refuses. */
export interface RefusedApply {
  /** The step that refuses it. */
  readonly step: WriteStep
  /** The server's response. */
  readonly failure: RequestFailure
  /** The engine error that led to it, if there is one. */
  readonly error?: SmdError
  /** The object that a step after the merge refused. */
  readonly refused?: MapValue
  /** The warnings in the server's response. */
  readonly warnings: readonly string[]
  /** Whether unions are a reason for the refusal. */
  readonly refusesUnions: boolean
}

/** Whether a server refuses the apply. */
export function isRefused(result: AcceptedApply | RefusedApply): result is RefusedApply {
  return "failure" in result
}

/** An apply that was tried, and tried again by force if it was in conflict. Nothing was stored. */
export interface Trial {
  readonly request: OwnershipRequest
  readonly config: MapValue
  /** The live object as the caller passed it. */
  readonly given: MapValue | undefined
  /** The object that the request changes: the live object, or its Scale if the configuration is a Scale. */
  readonly live: MapValue | undefined
  /**
   * The object before the apply, at the configuration's version and without managedFields. Without a live object, it is the kind's
   * empty object with the configuration's name.
   */
  readonly base: MapValue
  /** The owners of the live object, with their fields. */
  readonly shares: readonly Share[]
  /** The identifier of the applier. */
  readonly applier: string
  /** The conflict error of the apply without force; null without conflicts. */
  readonly refusal: ApplyConflictError | null
  readonly conflicts: readonly FieldConflict[]
  /** The result of the apply, which is a forced one if there are conflicts; or the refusal of a server. */
  readonly result: AcceptedApply | RefusedApply
  /** Tries to apply another configuration to the same object. */
  readonly apply: (config: MapValue, force: boolean) => AcceptedApply | RefusedApply
  /** The resource that serves the kind; undefined if no resource does. */
  readonly resource: Resource | undefined
  /** Facts about the objects of the trial. They include the decoded managedFields of `live` and of the result. */
  readonly facts: ObjectFacts
}

/**
 * Tries the apply. Throws a BadRequestError, a MissingManagerError or a TypeError for misuse; refusals are part of the result. `earlier` is the
 * facts of an earlier trial in the same call, if there is one.
 */
export function tryApply(
  live: object | undefined,
  config: object,
  request: OwnershipRequest,
  earlier?: ObjectFacts,
): Trial {
  requireOptions("request", request, { ...managerOptions, manager: aString, admission: optional(anObject) })
  const facts = earlier ?? (request.immutable === true ? lastingFacts : new ObjectFacts())
  const [liveObject, next] = [live === undefined ? undefined : objectOf(live), objectOf(config)]
  if (request.manager === "") throw new MissingManagerError()
  const isScale = request.subresource === "scale" && textAt(next, "kind") === "Scale"
  const kind = request.kind ?? (isScale && liveObject !== undefined ? objectKindOf(liveObject) : undefined)
  if (liveObject !== undefined) requireSameObject(liveObject, next, kind)
  const dryRun = dryRunOf({ ...request, ...(kind !== undefined && { kind }) }, next, facts)
  const stored = liveObject && dryRun?.live(liveObject)
  const view =
    isScale && dryRun?.writesScale === true ? (object: MapValue) => managedScale(dryRun.endpoint, object) : asIs
  const apply = (config: MapValue, force: boolean) => applied(dryRun, stored, config, force, request, facts, view)
  const given = apply(next, false)
  const refusal = isRefused(given) && hasCode(given.error, "conflict") ? (given.error as ApplyConflictError) : null
  const read = viewed(stored, view)
  const before = read ?? liveObject ?? nothing(request, next)
  const seen = view === asIs ? liveObject : (read ?? liveObject)
  return {
    // The types of the request may lack the Scale.
    request: view === asIs ? request : { ...request, types: kubernetesTypes },
    config: next,
    given: liveObject,
    live: seen,
    base: withoutManagedFields(before),
    shares: seen === undefined ? [] : readShares(seen, facts.sets),
    applier: managerId({ manager: request.manager, operation: "Apply", subresource: request.subresource ?? "" }),
    refusal,
    conflicts: refusal === null ? [] : refusal.conflicts,
    result: refusal === null ? given : apply(next, true),
    apply,
    resource: dryRun?.endpoint.resource,
    facts,
  }
}

/** Returns the dry run of an apply; undefined if no server serves the kind. */
export function dryRunOf(
  request: Omit<OwnershipRequest, "manager">,
  config: MapValue,
  facts?: ObjectFacts,
): DryRun | undefined {
  const { kind = objectKindOf(config) } = request
  const resource = kindsOf(request.types).resource(kind)
  return resource && new DryRun(resource, request.subresource ?? "", request, facts)
}

function applied(
  dryRun: DryRun | undefined,
  live: LiveObject | undefined,
  config: MapValue,
  force: boolean,
  { manager }: OwnershipRequest,
  facts: ObjectFacts,
  view: (object: MapValue) => MapValue,
): AcceptedApply | RefusedApply {
  if (dryRun === undefined) return { step: "read", failure: noSuchResource(), warnings: [], refusesUnions: false }
  const outcome = dryRun.apply(live, config, { manager, force })
  if (!outcome.ok) return outcome
  const { changed, dropped, unions, excused, warnings, admitted } = outcome
  const [object, merged] = [view(outcome.object), view(outcome.merged)]
  const shares = readShares(object, facts.sets)
  return { object, changed, merged, dropped, unions, excused, warnings, shares, ...(admitted && { admitted }) }
}

/** Returns the view of the live object; undefined if a server can't read it. */
function viewed(live: LiveObject | undefined, view: (object: MapValue) => MapValue): MapValue | undefined {
  if (live === undefined || live.read instanceof RequestFailure) return undefined
  try {
    return view(live.read)
  } catch (error) {
    // A Scale needs readable managedFields.
    if (!hasCode(error)) throw error
    return undefined
  }
}

function asIs(object: MapValue): MapValue {
  return object
}

/** Returns the empty object from which a server starts if the object does not exist, with the name that the object will have. */
function nothing({ types }: OwnershipRequest, config: MapValue): MapValue {
  const empty = new ObjectTypes(types).emptyObject(objectKindOf(config))
  const given = own(config, "metadata")
  if (!isMap(given)) return empty
  const metadata: Record<string, Value> = { ...(own(empty, "metadata") as MapValue | undefined) }
  for (const key of ["name", "namespace"]) {
    const value = own(given, key)
    if (value !== undefined) put(metadata, key, value)
  }
  return { ...empty, metadata }
}

/** Returns the reasons to doubt that a server does the same with the configuration, because of what is known about its kind. */
export function findingsAboutKind({
  resource,
  config,
  request,
}: Pick<Trial, "resource" | "config" | "request">): Finding[] {
  const kinds = kindsOf(request.types)
  if (resource === undefined) return [notServed(config, kinds)]
  if (resource.plain && !kinds.onlyTypes) return [typesOnly(resource)]
  return [...rulesNotRun(resource), ...unionsLeftOut(resource, request.unions)]
}
