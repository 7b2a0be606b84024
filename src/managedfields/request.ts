// What a FieldManager is told about the kinds it manages and about a request, and what it returns.

import type { Filter } from "../fieldpath/matcher.js"
import type { FieldSet } from "../fieldpath/set.js"
import type { SmdError } from "../merge/conflict.js"
import type { ObjectKind } from "../schema/group-version-kind.js"
import type { UnionPolicy, UnionPolicyName } from "../union/policy.js"
import type { UnionChange } from "../union/report.js"
import { aFunction, aMap, anObject, aString, type Expected, either, optional, types } from "../value/argument.js"
import { equalValues } from "../value/equal.js"
import { keepLayout } from "../value/layout.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { BadRequestError } from "./chain/status.js"
import type { ManagedFieldsEntry } from "./entries/entry.js"
import type { TypeFinder } from "./types/object-types.js"
import type { Hub, ObjectConverter } from "./types/version-converter.js"

/** By version: fields that nobody owns, along with everything below them, or a filter that keeps what may be owned. */
export type ResetFields = ReadonlyMap<string, FieldSet | Filter>

/** What FieldManagerOptions have to be, for `requireOptions`. */
export const managerOptions: Readonly<Record<"types" | "kind" | "resetFields" | "unions", Expected>> = {
  types,
  kind: optional(anObject),
  resetFields: optional(either(aMap, aFunction)),
  unions: optional(either(aString, anObject)),
}

/** The kind and subresource that a request is for. */
export interface PreparedRequest extends ObjectKind {
  /** "" for the main resource. */
  readonly subresource: string
}

/** What a FieldManager needs to know about the kinds it manages. Only `types` is required. */
export interface FieldManagerOptions {
  /** Where types are found by apiVersion and kind. */
  readonly types: TypeFinder
  /**
   * The only kind that is managed, as at one endpoint of an API server: applying another is an error, and updates are tracked at
   * this version. Without it, each request is at the version of the object that it brings.
   */
  readonly kind?: ObjectKind | undefined
  /** Needed if the live object or its managers use other versions. Without it, an object is the same in every version. */
  readonly converter?: ObjectConverter | undefined
  /** The version by way of which objects are converted. Without it, conversions are direct. */
  readonly hub?: Hub | undefined
  /**
   * Fields that requests can't write. May depend on the subresource ("" for the main resource) and the kind, as in an API server,
   * where `status` is reset by the main resource and `spec` by `status`. `kubernetesResetFields` has those of built-in kinds.
   */
  readonly resetFields?:
    | (ResetFields | ((subresource: string, kind: ObjectKind) => ResetFields | undefined))
    | undefined
  /**
   * Fills in defaults. Called with each object that an apply has made; returns it, or a copy with more fields. `live` is the object that was
   * applied to, which has its defaults; the two share what the apply left alone. Undefined if there was none at this version.
   */
  readonly defaults?: ((object: MapValue, live?: MapValue) => MapValue) | undefined
  /**
   * Changes an object before it is stored, after its owners have been worked out, as the strategies and the admission of an API
   * server do. Called with the object that a request has made, managedFields included, and the live one; returns what is stored.
   * `resetToLive` does what strategies do to fields that are reset.
   */
  readonly prepare?: ((object: MapValue, live: MapValue | undefined, request: PreparedRequest) => MapValue) | undefined
  /**
   * Whether a request that changes only times of managedFields leaves the object as it is. In an API server, storage does that,
   * after the FieldManager of an endpoint: so the default is false if `kind` is given, and true otherwise.
   */
  readonly keepTimes?: boolean | undefined
  /**
   * The policy for unions. `off` does what an API server does. If absent, `extended` settles unions that types bring along, as those of CRDs
   * may; built-in kinds (`kubernetesTypes`) have unions only if a policy is named.
   */
  readonly unions?: UnionPolicyName | UnionPolicy | undefined
  /**
   * False to leave the validation of unions to the caller, who then calls `validateUnions`: unions are settled all the same, but
   * invalid ones are not refused, whatever the policy says.
   */
  readonly validateUnions?: boolean | undefined
  /**
   * Promises that objects do not change once this manager was given or has returned them, so that what it found out about them can be kept
   * with them, for as long as they are in memory: an apply to an object that it knows takes about two thirds of the time. If an object does
   * change all the same, answers are wrong.
   */
  readonly immutable?: boolean | undefined
  /** Returns the time that is written to entries of managedFields; the current time of the machine if absent. */
  readonly clock?: (() => Date) | undefined
}

/** Who updates an object, and through which subresource. */
export interface UpdateOptions {
  /** The name of the manager. "" stands for "unknown" in an update, and is refused in an apply, as by an API server. */
  readonly manager: string
  /** The subresource, such as `status` or `scale`; "" or absent for the main resource. */
  readonly subresource?: string | undefined
}

/** Who applies to an object, through which subresource, and whether by force. */
export interface ApplyOptions extends UpdateOptions {
  /** Take fields that others own, instead of throwing an ApplyConflictError. */
  readonly force?: boolean | undefined
}

/** The result of a request. */
export interface FieldManagerResult<T extends object = MapValue> {
  /** The object to be stored, with managedFields. Shares every unchanged part with the objects given. */
  readonly object: T
  /** Whether the object differs from the live one, in a value, in the order of a list, or in managedFields. */
  readonly changed: boolean
  /**
   * The object that an apply merged and pruned, before `defaults` and `prepare` changed it, and without managedFields; `object` if the
   * request is no apply or changed nothing.
   */
  readonly merged: MapValue
  /** Managers that were dropped along with what they owned, because their version does not exist (any more). */
  readonly dropped: readonly ManagedFieldsEntry[]
  /** What was done to unions: discriminators written, members cleared. Owners are given by their identifiers. */
  readonly unions: readonly UnionChange[]
}

/** What `updateLeniently` returns. */
export interface LenientResult<T extends object = MapValue> extends FieldManagerResult<T> {
  /** Why the owners could not be worked out; absent if they were. */
  readonly error?: SmdError
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
      readonly error: SmdError
    }

/** The object given, as a map. It may be anything, such as what was read from a file: throws a BadRequestError for other values. */
export function objectOf(given: unknown): MapValue {
  if (isMap(given as Value)) return given as MapValue
  throw new BadRequestError(
    `expected an object, got ${given === null ? "null" : Array.isArray(given) ? "a list" : typeof given}`,
  )
}

/** The result of a request, made from the live object and the one to be stored. */
export class Result<T extends object> implements FieldManagerResult<T> {
  static {
    keepLayout(new Result(undefined, {}, {}, [], []))
  }

  readonly object: T
  readonly changed: boolean
  readonly merged: MapValue
  readonly dropped: readonly ManagedFieldsEntry[]
  readonly unions: readonly UnionChange[]
  constructor(
    live: object | undefined,
    object: MapValue,
    merged: MapValue,
    dropped: readonly ManagedFieldsEntry[],
    unions: readonly UnionChange[],
  ) {
    this.object = object as object as T
    this.changed = live === undefined || (live !== object && !equalValues(live as MapValue, object))
    this.merged = merged
    this.dropped = dropped
    this.unions = unions
  }
}
