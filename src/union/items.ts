import { ItemTable } from "../typed/list-items.js"
import type { ListShape } from "../typed/type.js"
import type { ListValue, Value } from "../value/value.js"

/** The items of a list by path element. If several items share one, the first is found. */
export class Items {
  private readonly shape: ListShape
  private readonly list: ListValue | null
  /** The table of the distinct items, made on first use. `items` has these items by their numbers in the table. */
  private table: ItemTable | null = null
  private readonly items: Value[] = []

  constructor(shape: ListShape, list: ListValue | null) {
    this.shape = shape
    this.list = list
  }

  /** Returns the item with the same path element as `item`. */
  find(item: Value): Value | undefined {
    if (this.table === null) {
      this.table = new ItemTable(this.shape)
      for (const known of this.list ?? []) if (this.table.add(known) === this.items.length) this.items.push(known)
    }
    return this.items[this.table.find(item)]
  }

  /**
   * Like `find`, for the item at `index` of a list that shares most items with this one: a shared item is found without a search. No two
   * items may have the same path element.
   */
  findAt(index: number, item: Value): Value | undefined {
    return this.list === null || this.list[index] === item ? this.list?.[index] : this.find(item)
  }
}
