// Lists of objects, as `kubectl get -o json` prints them and API servers send them: a v1 List, a PodList and the like.

import { anObject, requireArgument } from "../value/argument.js"
import { textAt } from "../value/fields.js"
import { own } from "../value/object.js"
import { isList, type MapValue, type Value } from "../value/value.js"
import { metadataOf } from "./metadata.js"

/**
 * Returns the items of a list of objects, and of lists in it, or else the object itself. Throws a TypeError for an item that is not an
 * object.
 */
export function itemsOf(object: MapValue): MapValue[] {
  const items = listedIn(object)
  if (items === undefined) return [object]
  return items.flatMap((item, i) => {
    requireArgument(`items[${i}] of the ${textAt(object, "kind")}`, item, anObject)
    return itemsOf(typed(item as MapValue, object))
  })
}

/**
 * Returns the items of a list of objects; undefined for an object, which may be of a kind such as AllowList. The metadata of an object has a
 * name or owners, that of a list has neither. Servers written in Go print an empty list as null.
 */
export function listedIn(object: MapValue): readonly Value[] | undefined {
  const isObject = ["name", "generateName", "managedFields"].some(key => own(metadataOf(object), key))
  const items = own(object, "items")
  if (isObject || !textAt(object, "kind").endsWith("List") || own(object, "spec") !== undefined) return undefined
  return items === null ? [] : isList(items) ? items : undefined
}

/** Returns the item with apiVersion and kind, which API servers leave out of the items of a PodList and the like. */
function typed(item: MapValue, list: MapValue): MapValue {
  const kind = textAt(list, "kind").slice(0, -"List".length)
  if (kind === "" || own(item, "apiVersion") !== undefined || own(item, "kind") !== undefined) return item
  return { apiVersion: textAt(list, "apiVersion"), kind, ...item }
}
