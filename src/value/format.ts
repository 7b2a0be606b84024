// Values as text in paths and messages, in upstream's spellings, and as Go's `%v`, `%#v` and `%T` print them.
import { compareStrings } from "./compare.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "./depth.js"
import { formatFloat, formatNumber } from "./number.js"
import { own } from "./object.js"
import { quoteGo } from "./quote.js"
import { isList, type MapValue, type Value } from "./value.js"

/** How many lists and maps the text may still take in. */
let left = 0

/**
 * The value as paths and messages show it: `"a"`, `1.5`, `[1,2]`. The entries of a map are sorted by key and joined without a
 * separator (`a=1b=2`), as upstream does. Throws a StructuredMergeError where the value nests deeper than 1,000 levels.
 */
export function formatValue(value: Value): string {
  left = maxParts
  return formatAt(value, false, 0)
}

/** As `formatValue`, but prints every number as a float, with an exponent from 1e+06 up. */
export function formatFloats(value: Value): string {
  left = maxParts
  return formatAt(value, true, 0)
}

function formatAt(value: Value, floats: boolean, depth: number): string {
  if (typeof value === "string") return quoteGo(value)
  if (floats && typeof value === "number") return formatFloat(value)
  if (typeof value !== "object" || value === null) return formatScalar(value)
  if (depth >= maxDepth) throw tooDeep()
  if (--left < 0) throw tooLarge()
  let text = ""
  if (isList(value)) {
    for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : ",") + formatAt(value[i] as Value, floats, depth + 1)
    return `[${text}]`
  }
  for (const key of sortedKeys(value)) text += `${key}=${formatAt(own(value, key) as Value, floats, depth + 1)}`
  return text
}

/** The value as Go's `%v` prints plain data: `1`, `map[a:1 b:x]`, `[1 <nil>]`. */
export function goPrint(value: Value): string {
  left = maxParts
  return goPrintAt(value, 0)
}

function goPrintAt(value: Value, depth: number): string {
  if (typeof value === "string") return value
  if (value === null) return "<nil>"
  if (typeof value !== "object") return formatScalar(value)
  if (depth >= maxDepth) throw tooDeep()
  if (--left < 0) throw tooLarge()
  let text = ""
  if (isList(value)) {
    for (let i = 0; i < value.length; i++) text += (i === 0 ? "" : " ") + goPrintAt(value[i] as Value, depth + 1)
    return `[${text}]`
  }
  for (const key of sortedKeys(value)) {
    text += `${text === "" ? "" : " "}${key}:${goPrintAt(own(value, key) as Value, depth + 1)}`
  }
  return `map[${text}]`
}

/** The type of the keys in the maps of a Go value. Maps that Go's YAML reader makes may have keys of any type. */
export type GoMapKeys = "string" | "interface {}"

/** The value as Go's `%#v` prints plain data: `[]interface {}{"a", 1}`. */
export function goSyntax(value: Value, keys: GoMapKeys = "string"): string {
  left = maxParts
  return goSyntaxAt(value, keys, 0)
}

function goSyntaxAt(value: Value, keys: GoMapKeys, depth: number): string {
  if (typeof value === "string") return quoteGo(value)
  if (value === null) return "interface {}(nil)"
  if (typeof value !== "object") return formatScalar(value)
  if (depth >= maxDepth) throw tooDeep()
  if (--left < 0) throw tooLarge()
  let text = ""
  if (isList(value)) {
    for (let i = 0; i < value.length; i++)
      text += (i === 0 ? "" : ", ") + goSyntaxAt(value[i] as Value, keys, depth + 1)
    return `[]interface {}{${text}}`
  }
  for (const key of sortedKeys(value)) {
    text += `${text === "" ? "" : ", "}${quoteGo(key)}:${goSyntaxAt(own(value, key) as Value, keys, depth + 1)}`
  }
  return `map[${keys}]interface {}{${text}}`
}

/** The name of the value's Go type, as `%T` prints it: `string`, `int64`, `float64`, `map[string]interface {}`. */
export function goTypeName(value: Value): string {
  switch (typeof value) {
    case "string":
      return "string"
    case "boolean":
      return "bool"
    case "bigint":
      return "int64"
    case "number":
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? "int64" : "float64"
    default:
      return value === null ? "<nil>" : isList(value) ? "[]interface {}" : "map[string]interface {}"
  }
}

function formatScalar(value: null | boolean | number | bigint): string {
  return typeof value === "number" || typeof value === "bigint" ? formatNumber(value) : String(value)
}

function sortedKeys(map: MapValue): string[] {
  return Object.keys(map).sort(compareStrings)
}
