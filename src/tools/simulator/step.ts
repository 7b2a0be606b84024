import type { FieldSet } from "../../fieldpath/set.js"
import type { Status } from "../../managedfields/chain/status.js"
import { parseManagerId } from "../../managedfields/entries/manager-id.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { type ClearedMember, formatUnionChange, type UnionChange } from "../../union/report.js"
import type { MapValue } from "../../value/value.js"
import type { Finding } from "../ownership/finding.js"
import type { ObjectName } from "../ownership/object-name.js"
import { type Place, placeOf } from "../ownership/place.js"
import type { PlannedConflict } from "../ownership/plan.js"
import type { Resolution } from "../ownership/resolve.js"
import type { OwnershipChange } from "../ownership/transfers.js"
import { type FieldChange, fieldChanges, ownerChanges, touchedFields } from "./difference.js"
import { frozen, kept } from "./kept.js"
import type { SimulationRequest } from "./request.js"

/** What a request came to. `conflict` and `error` say that it was refused: nothing has changed. */
export type Outcome = "created" | "changed" | "unchanged" | "deleted" | "conflict" | "error"

/** What the engine did to one union: a `UnionChange` with the place of its struct as plain data, and owners by their names. */
export interface StepUnion extends Place, Omit<UnionChange, "path"> {
  /** The same in a line for people. */
  readonly text: string
}

/** What was found out when a request was played. */
export interface Played {
  /** Which object it was for; absent for a change of the schema. */
  readonly target?: ObjectName
  /** Its key, where it is in the simulation. */
  readonly key?: string
  readonly before?: MapValue | undefined
  readonly after?: MapValue | undefined
  readonly outcome: Outcome
  readonly error?: Status
  readonly conflicts: readonly PlannedConflict[]
  readonly unions: readonly UnionChange[]
  readonly findings: readonly Finding[]
  readonly resolution?: Resolution
  /** The request as data: without recipes and functions. */
  readonly request: SimulationRequest
  readonly types: TypeFinder
}

/** A request that was played, and what came of it. `toJSON` gives all of it as plain data. */
export class Step {
  /** Which step it is, from 1: `at(index)` is the state after it. */
  readonly index: number
  /** When it was, in RFC 3339. */
  readonly time: string
  /** What was asked for, as plain data: of a recipe, the JSON patch that it came to. */
  readonly request: SimulationRequest
  /** Which object it was about; undefined for a change of the schema. */
  readonly target: ObjectName | undefined
  /** What it came to. */
  readonly outcome: Outcome
  /** What an API server answers to a request that is refused; undefined otherwise. */
  readonly error: Status | undefined
  /** The conflicts for which it is refused. */
  readonly conflicts: readonly PlannedConflict[]
  /** What makes the outcome doubtful: `rules-not-run` if the kind has rules in CEL that were not run. */
  readonly findings: readonly Finding[]
  /** What was done to conflicts before the apply; undefined unless `onConflict` was given. */
  readonly resolution: Resolution | undefined
  /** The object before; undefined if it was not there. */
  readonly before: MapValue | undefined
  /** The object after; undefined if it is not there. The same object as before where nothing changed. */
  readonly after: MapValue | undefined
  /** @internal */
  readonly key: string | undefined
  readonly #unions: readonly UnionChange[]
  /** @internal */
  readonly types: TypeFinder

  /** @internal */
  constructor(index: number, time: string, played: Played) {
    this.index = index
    this.time = time
    this.request = shared(played.request, played.after)
    this.target = frozen(played.target)
    this.outcome = played.outcome
    this.error = frozen(played.error)
    this.conflicts = frozen(played.conflicts)
    this.findings = frozen(played.findings)
    this.resolution = frozen(played.resolution)
    this.before = played.before
    this.after = played.after
    this.key = played.key
    this.#unions = played.unions
    for (const { discriminator } of played.unions) frozen(discriminator)
    this.types = played.types
    Object.freeze(this)
  }

  /** Who made the request; "" where nobody is named. */
  get manager(): string {
    return "manager" in this.request ? (this.request.manager ?? "") : ""
  }

  /** Whether the request was refused. */
  get refused(): boolean {
    return this.outcome === "conflict" || this.outcome === "error"
  }

  /** The fields that have changed, in the order of their paths. Worked out when it is read. */
  get changes(): readonly FieldChange[] {
    return fieldChanges(this.types, this.before, this.after)
  }

  /** Who has gained and lost which fields. Worked out when it is read. */
  get ownership(): readonly OwnershipChange[] {
    return ownerChanges(this.before, this.after)
  }

  /** @internal */
  touched(): FieldSet {
    return touchedFields(this.types, this.before, this.after)
  }

  /** What the engine did to unions. */
  get unions(): readonly StepUnion[] {
    return this.#unions.map(change => {
      const { path, ...rest } = { ...change, cleared: change.cleared.map(withNames) }
      return { ...placeOf(path), ...rest, text: formatUnionChange({ path, ...rest }) }
    })
  }

  /** Everything as plain data. */
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
      ...(resolution !== undefined && { resolution }),
    }
  }
}

function withNames({ field, owners }: ClearedMember): ClearedMember {
  const names = owners.map(owner => parseManagerId(owner)?.manager ?? owner)
  return { field, owners: [...new Set(names)] }
}

/** The request with the parts that it has in common with the object: most of a request is there, before or after. */
function shared(request: SimulationRequest, object: MapValue | undefined): SimulationRequest {
  if ("apply" in request) return Object.freeze({ ...request, apply: kept(request.apply, object) })
  if ("update" in request) return Object.freeze({ ...request, update: kept(request.update, object) })
  if ("create" in request) return Object.freeze({ ...request, create: kept(request.create, object) })
  return request
}
