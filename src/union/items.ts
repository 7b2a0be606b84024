import { ItemTable } from "../typed/list-items.js"
import type { ListShape } from "../typed/type.js"
import type { ListValue, Value } from "../value/value.js"

/** The items of a list by path element; of items that share one, the first. */
export class Items {
  private readonly table: ItemTable
  private readonly items: Value[] = []

  constructor(shape: ListShape, list: ListValue) {
    this.table = new ItemTable(shape)
    for (const item of list) if (this.table.add(item) === this.items.length) this.items.push(item)
  }

  /** The item with the same element as this one. */
  find(item: Value): Value | undefined {
    return this.items[this.table.find(item)]
  }
}
