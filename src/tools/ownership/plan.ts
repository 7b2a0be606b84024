// Plan: the effect of an apply, and the reasons.
import { hasCode } from "../../errors.js"
import { type FieldConflict, type Status, statusOf } from "../../managedfields/chain/status.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import type { MapValue, Value } from "../../value/value.js"
import { objectAfter } from "../appliers/run.js"
import {
  type AsApplier,
  namesApplier,
  type PlannedApplier,
  plannedApplier,
  stepsAfter,
  tryApplyAs,
} from "./appliers.js"
import { type PlannedUnion, plannedUnion } from "./causes.js"
import { changesOf } from "./changes.js"
import { changesByPath, type FieldChange } from "./field-changes.js"
import {
  defaultsReturning,
  type Finding,
  findingsAbout,
  forceRefused,
  liveIncomplete,
  unionsSettled,
} from "./finding.js"
import { noteShares, type Owner, ownerOf, ownersFrom, type Share, sharesAfter } from "./owners.js"
import { type Place, placeOf } from "./place.js"
import type { PlannedChange } from "./planned-change.js"
import { type PlannedRefusal, plannedRefusal } from "./refusal.js"
import {
  type AcceptedApply,
  findingsAboutKind,
  isRefused,
  type OwnershipRequest,
  type RequestedApply,
  requestedApply,
  type Trial,
  tryApply,
} from "./request.js"
import type { SourceText } from "./source.js"
import { byId, type OwnershipChange, ownershipChanges, type TakenFields, takenFields } from "./transfers.js"
import { wedgedBy } from "./wedged.js"

/** A field that others own and the apply would change: a `FieldConflict` as plain data. */
export interface PlannedConflict extends Place {
  /** The identifier of the field's owner; `parseManagerId` reads it. */
  readonly manager: string
  /** The owner of the field. */
  readonly owner: Owner
  /** The live value, in the owner's version; absent if the live object has none. Shared with the live object. */
  readonly live?: Value
  /** The value after the apply; absent if the apply would remove the field. Shared with the configuration. */
  readonly configured?: Value
  /** Set if the engine, because of a union, changes the field rather than the configuration itself. */
  readonly union?: PlannedUnion
}

/** A field that admission changed. `from` is the value that the apply left, and `to` the value of admission. */
export interface AdmittedField extends FieldChange {
  /**
   * The owners of the field, or of something in it. The applier owns what it sent, even if admission has replaced the value. Nobody owns a
   * field that admission added.
   */
  readonly owners: readonly Owner[]
}

/** The request of `plan`. */
export interface PlanRequest extends OwnershipRequest {
  /** The texts that the configuration was read from. They give the lines of the fields for which a server refuses the apply. */
  readonly source?: SourceText | readonly SourceText[] | undefined
}

