// The paths of `--mask`: field paths in which a step may stand for any field or item.
import type { PathElement } from "../../fieldpath/element.js"
import { indexIn } from "../../fieldpath/lookup.js"
import { anyElement } from "../../fieldpath/matcher.js"
import { parsePath } from "../../fieldpath/parse-path.js"
import { equalValues } from "../../value/equal.js"
import { own } from "../../value/object.js"
import { isList, isMap, type Value } from "../../value/value.js"

/** A field path. `anyElement` stands for any one field or item. */
export type MaskPath = readonly (PathElement | typeof anyElement)[]

/**
 * Parses a path as `parsePath` does. In addition, `[*]` and `.*` stand for any one field or item: `.spec.containers[*].env[*].value`.
 * Throws a ParseError.
 */
export function parseMaskPath(text: string): MaskPath {
  const path: (PathElement | typeof anyElement)[] = []
  let start = 0
  for (const { 0: found, index } of text.matchAll(quotedOrWildcard)) {
    if (found.startsWith('"')) continue
    path.push(...parsePath(text.slice(start, index)), anyElement)
    start = index + found.length
  }
  path.push(...parsePath(text.slice(start)))
  return path
}

const quotedOrWildcard = /"(?:[^"\\]|\\.)*"|\[\*\]|\.\*(?=[.[]|$)/gs

/** Returns the values directly below `value` that a step of a path leads to, with their keys or indexes. */
export function childrenAt(value: Value, step: MaskPath[number]): [key: string | number, child: Value][] {
  if (isMap(value)) {
    if (step === anyElement) return Object.entries(value)
    const child = step.kind === "field" ? own(value, step.name) : undefined
    return step.kind === "field" && child !== undefined ? [[step.name, child]] : []
  }
  if (!isList(value)) return []
  const all = value.map((item, i): [number, Value] => [i, item])
  if (step === anyElement) return all
  if (step.kind === "key") return all.filter(([, item]) => indexIn([item], step) === 0)
  if (step.kind === "value") return all.filter(([, item]) => equalValues(item, step.value))
  return step.kind === "index" ? all.filter(([i]) => i === Number(step.index)) : []
}

/**
 * Returns the rest of the mask below `path`: empty if the mask covers everything at `path`, and undefined if it covers nothing there.
 */
export function maskBelow(mask: MaskPath, path: readonly PathElement[]): MaskPath | undefined {
  const shared = Math.min(mask.length, path.length)
  for (let i = 0; i < shared; i++) {
    if (!matches(mask[i] as MaskPath[number], path[i] as PathElement)) return undefined
  }
  return mask.slice(shared)
}

/** Whether the step of a mask may mean the element of a path. An index may be that of an item with any keys. */
function matches(step: MaskPath[number], element: PathElement): boolean {
  if (step === anyElement) return true
  if (step.kind === "field" || element.kind === "field") {
    return step.kind === "field" && element.kind === "field" && step.name === element.name
  }
  if (step.kind === "key" && element.kind === "key") {
    return step.fields.every(({ name, value }) => {
      const given = element.fields.find(field => field.name === name)
      return given === undefined || equalValues(given.value, value)
    })
  }
  if (step.kind === "value" && element.kind === "value") return equalValues(step.value, element.value)
  return (
    step.kind !== element.kind || (step.kind === "index" && element.kind === "index" && step.index === element.index)
  )
}
