// The chain: the links through which a request to a Kubernetes object passes, one after the other.
//
// Each link does its own part and hands the request on to the link inside it, as middleware does. The innermost one, structured-merge.ts,
// lets the engine merge; those around it check, prepare and tidy up. field-manager.ts puts them together.
import type { TypedValue } from "../../typed/typed-value.js"
import type { UnionChange } from "../../union/report.js"
import type { MapValue } from "../../value/value.js"
import type { Managed } from "../entries/managed.js"
import type { LiveFacts } from "./object-facts.js"

export interface UpdateCall {
  readonly live: MapValue
  /** The object to be stored, or the configuration to be applied. */
  readonly next: MapValue
  readonly managed: Managed
  /** The name of the manager; for the links inside manager-info.ts, its identifier. */
  readonly manager: string
  /** Set if nothing is written and only ownership is recorded. Unions are then left unchanged. */
  readonly unions?: "off"
  /** Whether the object is being created: `live` is then the empty object of its kind. */
  readonly creates?: boolean
  /** Whether an update tracks the owners of an object that has none. */
  readonly startsTracking?: boolean
  /** Facts about the live object; absent if objects may change. */
  readonly known?: LiveFacts | undefined
}

export interface ApplyCall extends UpdateCall {
  readonly force: boolean
}

export interface ChainResult {
  /** The object to be stored; null if an apply leaves the live one unchanged. */
  readonly object: MapValue | null
  /** The object that an apply merged and pruned, before defaults; absent if the apply leaves the live one unchanged. */
  readonly merged?: MapValue | undefined
  /** The object as the engine returned it. Its value is `object` unless a later step changed that. */
  readonly typed?: TypedValue | undefined
  /** Set if `typed` is known to differ from the live object in more than managedFields. */
  readonly differs?: boolean
  readonly managed: Managed
  /** The versions of entries that turned out not to exist; absent if the engine was not asked. */
  readonly missing?: ReadonlySet<string>
  readonly unions: readonly UnionChange[]
}

export interface Link {
  apply(call: ApplyCall): ChainResult
  update(call: UpdateCall): ChainResult
}
