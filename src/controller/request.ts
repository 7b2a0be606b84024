// What an Applier is told, what it hands to a client, and what it returns.
import type { ResetFields } from "../managedfields/request.js"
import type { TypeFinder } from "../managedfields/types/object-types.js"
import type { Resolution, ResolveRequest } from "../ownership/resolve.js"
import type { ObjectKind } from "../schema/group-version-kind.js"
import type { UnionPolicy, UnionPolicyName } from "../union/policy.js"
import type { MapValue } from "../value/value.js"

/** An apply for a client to send. */
export interface SendRequest extends ObjectKind {
  /** The namespace of the configuration, or else of the live object; absent if neither has one. */
  readonly namespace?: string | undefined
  /** The name of the object. */
  readonly name: string
  /** "" for the main resource. */
  readonly subresource: string
  /** The name of the manager that applies: `fieldManager` of the request. */
  readonly manager: string
  /** Whether to take fields that others own. */
  readonly force: boolean
  /** The configuration, as plain JSON: the body of the request. */
  readonly config: MapValue
}

/**
 * Sends an apply, and returns the object that the server answers with; throws where the server refuses. `sendByFetch` and
 * `sendByClient` make such functions, and any other client will do. Of the answer, only the namespace, uid and resourceVersion are read.
 */
export type Send = (request: SendRequest) => Promise<object>

/** What an Applier needs to know. */
export interface ApplierOptions {
  /** The name of the manager that applies. */
  readonly manager: string
  /**
   * Where types are found by apiVersion and kind: those of the server, since what its types say differently is not seen here. An
   * apply of a kind that has none is always sent.
   */
  readonly types: TypeFinder
  /** Sends an apply. */
  readonly send: Send
  /**
   * Fields that requests can't write, as a FieldManager takes them; `customResourceResetFields` has those of a definition. Those of
   * built-in kinds are known. Without it, an apply to a subresource of another kind, or with a `status`, is decided by the server
   * alone.
   */
  readonly resetFields?: ((subresource: string, kind: ObjectKind) => ResetFields | undefined) | undefined
  /** The policy by which the server settles unions. If absent, `off`, as in a cluster, and `warn` is called if a type has unions. */
  readonly unions?: UnionPolicyName | UnionPolicy | undefined
  /**
   * How long it is remembered, in milliseconds, that a server has left an object as it was when a configuration was applied; ten
   * minutes if absent.
   */
  readonly rememberFor?: number | undefined
  /**
   * How long an object may go without an apply, in milliseconds, although each was found to change nothing; an hour if absent. Then
   * one is sent all the same, for what a server does to an object whenever it is written: webhooks that came later, new defaults. 0
   * trusts nothing but the answers of the server, Infinity never asks.
   */
  readonly recheckAfter?: number | undefined
  /** Of how many objects something is remembered; 10,000 if absent. The one that was not applied for longest is forgotten first. */
  readonly maxObjects?: number | undefined
  /** The current time; that of the machine if absent. */
  readonly clock?: (() => Date) | undefined
  /**
   * Called with a message at the first live object without managedFields. If `unions` is absent, also called at the first configuration
   * whose type has unions and which is compared with a live object.
   */
  readonly warn?: ((message: string) => void) | undefined
}

/** How one apply is to be made. */
export interface ApplierApplyOptions {
  /** Take fields that others own. */
  readonly force?: boolean | undefined
  /**
   * What to do about conflicts that can be foreseen: see `resolve` of the ownership entry. Without it, or with force, the
   * configuration is sent as it is, and the server decides.
   */
  readonly onConflict?: ResolveRequest["onConflict"] | undefined
  /** The subresource to apply to, such as `status`; absent for the main resource. */
  readonly subresource?: string | undefined
}

/**
 * Why an apply was sent, or was not.
 *
 * Not sent:
 * - `unchanged`: it would change nothing, neither the object nor who owns what;
 * - `remembered`: the server was sent the same for the object as it is, and left it so.
 *
 * Sent:
 * - `create`: there is no live object;
 * - `change`: it would change something;
 * - `conflict`: it is expected to be refused, which is for the server to say;
 * - `no-managed-fields`: the live object came without managedFields, so nobody can tell;
 * - `no-type`: there is no type for the kind;
 * - `other-version`: the live object or an owner of it is at another version than the configuration, and only a server converts;
 * - `reset-fields`: it is not known which fields the request can't write;
 * - `undecided`: the apply can't be made here; `detail` has the error;
 * - `stale-object`: the live object is older than the last answer, or it is not known how the last apply went;
 * - `recheck`: nothing would change, but no apply was sent for `recheckAfter`.
 */
export type Reason = SkipReason | SendReason

/** Why an apply was not sent. */
export type SkipReason = "unchanged" | "remembered"

/** Why an apply was sent. */
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

/** What became of an apply. */
export interface Applied<T extends object = MapValue> {
  /** Whether a request was sent. */
  readonly sent: boolean
  /** Why. */
  readonly reason: Reason
  /** What the server answered; the live object itself if nothing was sent. */
  readonly object: T
  /** More about the reason, for people; absent where there is no more to say. */
  readonly detail?: string
  /** What was done about conflicts; absent where there were none, or nothing was to be done. */
  readonly resolution?: Resolution
}
