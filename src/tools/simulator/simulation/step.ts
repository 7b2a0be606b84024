import type { FieldSet } from "../../../fieldpath/set.js"
import type { Status } from "../../../managedfields/chain/status.js"
import { managerName } from "../../../managedfields/entries/manager-id.js"
import type { TypeFinder } from "../../../managedfields/types/object-types.js"
import { type ClearedMember, formatUnionChange, type UnionChange } from "../../../union/report.js"
import type { MapValue } from "../../../value/value.js"
import type { AcceptedWrite } from "../../../write/write.js"
import { type FieldChange, fieldChanges, ownerChanges } from "../../ownership/field-changes.js"
import type { Finding } from "../../ownership/finding.js"
import type { ObjectName } from "../../ownership/object-name.js"
import { readShares } from "../../ownership/owners.js"
import { type Place, placeOf } from "../../ownership/place.js"
import { type AdmittedField, admittedFields, type PlannedConflict } from "../../ownership/plan.js"
import type { Resolution } from "../../ownership/resolve.js"
import type { OwnershipChange } from "../../ownership/transfers.js"
import { touchedFields } from "./difference.js"
import { deepFreeze, frozenCopy } from "./frozen-copy.js"
import type { SimulationRequest } from "./request.js"

/** How a request ended. `conflict` and `error` mean that it was refused and nothing changed. */
export type Outcome = "created" | "changed" | "unchanged" | "deleted" | "conflict" | "error"

/** A change that the engine made to one union: a `UnionChange` with the path of its struct as plain data, and owners by name. */
export interface StepUnion extends Place, Omit<UnionChange, "path"> {
  /** The change as one line of text. */
  readonly text: string
}

/** The request and the result of a step. */
export interface StepData {
  /** The object that the request was for; absent for a change of the schema. */
  readonly target?: ObjectName
  /** The key of `target` in the simulation. */
  readonly key?: string
  readonly before?: MapValue | undefined
  readonly after?: MapValue | undefined
  readonly outcome: Outcome
  readonly error?: Status
  readonly conflicts: readonly PlannedConflict[]
  readonly unions: readonly UnionChange[]
  readonly findings: readonly Finding[]
  /** The object before and after the plugins of admission; absent if they change nothing. */
  readonly admitted?: AcceptedWrite["admitted"]
  /** The warnings of the server's response. */
  readonly warnings?: readonly string[]
  readonly resolution?: Resolution
  /** The request as data: without recipes and functions. */
  readonly request: SimulationRequest
  readonly types: TypeFinder
}

/** A request that was played, and its result. `toJSON` returns both as plain data. */
export class Step {
  /** The number of the step, counted from 1: `at(index)` is the state after it. */
  readonly index: number
  /** The time of the request, in RFC 3339. */
  readonly time: string
  /** The request as plain data. A recipe is replaced by the JSON patch of its changes. */
  readonly request: SimulationRequest
  /** The object that the request was for; undefined for a change of the schema. */
  readonly target: ObjectName | undefined
  /** How the request ended. */
  readonly outcome: Outcome
  /** The Status with which an API server refuses the request; undefined if it is not refused. */
  readonly error: Status | undefined
  /** The conflicts that the request is refused for. */
  readonly conflicts: readonly PlannedConflict[]
  /** Reasons to doubt the outcome: `rules-not-run` if the kind has rules in CEL that were not run. */
  readonly findings: readonly Finding[]
  /** The warnings of the server's response. */
  readonly warnings: readonly string[]
  /** How conflicts were resolved before the apply; undefined unless `onConflict` was given. */
  readonly resolution: Resolution | undefined
  /** The object before the request; undefined if it did not exist. */
  readonly before: MapValue | undefined
  /** The object after the request; undefined if it does not exist. Identical to `before` if nothing changed. */
  readonly after: MapValue | undefined
  /** @internal */
  readonly key: string | undefined
  readonly #unions: readonly UnionChange[]
  readonly #admitted: StepData["admitted"]
  /** @internal */
  readonly types: TypeFinder

  /** @internal */
  constructor(index: number, time: string, data: StepData) {
    this.index = index
    this.time = time
    this.request = shareWith(data.request, data.after)
    this.target = deepFreeze(data.target)
    this.outcome = data.outcome
    this.error = deepFreeze(data.error)
    this.conflicts = deepFreeze(data.conflicts)
    this.findings = deepFreeze(data.findings)
    this.warnings = deepFreeze(data.warnings ?? [])
    this.resolution = deepFreeze(data.resolution)
    this.before = data.before
    this.after = data.after
    this.key = data.key
    this.#unions = data.unions
    this.#admitted = data.admitted
    for (const { discriminator } of data.unions) deepFreeze(discriminator)
    this.types = data.types
    Object.freeze(this)
  }

  /** The manager that made the request; "" if the request names none. */
  get manager(): string {
    return "manager" in this.request ? (this.request.manager ?? "") : ""
  }

  /** Whether the request was refused. */
  get refused(): boolean {
    return this.outcome === "conflict" || this.outcome === "error"
  }

  /** The fields that changed, in the order of their paths. Computed on each access. */
  get changes(): readonly FieldChange[] {
    return fieldChanges(this.types, this.before, this.after)
  }

  /** The fields that each owner gained and lost. Computed on each access. */
  get ownership(): readonly OwnershipChange[] {
    return ownerChanges(this.before, this.after)
  }

  /** The fields that admission changed in the result of the request, with their owners afterwards. Computed on each access. */
  get admitted(): readonly AdmittedField[] {
    if (this.#admitted === undefined || this.after === undefined) return []
    return admittedFields(this.types, this.#admitted, readShares(this.after))
  }

  /** @internal */
  touched(): FieldSet {
    return touchedFields(this.types, this.before, this.after)
  }

  /** The changes that the engine made to unions. */
  get unions(): readonly StepUnion[] {
    return this.#unions.map(change => {
      const { path, ...rest } = { ...change, cleared: change.cleared.map(withNames) }
      return { ...placeOf(path), ...rest, text: formatUnionChange({ path, ...rest }) }
    })
  }

  /** Returns the step as plain data, without `before` and `after`. */
  toJSON(): object {
    const {
      index,
      time,
      request,
      target,
      outcome,
      error,
      conflicts,
      changes,
      ownership,
      unions,
      findings,
      warnings,
      admitted,
      resolution,
    } = this
    return {
      index,
      time,
      request,
      ...(target !== undefined && { target }),
      outcome,
      ...(error !== undefined && { error }),
      conflicts,
      changes,
      ownership,
      unions,
      ...(findings.length > 0 && { findings }),
      ...(warnings.length > 0 && { warnings }),
      ...(admitted.length > 0 && { admitted }),
      ...(resolution !== undefined && { resolution }),
    }
  }
}

function withNames({ field, owners }: ClearedMember): ClearedMember {
  const names = owners.map(managerName)
  return { field, owners: [...new Set(names)] }
}

/** Returns the request with the parts that equal parts of the object replaced by those, which saves memory. */
function shareWith(request: SimulationRequest, object: MapValue | undefined): SimulationRequest {
  if ("apply" in request) return Object.freeze({ ...request, apply: frozenCopy(request.apply, object) })
  if ("update" in request) return Object.freeze({ ...request, update: frozenCopy(request.update, object) })
  if ("create" in request) return Object.freeze({ ...request, create: frozenCopy(request.create, object) })
  return request
}
