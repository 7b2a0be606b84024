// Values as text in paths and messages, in upstream's spellings, and as Go's `%v`, `%#v` and `%T` print them.
import { compareStrings } from "./compare.js"
import { maxDepth, maxParts, tooDeep, tooLarge } from "./depth.js"
import { formatFloat, formatNumber, isInteger } from "./number.js"
import { own } from "./object.js"
import { quoteGo } from "./quote.js"
import { isList, isMap, type MapValue, type Value } from "./value.js"

/** How one kind of text shows what a value consists of. */
interface Style {
  readonly text: (text: string) => string
  readonly number: (value: number | bigint) => string
  readonly null: string
  /** What opens, separates and closes the items of a list. */
  readonly list: Brackets
  readonly map: Brackets
  /** A key of a map with what separates it from its value. */
  readonly key: (key: string) => string
  /** Maps for which this holds are written as in JSON instead. */
  readonly isJson?: (map: MapValue) => boolean
}
type Brackets = readonly [open: string, between: string, close: string]
const jsonBrackets: Brackets = ["{", ",", "}"]

/** How many lists and maps the text may still take in. */
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
 * The value as paths and messages show it: `"a"`, `1.5`, `[1,2]`. The entries of a map are sorted by key and joined without a
 * separator (`a=1b=2`), as upstream does. Throws a StructuredMergeError where the value nests deeper than 1,000 levels.
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

/** As `formatValue`, but prints every number as a float, with an exponent from 1e+06 up. */
export function formatFloats(value: Value): string {
  return format(value, floatStyle)
}
const floatStyle: Style = {
  ...upstreamStyle,
  number: value => (typeof value === "number" ? formatFloat(value) : formatNumber(value)),
}

/**
 * As `formatValue` or, with floats, `formatFloats`, but no two values have the same text: maps have braces and quoted keys (`{"a":1}`) if
 * the text without them could also be read in another way.
 */
export function formatDistinct(value: Value, floats: boolean): string {
  return format(value, floats ? distinctFloats : distinct)
}
const isAmbiguous = (map: MapValue): boolean => {
  const keys = Object.keys(map)
  return keys.length === 0 || keys.some(key => !plainKey.test(key) || isMap(own(map, key) as Value))
}
/** Matches keys that are seen to begin after a number and to end at an equals sign. */
const plainKey = /^(?![eE]\d)[A-Za-z_]\w*$/
const distinct: Style = { ...upstreamStyle, isJson: isAmbiguous }
const distinctFloats: Style = { ...floatStyle, isJson: isAmbiguous }

/** The value as Go's `%v` prints plain data: `1`, `map[a:1 b:x]`, `[1 <nil>]`. */
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

/** The type of the keys in the maps of a Go value. Maps that Go's YAML reader makes may have keys of any type. */
export type GoMapKeys = "string" | "interface {}"

/** The value as Go's `%#v` prints plain data: `[]interface {}{"a", 1}`. */
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
      return isInteger(value) ? "int64" : "float64"
    default:
      return value === null ? "<nil>" : isList(value) ? "[]interface {}" : "map[string]interface {}"
  }
}
