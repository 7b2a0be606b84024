// The options of a FieldManager and of its requests, and the results.

import type { Filter } from "../fieldpath/matcher.js"
import type { FieldSet } from "../fieldpath/set.js"
import { aParity, type Parity } from "../json/json.js"
import type { SmdError } from "../merge/conflict.js"
import type { ObjectKind } from "../schema/group-version-kind.js"
import type { UnionPolicy, UnionPolicyName } from "../union/policy.js"
import type { UnionChange } from "../union/report.js"
import { aFunction, aMap, anObject, aString, aTypeFinder, type Expected, either, optional } from "../value/argument.js"
import { equalValues } from "../value/equal.js"
import { isMap, type MapValue, type Value } from "../value/value.js"
import { BadRequestError } from "./chain/status.js"
import type { ManagedFieldsEntry } from "./entries/entry.js"
import type { TypeFinder } from "./types/object-types.js"
import type { Hub, ObjectConverter } from "./types/version-converter.js"

/** By version: fields that nobody owns, along with everything below them, or a filter that keeps the fields that may be owned. */
export type ResetFields = ReadonlyMap<string, FieldSet | Filter>

/** The expected kinds of FieldManagerOptions, for `requireOptions`. */
export const managerOptions: Readonly<Record<"types" | "kind" | "resetFields" | "unions" | "parity", Expected>> = {
  types: aTypeFinder,
  kind: optional(anObject),
  resetFields: optional(either(aMap, aFunction)),
  unions: optional(either(aString, anObject)),
  parity: aParity,
}

/** The kind and subresource that a request is for. */
export interface PreparedRequest extends ObjectKind {
  /** "" for the main resource. */
  readonly subresource: string
}

/** The kinds that a FieldManager manages, and how. Only `types` is required. */
export interface FieldManagerOptions {
  /** Finds types by apiVersion and kind. */
  readonly types: TypeFinder
  /**
   * The only kind that is managed, as at one endpoint of an API server: applying another is an error, and updates are tracked at this
   * version. Without it, each request is at the version of its own object.
   */
  readonly kind?: ObjectKind | undefined
  /** Needed if the live object or its managers use other versions. Without it, an object is the same in every version. */
  readonly converter?: ObjectConverter | undefined
  /** The version through which objects are converted. Without it, conversions are direct. */
  readonly hub?: Hub | undefined
  /**
   * Fields that requests can't write. May depend on the subresource ("" for the main resource) and the kind, as in an API server, where the
   * main resource resets `status` and the subresource `status` resets `spec`. `kubernetesResetFields` has those of built-in kinds.
   */
  readonly resetFields?:
    | (ResetFields | ((subresource: string, kind: ObjectKind) => ResetFields | undefined))
    | undefined
  /**
   * Fills in defaults. Called with the result of each apply; returns it, or a copy with more fields. `live` is the object before the apply,
   * which already has its defaults; the two share all parts that the apply left unchanged. `live` is undefined if there was no object at
   * this version.
   */
  readonly defaults?: ((object: MapValue, live?: MapValue) => MapValue) | undefined
  /**
   * Changes an object before it is stored, after its owners have been determined, as the strategies and the admission of an API server do.
   * Called with the result of a request, managedFields included, and the live object; returns the object to store. `resetToLive` resets
   * fields as strategies do.
   */
  readonly prepare?: ((object: MapValue, live: MapValue | undefined, request: PreparedRequest) => MapValue) | undefined
  /**
   * Whether a request that changes only times of managedFields leaves the object unchanged. In an API server this happens in the storage,
   * after the FieldManager of an endpoint. The default is therefore false if `kind` is given, and true otherwise.
   */
  readonly keepTimes?: boolean | undefined
  /**
   * The policy for unions. `off` does what an API server does. If absent, `extended` settles the unions that are part of a type, as they
   * may be for CRDs; built-in kinds (`kubernetesTypes`) have unions only if a policy is named.
   */
  readonly unions?: UnionPolicyName | UnionPolicy | undefined
  /**
   * False to leave the validation of unions to the caller, who then calls `validateUnions`. Unions are still settled, but invalid ones are
   * accepted, whatever the policy says.
   */
  readonly validateUnions?: boolean | undefined
  /**
   * The major release of the Go module whose bytes keys of fieldsV1 get: `v6`, the default, or `v7`, which Kubernetes uses from 1.38 on.
   * Entries in the bytes of either are read.
   */
  readonly parity?: Parity | undefined
  /**
   * Promises that objects do not change once this manager has received or returned them. Facts about them are then kept with them for as
   * long as they are in memory: an apply to a known object takes about two thirds of the time. If an object does change, answers are wrong.
   */
  readonly immutable?: boolean | undefined
  /** Returns the time that is written to entries of managedFields; the current time of the machine if absent. */
  readonly clock?: (() => Date) | undefined
}

