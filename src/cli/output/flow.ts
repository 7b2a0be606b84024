// Formats values on one line: as JSON, or in YAML's flow style, `{name: LOG, value: "1"}`.
import { scalarText } from "../../io/yaml-format.js"
import { writeJson } from "../../json/json.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { printable, shorten } from "../terminal/layout.js"
import { cutMiddle, sliceColumns, widthOf } from "../terminal/width.js"

/** Printed in place of an absent value. */
const absent = "(absent)"

/** Formats the value as JSON on one line of at most `width` columns; undefined becomes `(absent)`. */
export function showValue(value: Value | undefined, width = 60): string {
  return value === undefined ? absent : shorten(printable(writeJson(value)), width)
}

/**
 * Formats the value in flow style on one line of at most `width` columns; undefined becomes `(absent)`. A long string loses its middle,
 * because the end of an image or a URL often tells more.
 */
export function showFlow(value: Value | undefined, width: number): string {
  const text = flowText(value)
  return typeof value === "string" ? cutMiddle(text, width) : shorten(text, width)
}

/** Formats both values with an arrow between them; returns undefined if that takes more than `width` columns. */
export function showChange(from: Value | undefined, to: Value | undefined, width: number): string | undefined {
  const text = flowText(from) + arrow + flowText(to)
  return widthOf(text) <= width ? text : undefined
}

/**
 * Formats two different values, each on one line of at most `width` columns. If their common beginning would leave no room for the
 * difference, `…` takes its place.
 */
export function showBoth(from: Value | undefined, to: Value | undefined, width: number): readonly [string, string] {
  const texts = [flowText(from), flowText(to)] as const
  const longest = Math.max(...texts.map(widthOf))
  const common = widthOf(commonStart(...texts))
  if (longest <= width || common < width / 2) return [shorten(texts[0], width), shorten(texts[1], width)]
  const start = Math.min(common - Math.floor(width / 4), longest - width + 1)
  const rest = (text: string) => shorten(`…${sliceColumns(text, start, widthOf(text))}`, width)
  return [rest(texts[0]), rest(texts[1])]
}

function commonStart(a: string, b: string): string {
  let end = 0
  while (end < a.length && a[end] === b[end]) end++
  return a.slice(0, end)
}

const arrow = " -> "

function flowText(value: Value | undefined): string {
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
