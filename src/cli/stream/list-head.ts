// The part of a List before its items.
import { textAt } from "../../value/fields.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"

/** The apiVersion and kind that a List has before its items. A part that is not there is "". */
export interface ListHead {
  readonly apiVersion: string
  readonly kind: string
}

/**
 * Returns the apiVersion and kind that an object has before its `items`; undefined if it is not a List. An object without a kind before
 * its items counts as a List, because kubectl prints `kind: List` after them.
 */
export function listHead(object: MapValue): ListHead | undefined {
  let head = { apiVersion: "", kind: "" }
  for (const key in object) {
    if (key === "items") break
    if (key === "apiVersion" || key === "kind") head = { ...head, [key]: textAt(object, key) }
  }
  return head.kind === "" || head.kind.endsWith("List") ? head : undefined
}

/** Returns the head of the List that begins with this text, up to its items; undefined for any other object. */
export function headOfText(text: string): ListHead | undefined {
  try {
    const value = JSON.parse(`${text.replace(/,\s*$/, "")}}`) as Value
    return isMap(value) ? listHead(value) : undefined
  } catch {
    return undefined
  }
}
