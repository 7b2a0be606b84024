// Label selectors as text, for a Scale and for the columns of a table.

import { compareStrings } from "../../value/compare.js"
import { listAt, mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type Value } from "../../value/value.js"

/** Formats a selector as text. Custom resources have text already; a ReplicationController has a map of labels. */
export function labelSelectorText(selector: Value): string {
  if (typeof selector === "string") return selector
  if (!isMap(selector)) return ""
  const isLabelSelector = own(selector, "matchLabels") !== undefined || own(selector, "matchExpressions") !== undefined
  const labels = isLabelSelector ? mapAt(selector, "matchLabels") : selector
  const parts = Object.keys(labels).map(key => ({ key, text: `${key}=${own(labels, key)}` }))
  for (const expression of listAt(selector, "matchExpressions")) {
    if (!isMap(expression)) continue
    const [key, operator] = [textAt(expression, "key"), textAt(expression, "operator")]
    const values = listAt(expression, "values").map(String).sort(compareStrings).join(",")
    if (operator === "In") parts.push({ key, text: `${key} in (${values})` })
    else if (operator === "NotIn") parts.push({ key, text: `${key} notin (${values})` })
    else parts.push({ key, text: operator === "DoesNotExist" ? `!${key}` : key })
  }
  parts.sort((a, b) => compareStrings(a.key, b.key))
  return parts.map(({ text }) => text).join(",")
}
