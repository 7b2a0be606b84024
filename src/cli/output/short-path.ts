// Shortens paths that are too long for their column.
import { formatElement, type PathElement } from "../../fieldpath/element.js"
import { parseFieldsV1Key } from "../../fieldpath/fieldsv1/key.js"
import type { Place } from "../../tools/ownership/place.js"
import { printable } from "../terminal/layout.js"
import { widthOf } from "../terminal/width.js"

/**
 * Fits paths into `width` columns. A longer path becomes `…` and as many of its last steps as there is room for, but at least one. A
 * path stays whole if shortening would make it equal to another one.
 */
export function shortPaths(places: readonly Place[], width: number): string[] {
  const short = places.map(place => shortPath(place, width))
  const seen = new Set<string>()
  const ambiguous = new Set(short.filter(text => seen.size === seen.add(text).size))
  return places.map(({ path }, i) => {
    const text = short[i] as string
    return ambiguous.has(text) ? printable(path) : text
  })
}

function shortPath({ path, steps }: Place, width: number): string {
  const whole = printable(path)
  if (widthOf(whole) <= width) return whole
  const elements = steps.flatMap(step => parseFieldsV1Key(step) ?? [])
  let shortest = whole
  for (let from = 1; from < elements.length; from++) {
    const [first, ...rest] = elements.slice(from) as [PathElement, ...PathElement[]]
    if (first.kind !== "field") continue
    const text = `…${printable([formatElement(first).slice(1), ...rest.map(formatElement)].join(""))}`
    shortest = text
    if (widthOf(text) <= width) break
  }
  return shortest
}
