// Lists of objects, as `kubectl get -o json` prints them and API servers send them: a v1 List, a PodList and the like.

import { textAt } from "../value/fields.js"
import { own } from "../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../value/value.js"
import { metaText } from "./metadata.js"

/** Returns the items of a list of objects, and of lists in it, or else the object itself. Does not check that items are objects. */
export function itemsOf(object: MapValue): MapValue[] {
  const items = listedIn(object) as readonly MapValue[] | undefined
  return items?.flatMap(item => (isMap(item) ? itemsOf(typed(item, object)) : [item])) ?? [object]
}

/** Returns the items of a list of objects; undefined for an object with a name, whatever its kind. */
export function listedIn(object: MapValue): readonly Value[] | undefined {
  const items =
    textAt(object, "kind").endsWith("List") && metaText(object, "name") === "" ? own(object, "items") : undefined
  return isList(items) ? items : undefined
}

/** Returns the item with apiVersion and kind, which API servers leave out of the items of a PodList and the like. */
function typed(item: MapValue, list: MapValue): MapValue {
  const kind = textAt(list, "kind").slice(0, -"List".length)
  if (kind === "" || own(item, "apiVersion") !== undefined || own(item, "kind") !== undefined) return item
  return { apiVersion: textAt(list, "apiVersion"), kind, ...item }
}
