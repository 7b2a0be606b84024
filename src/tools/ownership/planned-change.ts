import type { Path } from "../../fieldpath/path.js"
import type { Value } from "../../value/value.js"
import type { PlannedUnion } from "./causes.js"
import type { Owner } from "./owners.js"
import type { Place } from "./place.js"

/**
 * The reason why a field changes or stays.
 *
 * - `configured`: the configuration sets or removes it.
 * - `no-longer-applied`: the applier applied it before and now omits it, and nobody else owns it.
 * - `owned-by-others`: the applier omits it now, but others own it, so it stays.
 * - `union`: another member of its union was added or removed.
 * - `list-key-changed`: an item is removed and another is added that seems to be the same item under another key.
 * - `atomic`: the configuration replaces the whole list or map, including the parts that others set.
 * - `duplicates`: the list had the item several times, and the apply leaves one. `from` is then a list of all copies.
 * - `order`: the list keeps its items but takes the order of the configuration.
 * - `reset-to-default`: the applier was the only owner and now omits it, so the server sets its default again, which is in `to`.
 * - `defaulted`: merge and pruning did not change it. It was changed by defaults, by the normal form in which a server stores it, or by
 *   `prepare`.
 * - `admission`: a policy, a webhook or another plugin of the cluster's admission changed it.
 * - `last-applied`: the annotation of client-side apply is kept up to date.
 * - `kept`: the applier omits it now and nobody owns it, but it stays as part of something that stays.
 */
export type Because =
  | "configured"
  | "no-longer-applied"
  | "owned-by-others"
  | "union"
  | "list-key-changed"
  | "atomic"
  | "duplicates"
  | "order"
  | "reset-to-default"
  | "defaulted"
  | "admission"
  | "last-applied"
  | "kept"

/** A field or an item that an apply adds, changes or removes, or that stays although its applier now omits it. */
export interface PlannedChange extends Place {
  /** The action. `stay` is for fields that the applier owned and now omits. */
  readonly action: "add" | "change" | "remove" | "stay"
  /** The value before; absent if the object lacked the field. Shared with the live object. */
  readonly from?: Value
  /** The value after; absent if the object will lack it. Shared with the resulting object. */
  readonly to?: Value
  /** The reason. */
  readonly because: Because
  /** Other owners of the field or of something in it: those before the apply, or, if the action is `stay`, those after it. */
  readonly owners: readonly Owner[]
  /** Set if somebody else would lose the field: by a conflict, or by force. */
  readonly contested?: true
  /** For an item whose key changes: the path of the item under its other key. */
  readonly counterpart?: string
  /** The union that caused the change, if one did. */
  readonly union?: PlannedUnion
}

/** A row under construction. */
export interface Row {
  readonly path: Path
  readonly action: PlannedChange["action"]
  because: Because
  union?: PlannedUnion
  counterpart?: Path
}
