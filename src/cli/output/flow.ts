// Values in the short spelling of YAML: `{name: LOG, value: "1"}`.
import { scalarText } from "../../io/yaml-format.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { absent, printable, shorten, widthOf } from "./layout.js"

/** The value on one line of at most `width` characters; `(absent)` for none. */
export function showFlow(value: Value | undefined, width: number): string {
  return shorten(textOf(value), width)
}

/** Both values with an arrow between them, in at most `width` characters. */
export function showChange(from: Value | undefined, to: Value | undefined, width: number): string {
  const [before, after] = [textOf(from), textOf(to)]
  const room = width - widthOf(arrow)
  if (widthOf(before) + widthOf(after) <= room) return before + arrow + after
  const half = Math.floor(room / 2)
  const first = Math.max(half, room - widthOf(after))
  const left = shorten(before, first)
  return left + arrow + shorten(after, room - widthOf(left))
}

const arrow = " -> "

function textOf(value: Value | undefined): string {
  return value === undefined ? absent : printable(flow(value))
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
