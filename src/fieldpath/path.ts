import type { MapValue } from "../value/value.js"
import { fieldElement, indexElement, keyElement } from "./create-element.js"
import {
  compareElements,
  equalElements,
  formatDistinctElement,
  formatElement,
  formatQuotedElement,
  isPathElement,
  type PathElement,
} from "./element.js"

/** The elements from the root of an object to something inside it; empty for the root itself. */
export type Path = readonly PathElement[]

/** The path of the root: no steps. Frozen. */
export const rootPath: Path = Object.freeze([])

/** A step for `pathOf`: a field's name, an index, the keys of a list item, or an element. */
export type PathPart = string | number | MapValue | PathElement

/**
 * Returns the path of these steps: `pathOf("spec", "ports", {port: 80}, "name")`. Pass items of sets as `valueElement(…)`. Throws a
 * TypeError for a part that is not a step, and a RangeError for an empty map of keys or a number that is not an integer.
 */
export function pathOf(...parts: readonly PathPart[]): Path {
  return parts.map(part => {
    if (typeof part === "string") return fieldElement(part)
    if (typeof part === "number") return indexElement(part)
    if (isPathElement(part)) return part
    if (typeof part !== "object" || part === null) {
      throw new TypeError(`a step of a path must be a name, an index, keys or an element, got ${String(part)}`)
    }
    if (Object.keys(part).length === 0) throw new RangeError("keys of a path element must not be empty")
    return keyElement(part)
  })
}

/**
 * Returns the path as `.spec.ports[port=80].name`, "" for the root. Names are printed without quotes, so two paths may have the same text,
 * such as a field `a.b` and the field `b` in `a`. Apart from such names, `parsePath` reads the same path from the text. Upstream's messages
 * have the same text, except for some items that are maps or lists of maps: `[={}]`, which upstream prints as `[=]`.
 */
export function formatPath(path: Path): string {
  let text = ""
  for (const element of path) text += formatDistinctElement(element)
  return text
}

/** Returns a text that `parsePath` reads as this very path: like `formatPath`, but with quotes around names that need them. */
export function formatQuotedPath(path: Path): string {
  let text = ""
  for (const element of path) text += formatQuotedElement(element)
  return text
}

/** Returns the path exactly as upstream prints it in messages. Items that are maps or lists of maps may have the same text as others. */
export function formatGoPath(path: Path): string {
  let text = ""
  for (const element of path) text += formatElement(element)
  return text
}

/** Whether both paths have the same steps. */
export function equalPaths(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((element, i) => equalElements(element, b[i] as PathElement))
}

/** Whether one of the paths begins with the other. */
export function areInLine(a: Path, b: Path): boolean {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) if (!equalElements(a[i] as PathElement, b[i] as PathElement)) return false
  return true
}

/** Compares two paths element by element and returns -1, 0 or 1. A path comes before the longer paths that begin with it. */
export function comparePaths(a: Path, b: Path): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareElements(a[i] as PathElement, b[i] as PathElement)
    if (order !== 0) return order
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1
}

/** Returns the items at this path. `sorted` must be sorted by path. Takes logarithmic time. */
export function itemsAt<T extends { readonly path: Path }>(sorted: readonly T[], path: Path): readonly T[] {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (comparePaths((sorted[middle] as T).path, path) < 0) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < sorted.length && equalPaths((sorted[end] as T).path, path)) end++
  return sorted.slice(low, end)
}
