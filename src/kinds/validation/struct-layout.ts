// Values as an API server spells them in messages: as its own Go structs, with all their fields, such as the template of a Pod.
import { formatGoJson } from "../../json/json.js"
import { compareStrings } from "../../value/compare.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { structLayoutData } from "./struct-layout-data.js"
import { unifiedDiff } from "./unified-diff.js"

/** A field: its name in messages, its path in the API, the text for an absent one, and the type of its value. */
type LayoutField = readonly [shown: string, path: string, zero: string, type: string]

let layout: Readonly<Record<string, readonly LayoutField[]>> | undefined

/** Returns the differences of two values of a recorded type, line by line; "" if messages show the same. */
export function structDiff(before: Value | undefined, after: Value | undefined, type: string): string {
  return unifiedDiff(lines(goStruct(before, type), ""), lines(goStruct(after, type), ""))
}

/** Returns a value of a recorded type as messages show it. */
export function goStruct(value: Value | undefined, type: string): Value {
  layout ??= JSON.parse(structLayoutData) as Readonly<Record<string, readonly LayoutField[]>>
  const fields = layout[type]
  if (isList(value)) return value.map(item => goStruct(item, type))
  if (value === undefined || !isMap(value)) return value ?? null
  if (fields === undefined) return sortedMap(value)
  const out: Record<string, Value> = {}
  for (const [name, path, zero, below] of fields) {
    const fieldValue = at(value, path)
    if (fieldValue !== undefined) put(out, name, goStruct(fieldValue, below))
    else if (zero === "{") put(out, name, goStruct({}, below))
    else if (zero !== "-") put(out, name, zero === "~" ? null : (JSON.parse(zero) as Value))
  }
  return out
}

function sortedMap(map: MapValue): MapValue {
  const out: Record<string, Value> = {}
  for (const key of Object.keys(map).sort(compareStrings)) put(out, key, own(map, key) as Value)
  return out
}

function at(map: MapValue, path: string): Value | undefined {
  let value: Value | undefined = map
  for (const name of path.split(".")) value = isMap(value) ? own(value, name) : undefined
  return value ?? undefined
}

/** Returns the value as lines of JSON, indented by one space. Each line ends with a line break. */
function lines(value: Value, indent: string): string[] {
  const rest = pretty(value, indent)
  return `${rest}\n`.split(/(?<=\n)/)
}

function pretty(value: Value, indent: string): string {
  const inner = `${indent} `
  if (isList(value)) {
    if (value.length === 0) return "[]"
    return `[\n${value.map(item => inner + pretty(item, inner)).join(",\n")}\n${indent}]`
  }
  if (!isMap(value)) return formatGoJson(value)
  const keys = Object.keys(value)
  if (keys.length === 0) return "{}"
  const members = keys.map(key => `${inner}${formatGoJson(key)}: ${pretty(own(value, key) as Value, inner)}`)
  return `{\n${members.join(",\n")}\n${indent}}`
}
