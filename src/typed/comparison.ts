import type { Filter } from "../fieldpath/matcher.js"
import type { FieldSet } from "../fieldpath/set.js"

/** How a second value differs from a first one. No path is in two of the sets. */
export class Comparison {
  /** What both values have, but differently. */
  readonly modified: FieldSet
  /** What only the second value has. */
  readonly added: FieldSet
  /** What only the first value has. */
  readonly removed: FieldSet

  constructor(modified: FieldSet, added: FieldSet, removed: FieldSet) {
    this.modified = modified
    this.added = added
    this.removed = removed
  }

  /** Whether nothing was modified, added or removed. Takes constant time. */
  isSame(): boolean {
    return this.modified.isEmpty() && this.added.isEmpty() && this.removed.isEmpty()
  }

  /** The part of the comparison that `filter` keeps. */
  filter(filter: Filter): Comparison {
    return this.isSame()
      ? this
      : new Comparison(filter.filter(this.modified), filter.filter(this.added), filter.filter(this.removed))
  }

  /** A heading and the paths of each set that is not empty; "" if the values are the same. */
  toString(): string {
    return section("Modified", this.modified) + section("Added", this.added) + section("Removed", this.removed)
  }
}

function section(title: string, set: FieldSet): string {
  return set.isEmpty() ? "" : `- ${title} Fields:\n${set}\n`
}
