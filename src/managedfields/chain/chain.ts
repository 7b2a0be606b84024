// The chain: what a request to a Kubernetes object passes through, one link after the other.
//
// A link does its own part and hands the request on to the link inside it, as middleware does. The innermost, structured-merge.ts,
// is where the engine merges; the ones around it check, prepare, and tidy up. field-manager.ts puts them together.
import type { UnionChange } from "../../union/report.js"
import type { MapValue } from "../../value/value.js"
import type { Managed } from "../entries/managed.js"

export interface UpdateCall {
  readonly live: MapValue
  /** The object to be stored, or the configuration to be applied. */
  readonly next: MapValue
  readonly managed: Managed
  /** The name of the manager at first; its identifier from manager-info.ts on. */
  readonly manager: string
  /** Set where nothing is written, only recorded: unions are then left as they are. */
  readonly unions?: "off"
  /** There is no object yet: `live` stands for nothing. */
  readonly creates?: boolean
  /** Versions that turn out not to exist are added here. */
  readonly missing: Set<string>
}

export interface ApplyCall extends UpdateCall {
  readonly force: boolean
}

export interface Outcome {
  /** The object to be stored; null where an apply leaves the live one as it is. */
  readonly object: MapValue | null
  readonly managed: Managed
  readonly unions: readonly UnionChange[]
}

export interface Link {
  apply(call: ApplyCall): Outcome
  update(call: UpdateCall): Outcome
}
