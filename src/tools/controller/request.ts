// The options of an Applier, its requests to a client, and its results.
import type { ResetFields } from "../../managedfields/request.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import type { ObjectKind } from "../../schema/group-version-kind.js"
import type { UnionPolicy, UnionPolicyName } from "../../union/policy.js"
import type { MapValue } from "../../value/value.js"
import type { ExplainedConflict } from "../ownership/explain.js"
import type { OnConflict, Resolution } from "../ownership/resolve.js"

/** An apply for a client to send. */
export interface SendRequest extends ObjectKind {
  /** The namespace of the configuration or, failing that, of the live object; absent if neither has one. */
  readonly namespace?: string | undefined
  /** The name of the object. */
  readonly name: string
  /** "" for the main resource. */
  readonly subresource: string
  /** The name of the manager that applies: `fieldManager` of the request. */
  readonly manager: string
  /** Whether to take fields from other owners. */
  readonly force: boolean
  /** The configuration, as plain JSON: the body of the request. */
  readonly config: MapValue
}

/**
 * Sends an apply and returns the object in the server's response; throws if the server refuses. `sendByFetch` and `sendByClient` make such
 * functions, and any other client works too. Only namespace, uid and resourceVersion of the response are read.
 */
export type Send = (request: SendRequest) => Promise<object>

/** The options of an Applier. */
export interface ApplierOptions {
  /** The name of the manager that applies. */
  readonly manager: string
  /**
   * Finds types by apiVersion and kind. They have to be the server's types, because the Applier can't see differences between the two. An
   * apply of a kind without a type is always sent.
   */
  readonly types: TypeFinder
  /** Sends an apply. */
  readonly send: Send
  /**
   * Fields that requests can't write, as in the options of a FieldManager; `customResourceResetFields` returns those of a definition. Those
   * of built-in kinds are known. Without it, an apply of another kind is always sent if it is to a subresource or has a `status`.
   */
  readonly resetFields?: ((subresource: string, kind: ObjectKind) => ResetFields | undefined) | undefined
  /** The policy by which the server settles unions. If absent, it is `off`, as in a cluster, and `warn` is called if a type has unions. */
  readonly unions?: UnionPolicyName | UnionPolicy | undefined
  /** The time in milliseconds for which the Applier remembers that a configuration left an object unchanged; ten minutes if absent. */
  readonly rememberFor?: number | undefined
  /**
   * The time in milliseconds that an object may go without an apply while every apply is found to change nothing; one hour if absent. After
   * that an apply is sent anyway, because a server may change an object on any write: by new webhooks or new defaults. With 0 only the
   * server's responses are trusted; with Infinity no apply is sent for this reason.
   */
  readonly recheckAfter?: number | undefined
  /** The number of objects that are remembered; 10,000 if absent. The least recently applied object is forgotten first. */
  readonly maxObjects?: number | undefined
  /** Returns the current time; the machine's clock if absent. */
  readonly clock?: (() => Date) | undefined
  /**
   * Called with a message at the first live object without managedFields. If `unions` is absent, it is also called at the first comparison
   * of a live object with a configuration whose type has unions.
   */
  readonly warn?: ((message: string) => void) | undefined
}

/** The action on a predicted conflict: one of `resolve`, or to report the conflict and send nothing. */
export type ApplierOnConflict = OnConflict | "report"

/** The options of one apply. */
export interface ApplierApplyOptions {
  /** Whether to take fields from other owners. */
  readonly force?: boolean | undefined
  /**
   * The action on predicted conflicts. With `report`, also from a function for one of the conflicts, nothing is sent, and `resolution.failed`
   * has the conflicts. The other actions are those of `resolve` of the ownership entry point. Without it, with `fail`, or with force, the
   * configuration is sent as it is, and the server decides.
   */
  readonly onConflict?: ApplierOnConflict | ((conflict: ExplainedConflict) => ApplierOnConflict) | undefined
  /** The subresource to apply to, such as `status`; absent for the main resource. */
  readonly subresource?: string | undefined
}

/**
 * The reason why an apply was sent or not.
 *
 * Not sent:
 * - `unchanged`: it would change neither the object nor its owners.
 * - `remembered`: the server received the same apply for this state of the object and left it unchanged.
 * - `conflict`: it would probably be refused, and `onConflict` asks for a report.
 *
 * Sent:
 * - `create`: there is no live object.
 * - `change`: it would change something.
 * - `conflict`: it will probably be refused, but the server decides, unless `onConflict` asks for a report.
 * - `no-managed-fields`: the live object came without managedFields, so the effect is unknown.
 * - `no-type`: the kind has no type.
 * - `other-version`: the live object or one of its owners has another version than the configuration, and only a server can convert.
 * - `reset-fields`: it is unknown which fields the request can't write.
 * - `undecided`: the apply can't be tried here; `detail` has the error.
 * - `stale-object`: the live object is older than the last response, or the result of the last apply is unknown.
 * - `recheck`: nothing would change, but no apply was sent for `recheckAfter`.
 */
export type Reason = SkipReason | SendReason

/** The reason why an apply was not sent. */
export type SkipReason = "unchanged" | "remembered" | "conflict"

/** The reason why an apply was sent. */
export type SendReason =
  | "create"
  | "change"
  | "conflict"
  | "no-managed-fields"
  | "no-type"
  | "other-version"
  | "reset-fields"
  | "undecided"
  | "stale-object"
  | "recheck"

/** The result of an apply. */
export interface Applied<T extends object = MapValue> {
  /** Whether a request was sent. */
  readonly sent: boolean
  /** The reason for sending it or not. */
  readonly reason: Reason
  /** The object in the server's response; the live object itself if nothing was sent. */
  readonly object: T
  /** More about the reason, for people; absent if there is nothing to add. */
  readonly detail?: string
  /** The actions on conflicts; absent if there were no conflicts or `onConflict` was not set. */
  readonly resolution?: Resolution
}
