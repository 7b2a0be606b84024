// Plan: what an apply would do, and why.
import { hasCode } from "../errors.js"
import { kindsOf } from "../kinds/kinds.js"
import { type FieldConflict, type Status, statusOf } from "../managedfields/chain/status.js"
import type { MapValue, Value } from "../value/value.js"
import { type PlannedUnion, plannedUnion } from "./causes.js"
import { changesOf } from "./changes.js"
import {
  type Finding,
  findingsAbout,
  forceRefused,
  liveIncomplete,
  notServed,
  rulesNotRun,
  unionsSettled,
} from "./finding.js"
import { type Owner, ownerOf, type Share } from "./owners.js"
import { type Place, placeOf } from "./place.js"
import type { PlannedChange } from "./planned-change.js"
import { type PlannedRefusal, refusalOf } from "./refusal.js"
import {
  isRefused,
  type Made,
  type OwnershipRequest,
  type RequestedApply,
  requestedApply,
  type Trial,
  tryApply,
} from "./request.js"
import type { SourceText } from "./source.js"
import { byId, type OwnershipChange, ownershipChanges, type TakenFields, takenFields } from "./transfers.js"

/** A field that others own and the apply would change: a `FieldConflict` as plain data. */
export interface PlannedConflict extends Place {
  /** The identifier of who owns the field; `parseManagerId` reads it. */
  readonly manager: string
  /** Who owns the field. */
  readonly owner: Owner
  /** What the live object has there, in the owner's version; absent where it has nothing. Shared with the live object. */
  readonly live?: Value
  /** What the apply would make of it; absent where the field would go. Shared with the configuration. */
  readonly configured?: Value
  /** Set where not the configuration changes the field, but the engine, because of a union. */
  readonly union?: PlannedUnion
}

/** What `plan` is told. */
export interface PlanRequest extends OwnershipRequest {
  /** The texts that the configuration was read from, for the lines of what a server refuses. */
  readonly source?: SourceText | readonly SourceText[] | undefined
}

/** What an apply would do. Plain data throughout. */
export interface Plan extends RequestedApply {
  /** Tells the results of this entry apart. */
  readonly type: "plan"
  /** The version of this format: the one of `ownership.schema.json`. */
  readonly version: 1
  /** Whether force was asked for. */
  readonly force: boolean
  /**
   * The result of the apply. `unchanged` if not even an owner changes. `conflict` and `refused` if a server refuses it, so nothing changes:
   * `refused` is for every reason but conflicts, such as an invalid object or a version that is not served.
   */
  readonly outcome: "create" | "change" | "unchanged" | "conflict" | "refused"
  /**
   * What changes in the object, and what stays though it was left out, in the order of paths. In a conflict, what would change with
   * force. Not the owners alone: an apply that only takes part in owning a field changes no field.
   */
  readonly changes: readonly PlannedChange[]
  /** Who comes to own, and loses, what. In a conflict, with force. */
  readonly ownership: readonly OwnershipChange[]
  /** Why the apply is refused, sorted by manager; empty with force. */
  readonly conflicts: readonly PlannedConflict[]
  /** What force takes, or would take, from whom; empty where nothing is in conflict. */
  readonly taken: readonly TakenFields[]
  /** The answer of an API server that refuses the apply; absent if it accepts it. */
  readonly status?: Status
  /** Why the apply is refused if not for conflicts. */
  readonly refusal?: PlannedRefusal
  /**
   * The object as it would be stored, managedFields included; if the apply is refused, the live one, and `{}` if there is none. A new object
   * has no uid, creationTimestamp and resourceVersion: only a server knows them.
   */
  readonly object: MapValue
  /** In a conflict: the object as it would be with force. Absent where not even force helps, as a finding says. */
  readonly forced?: MapValue
  /** Managers that would be dropped with what they own, since their version does not exist any more. */
  readonly dropped: readonly Owner[]
  /** What the server would warn of beside its answer, such as what is wrong with a definition that is stored even so. */
  readonly warnings: readonly string[]
  /** What makes the answer doubtful. */
  readonly findings: readonly Finding[]
}

/**
 * What applying `config` to `live` (undefined for an object that does not exist) would do, without doing it: a dry run of what an API server
 * does, with its defaults, conversion, reset fields and validation as far as `types` knows them. `kubernetesTypes` and `kubernetes` know those
 * of built-in kinds, `kubernetes.with(crds)` those of custom resources too; of other kinds only types are known. A conflict or another refusal
 * is an answer. Throws a TypeError if `live` is another object than `config` is about, a MissingManagerError if the manager has no name, a
 * BadRequestError if either is not an object, and whatever callbacks throw. Callbacks (`defaults`, `prepare`, the clock) are called for each
 * apply that is tried; if there is a conflict, that is a second time, by force.
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
export function plan(live: object | undefined, config: object, request: PlanRequest): Plan {
  const trial = tryApply(live, config, request)
  const { refusal, made } = trial
  const { force = false } = request
  const inConflict = refusal !== null && !force
  const refused = !inConflict && isRefused(made) ? made : undefined
  return {
    type: "plan",
    version: 1,
    ...requestedApply(trial.config, request),
    force,
    outcome: inConflict ? "conflict" : isRefused(made) ? "refused" : outcomeOf(trial, made),
    ...effects(trial),
    conflicts: inConflict ? trial.conflicts.map(conflict => plannedConflict(conflict, trial.shares)) : [],
    ...(inConflict && { status: statusOf(refusal) }),
    ...(refused !== undefined && {
      status: refused.failure.status as unknown as Status,
      refusal: refusalOf(refused, trial, request.source),
    }),
    object: inConflict || isRefused(made) ? (trial.live ?? {}) : made.object,
    ...(inConflict && !isRefused(made) && { forced: made.object }),
    warnings: inConflict ? [] : made.warnings,
    findings: [
      ...findingsAbout(trial.live),
      ...(inConflict && isRefused(made) ? [forceRefused(made.failure)] : []),
      ...(isRefused(made) && trial.resource === undefined ? [notServed(trial.config, kindsOf(request.types))] : []),
      ...(!isRefused(made) && made.excused.length > 0 ? [liveIncomplete(made.excused)] : []),
      ...rulesNotRun(trial.resource),
      ...(request.unions === undefined && dependsOnUnions(trial) ? [unionsSettled] : []),
    ],
  }
}

function outcomeOf({ live }: Trial, made: Made): Plan["outcome"] {
  return live === undefined ? "create" : made.changed ? "change" : "unchanged"
}

/** Whether the result would be another one without unions. */
function dependsOnUnions({ conflicts, made }: Trial): boolean {
  if (conflicts.some(({ union }) => union !== undefined)) return true
  return isRefused(made) ? made.refusesUnions || hasCode(made.error, "union") : made.unions.length > 0
}

/** What the apply makes, by force where it has to. */
function effects(trial: Trial): Pick<Plan, "changes" | "ownership" | "taken" | "dropped"> {
  const { made, shares, conflicts } = trial
  if (isRefused(made)) return { changes: [], ownership: [], taken: [], dropped: [] }
  return {
    changes: changesOf(trial, made),
    ownership: ownershipChanges(shares, made.shares),
    taken: takenFields(conflicts, shares, made.shares),
    dropped: made.dropped.map(ownerOf),
  }
}

/** The conflict as data, the owner with the time of its entry. */
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
