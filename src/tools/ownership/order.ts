import { fieldElement } from "../../fieldpath/create-element.js"
import type { PathElement } from "../../fieldpath/element.js"
import type { Path } from "../../fieldpath/path.js"
import { elementOfItem, ItemTable } from "../../typed/list-items.js"
import type { ListShape, Type } from "../../typed/type.js"
import { own } from "../../value/object.js"
import { isList, isMap, type ListValue, type Value } from "../../value/value.js"

/** Returns the lists whose common items have another order in the two values. */
export function reorderedLists(type: Type, before: Value, after: Value): Path[] {
  const paths: Path[] = []
  collect(type, before, after, [], paths)
  return paths
}

function collect(type: Type, before: Value, after: Value, path: Path, paths: Path[]): void {
  const shape = before === after ? null : type.shapeOf(after)
  if (shape?.kind === "map" && !shape.atomic && isMap(before) && isMap(after)) {
    for (const key in after) {
      const [there, here] = [own(before, key), own(after, key) as Value]
      const field = shape.fields.get(key)
      if (there === undefined) continue
      collect(field?.type ?? shape.rest, there, here, [...path, field?.element ?? fieldElement(key)], paths)
    }
  } else if (shape?.kind === "list" && shape.associative && isList(before) && isList(after)) {
    const places = commonItems(shape, before, after)
    if (places.some(({ there }, i) => i > 0 && there < (places[i - 1]?.there ?? 0))) paths.push(path)
    for (const { element, there, here } of places) {
      collect(shape.item, before[there] as Value, after[here] as Value, [...path, element], paths)
    }
  }
}

interface CommonItem {
  readonly element: PathElement
  /** The index of the item before and after. */
  readonly there: number
  readonly here: number
}

/** Returns the items of both lists, in their order afterwards. If `before` has an item several times, its first position counts. */
function commonItems(shape: ListShape, before: ListValue, after: ListValue): CommonItem[] {
  const table = new ItemTable(shape)
  const places: number[] = []
  before.forEach((item, there) => {
    if (table.add(item) === places.length) places.push(there)
  })
  return after.flatMap((item, here) => {
    const number = table.find(item)
    const element = number < 0 ? null : elementOfItem(shape, item)
    return element === null ? [] : [{ element, there: places[number] as number, here }]
  })
}
