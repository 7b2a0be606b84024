import type { Path } from "../fieldpath/path.js"
import type { Value } from "../value/value.js"
import type { PlannedUnion } from "./causes.js"
import type { Owner } from "./owners.js"
import type { Place } from "./place.js"

/**
 * Why a field changes, or stays.
 *
 * - `configured`: the configuration says so;
 * - `no-longer-applied`: the applier had applied it, has left it out now, and nobody else owns it;
 * - `owned-by-others`: the applier has left it out, but others own it, so it stays;
 * - `union`: another member of its union came or went;
 * - `list-key-changed`: an item goes and another comes that seems to be the same under another key;
 * - `atomic`: the configuration says so, and takes the place of the whole list or map, with what others put into it;
 * - `duplicates`: the list had the item several times, which an apply ends; `from` is a list of all of them then;
 * - `order`: the items of the list are the same, in the order of the configuration now;
 * - `reset-to-default`: the applier was the only owner, has left it out now, and the server gives it its default again: `to` has it;
 * - `defaulted`: merge and pruning did not change it, but defaults, the normal form in which a server stores it, or `prepare`;
 * - `last-applied`: the annotation of client-side apply is kept up to date;
 * - `kept`: the applier has left it out and nobody owns it, but it stays, as part of something that stays.
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
  | "last-applied"
  | "kept"

/** A field or an item that an apply adds, changes or removes, or that stays although its applier has left it out. */
export interface PlannedChange extends Place {
  /** What happens to it. `stay` is told of what the applier has owned and leaves out now. */
  readonly action: "add" | "change" | "remove" | "stay"
  /** What it was; absent where it was not there. Shared with the live object. */
  readonly from?: Value
  /** What it will be; absent where it will not be there. Shared with the resulting object. */
  readonly to?: Value
  /** Why. */
  readonly because: Because
  /** Who else owns it, or something in it: before the apply, but of what stays, afterwards. */
  readonly owners: readonly Owner[]
  /** Somebody else would lose it, which is a conflict, or done by force. */
  readonly contested?: true
  /** Where the key of an item changes: the path of the item under its other key. */
  readonly counterpart?: string
  /** What a union has to do with it. */
  readonly union?: PlannedUnion
}

/** A row that is being made. */
export interface Row {
  readonly path: Path
  readonly action: PlannedChange["action"]
  because: Because
  union?: PlannedUnion
  counterpart?: Path
}
