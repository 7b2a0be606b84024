// Values of extensions inside messages, as Go prints what its readers of OpenAPI made of them.
import { compareStrings } from "../value/compare.js"
import { formatNumber } from "../value/number.js"
import { own } from "../value/object.js"
import { quoteGo } from "../value/quote.js"
import { isMap, type Value } from "../value/value.js"

/** The value as `%v` prints it. */
export function printPlain(value: Value): string {
  if (value === null) return "<nil>"
  if (Array.isArray(value)) return `[${value.map(printPlain).join(" ")}]`
  if (isMap(value)) return `map[${sortedEntries(value, (key, item) => `${key}:${printPlain(item)}`).join(" ")}]`
  return typeof value === "string" ? value : printScalar(value)
}

/** The value as `%#v` prints it. Upstream's reader of OpenAPI v2 makes maps whose keys may be anything, the one of v3 does not. */
export function printTyped(value: Value, keys: "interface {}" | "string"): string {
  if (value === null) return "interface {}(nil)"
  if (Array.isArray(value)) return `[]interface {}{${value.map(item => printTyped(item, keys)).join(", ")}}`
  if (isMap(value)) {
    const entries = sortedEntries(value, (key, item) => `${quoteGo(key)}:${printTyped(item, keys)}`)
    return `map[${keys}]interface {}{${entries.join(", ")}}`
  }
  return typeof value === "string" ? quoteGo(value) : printScalar(value)
}

function sortedEntries(map: { readonly [key: string]: Value }, print: (key: string, item: Value) => string): string[] {
  const keys = Object.keys(map).sort(compareStrings)
  return keys.map(key => print(key, own(map, key) as Value))
}

function printScalar(value: Value): string {
  return typeof value === "number" || typeof value === "bigint" ? formatNumber(value) : String(value)
}
