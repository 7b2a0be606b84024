import type { Filter } from "../fieldpath/matcher.js"
import type { FieldSet } from "../fieldpath/set.js"

/** The difference between two values. No path is in two of the sets. */
export class Comparison {
  /** Fields that both values have, with different values. */
  readonly modified: FieldSet
  /** Fields that only the second value has. */
  readonly added: FieldSet
  /** Fields that only the first value has. */
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

  /** Returns the part of the comparison that `filter` keeps. */
  filter(filter: Filter): Comparison {
    return this.isSame()
      ? this
      : new Comparison(filter.filter(this.modified), filter.filter(this.added), filter.filter(this.removed))
  }

  /** Returns a heading and the paths of each set that is not empty; "" if the values are the same. */
  toString(): string {
    return section("Modified", this.modified) + section("Added", this.added) + section("Removed", this.removed)
  }
}

function section(title: string, set: FieldSet): string {
  return set.isEmpty() ? "" : `- ${title} Fields:\n${set}\n`
}