/** The manager that updates an object, and the subresource. */
export interface UpdateOptions {
  /** The name of the manager. "" stands for "unknown" in an update, and is refused in an apply, as by an API server. */
  readonly manager: string
  /** The subresource, such as `status` or `scale`; "" or absent for the main resource. */
  readonly subresource?: string | undefined
}

/** The manager that applies to an object, the subresource, and whether to force the apply. */
export interface ApplyOptions extends UpdateOptions {
  /** Take fields of other managers instead of throwing an ApplyConflictError. */
  readonly force?: boolean | undefined
}

/** The result of a request. */
export interface FieldManagerResult<T extends object = MapValue> {
  /** The object to be stored, with managedFields. Shares every unchanged part with the given objects. */
  readonly object: T
  /** Whether the object differs from the live one: in a value, in the order of a list, or in managedFields. */
  readonly changed: boolean
  /**
   * The object that an apply merged and pruned, before `defaults` and `prepare` changed it, and without managedFields. If the request is
   * not an apply or changed nothing, it is `object`.
   */
  readonly merged: MapValue
  /** Managers that were dropped along with their fields, because their version does not exist (any more). */
  readonly dropped: readonly ManagedFieldsEntry[]
  /** The changes to unions: discriminators written, members cleared. Owners are given by their identifiers. */
  readonly unions: readonly UnionChange[]
}

/** The result of `updateLeniently`. */
export interface LenientResult<T extends object = MapValue> extends FieldManagerResult<T> {
  /** The reason why the owners could not be determined; absent if they were. */
  readonly error?: SmdError
}

/** The result of `tryApply`: the result of the apply, or the error that `apply` would throw. */
export type ApplyAttempt<T extends object = MapValue> =
  | ({
      /** The apply succeeded. */
      readonly ok: true
    } & FieldManagerResult<T>)
  | {
      /** The apply was refused; nothing is stored. */
      readonly ok: false
      /** The error that `apply` would throw. An ApplyConflictError has no stack. */
      readonly error: SmdError
    }

/**
 * Returns the given object as a map. Throws a BadRequestError for anything else, since the value may come from anywhere, such as a file.
 */
export function objectOf(given: unknown): MapValue {
  if (isMap(given as Value)) return given as MapValue
  const found = given === null ? "null" : Array.isArray(given) ? "a list" : typeof given
  throw new BadRequestError(`expected an object, got ${found === "string" ? "a text; parse it first" : found}`)
}

/** The result of a request, made from the live object and the one to be stored. They are compared unless `differs` is true. */
export class Result<T extends object> implements FieldManagerResult<T> {
  readonly object: T
  readonly changed: boolean
  readonly merged: MapValue
  readonly dropped: readonly ManagedFieldsEntry[]
  readonly unions: readonly UnionChange[]
  constructor(
    live: object | undefined,
    object: MapValue,
    differs: boolean,
    merged: MapValue,
    dropped: readonly ManagedFieldsEntry[],
    unions: readonly UnionChange[],
  ) {
    this.object = object as object as T
    this.changed = live === undefined || differs || (live !== object && !equalValues(live as MapValue, object))
    this.merged = merged
    this.dropped = dropped
    this.unions = unions
  }
}
