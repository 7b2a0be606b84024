import type { PathElement } from "../fieldpath/element.js"
import { ElementTable, elementOfItem } from "../typed/list-items.js"
import type { ListShape } from "../typed/type.js"
import type { ListValue, Value } from "../value/value.js"

/** The items of a list by path element; of items that share one, the first. */
export class Items {
  private readonly table = new ElementTable()
  private readonly items: Value[] = []

  constructor(shape: ListShape, list: ListValue) {
    for (const item of list) {
      const element = elementOfItem(shape, item)
      if (element !== null && this.table.add(element) === this.items.length) this.items.push(item)
    }
  }

  find(element: PathElement): Value | undefined {
    return this.items[this.table.find(element)]
  }
}