/** The effect of an apply. Plain data throughout. */
export interface Plan extends RequestedApply {
  /** Distinguishes the results of this entry point. */
  readonly type: "plan"
  /** The version of this format, as in `ownership.schema.json`. */
  readonly version: 1
  /** Whether the request sets `force`. */
  readonly force: boolean
  /**
   * The result of the apply. `unchanged` means that not even an owner changes. With `conflict` and `refused` a server refuses the apply and
   * nothing changes: `refused` covers every reason other than conflicts, such as an invalid object or a version that is not served.
   */
  readonly outcome: "create" | "change" | "unchanged" | "conflict" | "refused"
  /**
   * The fields that change, and those that stay although the configuration omits them, in the order of paths. In a conflict these are the
   * changes of a forced apply; none if that would be refused too, as the finding `force-refused` says. `conflicts` has both values of each
   * field in any case. Changes of owners alone are not listed: an apply that only becomes a co-owner of a field changes no field.
   */
  readonly changes: readonly PlannedChange[]
  /** The fields that each manager gains and loses. In a conflict, those of a forced apply. */
  readonly ownership: readonly OwnershipChange[]
  /** The conflicts for which the apply is refused, sorted by manager; empty with force. */
  readonly conflicts: readonly PlannedConflict[]
  /** The fields that force takes, or would take, from each owner; empty without conflicts. */
  readonly taken: readonly TakenFields[]
  /** The response of an API server that refuses the apply; absent if it accepts the apply. */
  readonly status?: Status
  /** The reason for a refusal other than conflicts. */
  readonly refusal?: PlannedRefusal
  /**
   * The object as it would be stored, managedFields included. If the apply is refused: the live object, or `{}` without one. A new
   * object has no uid, creationTimestamp or resourceVersion, because only a server knows them.
   */
  readonly object: MapValue
  /** In a conflict: the object after a forced apply. Absent if a forced apply would be refused too; a finding then says so. */
  readonly forced?: MapValue
  /** Managers that would be dropped with their fields, because their version no longer exists. */
  readonly dropped: readonly Owner[]
  /** The warnings that the server would send along with its response, for instance about a flawed definition that it stores anyway. */
  readonly warnings: readonly string[]
  /**
   * The fields that admission changed in the result of the merge, with their owners afterwards; in a conflict, after a forced apply. Absent
   * unless the request has `admission` and that changed something.
   */
  readonly admitted?: readonly AdmittedField[]
  /** Reasons to doubt the answer. */
  readonly findings: readonly Finding[]
  /**
   * The tool that applies, and its other steps; absent unless the request names a tool. `changes` and `ownership` of the plan then describe
   * the apply alone, which comes after the steps before. `object` is the object after the last step.
   */
  readonly as?: PlannedApplier
}

/**
 * Plans the effect of applying `config` to `live` (undefined for an object that does not exist) without doing it. It is a dry run of an API
 * server, with the server's defaults, conversion, reset fields and validation as far as `types` knows them. `kubernetesTypes` and
 * `kubernetes` know those of built-in kinds, and `kubernetes.with(crds)` also those of custom resources. Of other kinds only the types are
 * known.
 *
 * Conflicts and other refusals are part of the result. Throws a TypeError if `live` and `config` are about different objects, a
 * MissingManagerError if the manager has no name, a BadRequestError if `live` or `config` is not an object, and whatever callbacks throw.
 * Callbacks (`defaults`, `prepare`, the clock) run once for each apply that is tried. A conflict adds a second apply, with force.
 * If a server refuses the result, and others own fields near the fault that the configuration omits, more applies are tried without them.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { FieldManager } from "structured-merge-diff/managedfields"
 * import { plan } from "structured-merge-diff/ownership"
 *
 * const web = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" } }
 * const manager = new FieldManager({ types: kubernetesTypes })
 * const mine = manager.apply(undefined, { ...web, data: { color: "red", size: "1" } }, { manager: "me" })
 * const live = manager.apply(mine.object, { ...web, data: { size: "1" } }, { manager: "ci" }).object
 *
 * const { outcome, changes } = plan(live, { ...web, data: { color: "blue" } }, { types: kubernetesTypes, manager: "me" })
 * console.log(outcome)
 * // change
 * for (const { path, action, because } of changes) console.log(`${path}: ${action}, ${because}`)
 * // .data.color: change, configured
 * // .data.size: stay, owned-by-others
 * ```
 */
export function plan(live: object | undefined, config: object, request: PlanRequest | AsApplier<PlanRequest>): Plan {
  return namesApplier(request) ? planAs(live, config, request) : planOf(tryApply(live, config, request), request)
}

/** Plans the apply of a tool. */
function planAs(live: object | undefined, config: object, request: AsApplier<PlanRequest>): Plan {
  const tried = tryApplyAs(live, config, request)
  const planned = planOf(tried.trial, { ...tried.trial.request, source: request.source })
  const after = stepsAfter(tried, planned.object)
  const as = plannedApplier(tried, after)
  const stored = objectAfter(after, planned.object) ?? planned.object
  const outcome = planned.outcome === "unchanged" && as.steps.length > 0 ? "change" : planned.outcome
  const { status: _, refusal: __, forced: ___, admitted: ____, ...rest } = planned
  const result: Plan =
    as.skipped === undefined ? { ...planned, outcome, object: stored, as } : { ...rest, ...nothingSent(live), as }
  noteShares(result, sharesAfter(planned))
  return result
}

