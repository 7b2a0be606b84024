// Values as text: in paths and messages, spelled as upstream spells them, and as Go's `%v`, `%#v` and `%T` print them.
import { compareStrings } from "./compare.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "./depth.js"
import { formatFloat, formatNumber, isInteger } from "./number.js"
import { own } from "./object.js"
import { quoteGo } from "./quote.js"
import { isList, isMap, type MapValue, type Value } from "./value.js"

/** One way to print each kind of value. */
interface Style {
  readonly text: (text: string) => string
  readonly number: (value: number | bigint) => string
  readonly null: string
  /** The texts that open, separate and close the items of a list. */
  readonly list: Brackets
  readonly map: Brackets
  /** Returns a key of a map, followed by the separator between it and its value. */
  readonly key: (key: string) => string
  /** Says which maps are written as in JSON instead. */
  readonly isJson?: (map: MapValue) => boolean
}
type Brackets = readonly [open: string, between: string, close: string]
const jsonBrackets: Brackets = ["{", ",", "}"]

/** The number of lists and maps that the text may still take in. */
let left = 0

function format(value: Value, style: Style): string {
  left = maxParts
  return formatAt(value, style, 0)
}

function formatAt(value: Value, style: Style, depth: number): string {
  switch (typeof value) {
    case "string":
      return style.text(value)
    case "number":
    case "bigint":
      return style.number(value)
    case "boolean":
      return String(value)
    // A hole in a list.
    case "undefined":
      return "undefined"
  }
  if (value === null) return style.null
  if (depth >= maxDepth) throw tooDeep()
  if (--left < 0) throw tooLarge()
  let text = ""
  if (isList(value)) {
    const [open, between, close] = style.list
    for (let i = 0; i < value.length; i++) {
      text += (i === 0 ? "" : between) + formatAt(value[i] as Value, style, depth + 1)
    }
    return open + text + close
  }
  const isJson = style.isJson?.(value) ?? false
  const [open, between, close] = isJson ? jsonBrackets : style.map
  for (const key of Object.keys(value).sort(compareStrings)) {
    const name = isJson ? `${style.text(key)}:` : style.key(key)
    text += (text === "" ? "" : between) + name + formatAt(own(value, key) as Value, style, depth + 1)
  }
  return open + text + close
}

/**
 * Returns the value as paths and messages print it: `"a"`, `1.5`, `[1,2]`. The entries of a map are sorted by key and joined without a
 * separator (`a=1b=2`), as in upstream. Throws a StructuredMergeError if the value nests deeper than 1,000 levels.
 */
export function formatValue(value: Value): string {
  return format(value, upstreamStyle)
}
const upstreamStyle: Style = {
  text: quoteGo,
  number: formatNumber,
  null: "null",
  list: ["[", ",", "]"],
  map: ["", "", ""],
  key: key => `${key}=`,
}

/** Like `formatValue`, but prints every number as a float, with an exponent from 1e+06 up. */
export function formatFloats(value: Value): string {
  return format(value, floatStyle)
}
const floatStyle: Style = {
  ...upstreamStyle,
  number: value => (typeof value === "number" ? formatFloat(value) : formatNumber(value)),
}

/**
 * Like `formatValue` or, with `floats`, `formatFloats`, but different values never have the same text: a map gets braces and quoted keys
 * (`{"a":1}`) if its text would be ambiguous without them.
 */
export function formatDistinct(value: Value, floats: boolean): string {
  return format(value, floats ? distinctFloats : distinct)
}
const isAmbiguous = (map: MapValue): boolean => {
  const keys = Object.keys(map)
  return keys.length === 0 || keys.some(key => !plainKey.test(key) || isMap(own(map, key) as Value))
}
/** Matches keys that can't run into a number before them or an equals sign after them. */
const plainKey = /^(?![eE]\d)[A-Za-z_]\w*$/
const distinct: Style = { ...upstreamStyle, isJson: isAmbiguous }
const distinctFloats: Style = { ...floatStyle, isJson: isAmbiguous }

/** Returns the value as Go's `%v` prints plain data: `1`, `map[a:1 b:x]`, `[1 <nil>]`. */
export function goPrint(value: Value): string {
  return format(value, printStyle)
}
const printStyle: Style = {
  text: text => text,
  number: formatNumber,
  null: "<nil>",
  list: ["[", " ", "]"],
  map: ["map[", " ", "]"],
  key: key => `${key}:`,
}

/** The type of the keys in the maps of a Go value. Maps from Go's YAML reader may have keys of any type. */
export type GoMapKeys = "string" | "interface {}"

/** Returns the value as Go's `%#v` prints plain data: `[]interface {}{"a", 1}`. */
export function goSyntax(value: Value, keys: GoMapKeys = "string"): string {
  return format(value, { ...syntaxStyle, map: [`map[${keys}]interface {}{`, ", ", "}"] })
}
const syntaxStyle: Omit<Style, "map"> = {
  text: quoteGo,
  number: formatNumber,
  null: "interface {}(nil)",
  list: ["[]interface {}{", ", ", "}"],
  key: key => `${quoteGo(key)}:`,
}

/** Returns the name of the value's Go type, as `%T` prints it: `string`, `int64`, `float64`, `map[string]interface {}`. */
export function goTypeName(value: Value): string {
  switch (typeof value) {
    case "string":
      return "string"
    case "boolean":
      return "bool"
    case "bigint":
      return "int64"
    case "number":
      return isInteger(value) ? "int64" : "float64"
    default:
      return value === null ? "<nil>" : isList(value) ? "[]interface {}" : "map[string]interface {}"
  }
}
