// What a FieldManager is told about the kinds it manages and about a request, and what it answers.
import type { StructuredMergeError } from "../errors.js"
import type { Filter } from "../fieldpath/matcher.js"
import type { FieldSet } from "../fieldpath/set.js"
import type { ObjectKind } from "../schema/group-version-kind.js"
import type { UnionPolicy, UnionPolicyName } from "../union/policy.js"
import type { UnionChange } from "../union/report.js"
import { equalValues } from "../value/equal.js"
import { keepLayout } from "../value/layout.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import type { ManagedFieldsEntry } from "./entries/entry.js"
import { BadRequestError } from "./status.js"
import type { TypeFinder } from "./types/object-types.js"
import type { Hub, ObjectConverter } from "./types/version-converter.js"

/** Fields that are never owned, and everything below them, by version; or filters that say what may be. */
export type ResetFields = ReadonlyMap<string, FieldSet | Filter>

/** Where a request was sent to. */
export interface PreparedRequest extends ObjectKind {
  /** "" for the main resource. */
  readonly subresource: string
}

/** What a FieldManager needs to know of the kinds it manages; only the types have to be given. */
export interface FieldManagerOptions {
  /** Where types are found by apiVersion and kind. */
  readonly types: TypeFinder
  /**
   * The only kind to be managed, as at one endpoint of an API server: applying another is an error, and updates are tracked at
   * this version. Without it each request is at the version of the object it brings.
   */
  readonly kind?: ObjectKind
  /** Needed where the live object or its managers use other versions. Without it every version of an object is the same. */
  readonly converter?: ObjectConverter
  /** Conversions go by way of this version. Without it they are direct. */
  readonly hub?: Hub
  /**
   * May depend on the subresource ("" for the main resource) and the kind, as in an API server: there `status` is reset by one,
   * `spec` by the other. `kubernetesResetFields` has those of built-in kinds.
   */
  readonly resetFields?: ResetFields | ((subresource: string, kind: ObjectKind) => ResetFields | undefined)
  /** Fills in defaults: called with each object an apply has made, returns it or a copy with more in it. */
  readonly defaults?: (object: MapValue) => MapValue
  /**
   * What happens to an object on its way to be stored, after owners have been worked out: strategies and admission of an API server.
   * Called with the object a request has made, managedFields included, and the live one; returns what is stored. `resetToLive` does
   * what strategies do to fields that are reset.
   */
  readonly prepare?: (object: MapValue, live: MapValue | undefined, request: PreparedRequest) => MapValue
  /**
   * Whether a request that changes nothing but times of managedFields leaves these as they are, as an API server does. There it
   * is done by storage, after the FieldManager of an endpoint: so the default is true, but false where `kind` is given.
   */
  readonly keepTimes?: boolean
  /** What to do about unions, where a type has any, as that of a CRD may; `v4` if absent. `off` does what an API server does. */
  readonly unions?: UnionPolicyName | UnionPolicy
  /** False to settle unions alone, also where the policy refuses what is invalid then. The caller has to ask `validateUnions`. */
  readonly validateUnions?: boolean
  /** Gives the time that entries of managedFields are written with; the time of the machine if absent. */
  readonly clock?: () => Date
}

/** Who updates an object, and by which endpoint. */
export interface UpdateOptions {
  /** The name of the manager. "" stands for "unknown" in an update, and is refused in an apply, as by an API server. */
  readonly manager: string
  /** Such as `status` or `scale`. */
  readonly subresource?: string
}

/** Who applies to an object, by which endpoint, and whether by force. */
export interface ApplyOptions extends UpdateOptions {
  /** Take what others own, instead of a conflict. */
  readonly force?: boolean
}

/** What became of a request. */
export interface FieldManagerResult<T extends object = MapValue> {
  /** The object to be stored, with managedFields. Shares what is unchanged with the objects given. */
  readonly object: T
  /** Whether the object differs from the live one, in a value, in the order of a list, or in managedFields. */
  readonly changed: boolean
  /** Managers that were dropped with what they owned, since their version does not exist any more. */
  readonly dropped: readonly ManagedFieldsEntry[]
  /** What was done to unions: discriminators written, members cleared. The owners of these go by their identifiers. */
  readonly unions: readonly UnionChange[]
}

/** What `updateLeniently` returns. */
export interface LenientResult<T extends object = MapValue> extends FieldManagerResult<T> {
  /** Why the owners could not be worked out; absent where they were. */
  readonly error?: StructuredMergeError
}

/** What `tryApply` returns: the result, or the error that `apply` would throw. */
export type ApplyAttempt<T extends object = MapValue> =
  | ({
      /** The apply was made. */
      readonly ok: true
    } & FieldManagerResult<T>)
  | {
      /** The apply was refused; nothing is to be stored. */
      readonly ok: false
      /** What `apply` would throw. An ApplyConflictError has no stack. */
      readonly error: StructuredMergeError
    }

/** The object given, as a map. What was read from a file, say, may be anything: throws a BadRequestError where it is no object. */
export function objectOf(given: unknown): MapValue {
  if (isMap(given as Value)) return given as MapValue
  throw new BadRequestError(
    `expected an object, got ${given === null ? "null" : Array.isArray(given) ? "a list" : typeof given}`,
  )
}

/** What became of a request, from what was there before it and what is to be stored. */
export class Result<T extends object> implements FieldManagerResult<T> {
  static {
    keepLayout(new Result(undefined, {}, [], []))
  }

  readonly object: T
  readonly changed: boolean
  readonly dropped: readonly ManagedFieldsEntry[]
  readonly unions: readonly UnionChange[]
  constructor(
    live: object | undefined,
    object: MapValue,
    dropped: readonly ManagedFieldsEntry[],
    unions: readonly UnionChange[],
  ) {
    this.object = object as object as T
    this.changed = live === undefined || (live !== object && !equalValues(live as MapValue, object))
    this.dropped = dropped
    this.unions = unions
  }
}