/** The effects of an apply that is not sent. */
function nothingSent(live: object | undefined) {
  const none = { changes: [], ownership: [], conflicts: [], taken: [], dropped: [], warnings: [] }
  return { ...none, outcome: "unchanged", object: (live ?? {}) as MapValue } as const
}

/** Returns the plan of an apply that was tried. */
export function planOf(trial: Trial, request: PlanRequest): Plan {
  const plan = describeTrial(trial, request)
  noteShares(plan, isRefused(trial.result) ? trial.shares : trial.result.shares)
  return plan
}

function describeTrial(trial: Trial, request: PlanRequest): Plan {
  const { refusal, result } = trial
  const { force = false } = request
  const effect = effects(trial)
  const inConflict = refusal !== null && !force
  return {
    type: "plan",
    version: 1,
    ...requestedApply(trial.config, request),
    force,
    outcome: inConflict ? "conflict" : isRefused(result) ? "refused" : outcomeOf(trial, result),
    ...effect,
    conflicts: inConflict ? trial.conflicts.map(conflict => plannedConflict(conflict, trial.shares)) : [],
    ...(inConflict ? { status: statusOf(refusal) } : plannedRefusal(result, trial, request.source)),
    object: inConflict || isRefused(result) ? (trial.live ?? {}) : result.object,
    ...(inConflict && !isRefused(result) && { forced: result.object }),
    warnings: inConflict ? [] : result.warnings,
    ...admittedProperty(trial),
    findings: [
      ...findingsAbout(trial.given, trial.facts.sets),
      ...(inConflict && isRefused(result) ? [forceRefused(result.failure)] : []),
      ...(!isRefused(result) && result.excused.length > 0 ? [liveIncomplete(result.excused)] : []),
      ...wedgedBy(trial),
      ...findingsAboutKind(trial),
      ...defaultsReturning(effect.changes, request.manager),
      ...(request.unions === undefined && dependsOnUnions(trial) ? [unionsSettled] : []),
    ],
  }
}

function outcomeOf({ live }: Trial, result: AcceptedApply): Plan["outcome"] {
  return live === undefined ? "create" : result.changed ? "change" : "unchanged"
}

function dependsOnUnions({ conflicts, result }: Trial): boolean {
  if (conflicts.some(({ union }) => union !== undefined)) return true
  return isRefused(result) ? result.refusesUnions || hasCode(result.error, "union") : result.unions.length > 0
}

/** Returns the effects of the apply, by force if it needs that. */
function effects(trial: Trial): Pick<Plan, "changes" | "ownership" | "taken" | "dropped"> {
  const { result, shares, conflicts } = trial
  if (isRefused(result)) return { changes: [], ownership: [], taken: [], dropped: [] }
  return {
    changes: changesOf(trial, result),
    ownership: ownershipChanges(shares, result.shares),
    taken: takenFields(conflicts, shares, result.shares),
    dropped: result.dropped.map(ownerOf),
  }
}

/** Returns the fields that admission changed, as a property; nothing without any. */
function admittedProperty({ result, request }: Trial): Pick<Plan, "admitted"> {
  if (isRefused(result)) return {}
  const admitted = admittedFields(request.types, result.admitted, result.shares)
  return admitted.length === 0 ? {} : { admitted }
}

/** Returns the fields that admission changed. `shares` is the owners afterwards. */
export function admittedFields(
  types: TypeFinder,
  admitted: AcceptedApply["admitted"],
  shares: readonly Share[],
): AdmittedField[] {
  if (admitted === undefined) return []
  return changesByPath(types, admitted.before, admitted.after).map(({ path, change }) => {
    return { ...change, owners: ownersFrom(shares, path) }
  })
}

/** Returns the conflict as data. The owner includes the time of its entry. */
export function plannedConflict(
  { manager, owner, path, live, configured, union }: FieldConflict,
  shares: readonly Share[],
): PlannedConflict {
  return {
    ...placeOf(path),
    manager,
    owner: byId(shares).get(manager)?.owner ?? ownerOf(owner),
    ...(live !== undefined && { live }),
    ...(configured !== undefined && { configured }),
    ...(union !== undefined && { union: plannedUnion(union) }),
  }
}
