// Formats values in YAML's flow style: `{name: LOG, value: "1"}`.
import { scalarText } from "../../io/yaml-format.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { currentSecrets } from "../secrets/scope.js"
import { absent, printable, shorten } from "../terminal/layout.js"
import { widthOf } from "../terminal/width.js"

/** Formats the value on one line of at most `width` columns; undefined becomes `(absent)`. */
export function showFlow(value: Value | undefined, width: number): string {
  return shorten(flowText(value), width)
}

/** Formats both values with an arrow between them; returns undefined if that takes more than `width` columns. */
export function showChange(from: Value | undefined, to: Value | undefined, width: number): string | undefined {
  const text = flowText(from) + arrow + flowText(to)
  return widthOf(text) <= width ? text : undefined
}

const arrow = " -> "

function flowText(value: Value | undefined): string {
  return value === undefined ? absent : printable(flow(currentSecrets().hide(value)))
}

function flow(value: Value): string {
  if (isList(value)) return `[${value.map(flow).join(", ")}]`
  if (isMap(value)) {
    const map: MapValue = value
    return `{${Object.entries(map)
      .map(([key, entry]) => `${flow(key)}: ${flow(entry)}`)
      .join(", ")}}`
  }
  if (typeof value !== "string") return scalarText(value, "any")
  const isPlain = !/[,[\]{}]/.test(value) && scalarText(value, "any") === value
  return isPlain ? value : scalarText(value, "double")
}
