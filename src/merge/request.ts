// The requests and results of an Updater.
import type { Managers } from "../fieldpath/managers.js"
import type { Comparison } from "../typed/comparison.js"
import type { TypedValue } from "../typed/typed-value.js"
import type { UnionPolicy, UnionPolicyName } from "../union/policy.js"
import type { UnionChange } from "../union/report.js"

/** The manager that updates an object, and the owners before the update. */
export interface UpdateRequest {
  /** The name of the manager: any text. It is the key in `managers`. */
  readonly manager: string
  /** The version of the given objects. */
  readonly apiVersion: string
  /** The owners of the live object's fields. Not changed. */
  readonly managers: Managers
  /** The union policy of this call, in place of the Updater's. */
  readonly unions?: UnionPolicyName | UnionPolicy | undefined
}

/** The manager that applies to an object, the owners before the apply, and whether to force it. */
export interface ApplyRequest extends UpdateRequest {
  /** Take fields of other managers instead of throwing a ConflictError. */
  readonly force?: boolean | undefined
}

/** The result of an apply or update. */
export interface UpdateResult {
  /** The new object. Shares every unchanged part with the given objects; it is the live object if an apply changes nothing. */
  readonly object: TypedValue
  /** The owners afterwards: a new map, which shares the sets that did not change. */
  readonly managers: Managers
  /** Whether the object differs from the live one, in a value or in the order of a list. */
  readonly changed: boolean
  /**
   * The fields that an update changes and that may be owned.
   * @internal
   */
  readonly comparison?: Comparison
  /**
   * The engine's changes to unions: the discriminators it wrote, and the members it cleared with their owners. Empty for an apply that
   * changes neither the object nor the owners.
   */
  readonly unions: readonly UnionChange[]
}
