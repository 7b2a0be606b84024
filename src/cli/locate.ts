// From the path of an issue, which is text, back to the place in the document.
import { formatValue } from "../value/format.js"
import { own } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"

/** The way to a place in a document: keys of maps and indexes of lists. */
export type Steps = readonly (string | number)[]

/**
 * The steps that the text of a path (`.spec.ports[name="a"].port`) stands for in `value`, as far as they exist. A key may hold
 * any character, so the value says where a step ends.
 */
export function locate(value: Value, path: string): Steps {
  let longest: { readonly steps: Steps; readonly left: number } = { steps: [], left: path.length }
  const visit = (at: Value, rest: string, steps: Steps): boolean => {
    if (rest.length < longest.left) longest = { steps, left: rest.length }
    if (rest === "") return true
    for (const [step, length] of stepsInto(at, rest)) {
      const below = typeof step === "number" ? (at as ListValue)[step] : own(at as MapValue, step)
      if (visit(below as Value, rest.slice(length), [...steps, step])) return true
    }
    return false
  }
  visit(value, path, [])
  return longest.steps
}

/** The steps that `rest` may begin with, each with the length of its text, the longest first. */
function stepsInto(value: Value, rest: string): (readonly [step: string | number, length: number])[] {
  if (isMap(value)) {
    const keys = Object.keys(value).filter(key => rest.startsWith(`.${key}`) && endsStep(rest, key.length + 1))
    return keys.sort((a, b) => b.length - a.length).map(key => [key, key.length + 1] as const)
  }
  if (!isList(value)) return []
  const index = /^\[(\d+)\]/.exec(rest)
  if (index !== null) return Number(index[1]) < value.length ? [[Number(index[1]), index[0].length]] : []
  const found: (readonly [number, number])[] = []
  for (let i = 0; i < value.length; i++) {
    const length = elementLength(value[i] as Value, rest)
    if (length > 0) found.push([i, length])
  }
  return found.sort((a, b) => b[1] - a[1])
}

function endsStep(text: string, at: number): boolean {
  return at === text.length || text[at] === "." || text[at] === "["
}

/** The length of the element at the start of `rest`, where `item` has it: `[="value"]` or `[name="a",port=80]`; else 0. */
function elementLength(item: Value, rest: string): number {
  if (!isMap(item)) {
    const text = `[=${formatValue(item)}]`
    return rest.startsWith(text) ? text.length : 0
  }
  const element = /^\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]/.exec(rest)?.[0] ?? ""
  const keys = Array.from(element.matchAll(/[[,]([^=,[\]]+)=("(?:[^"\\]|\\.)*"|[^,\]]*)/g))
  // An absent key has its default, which the item does not show.
  const fits = keys.every(
    ([, name = "", value]) => formatKey(own(item, name)) === value || own(item, name) === undefined,
  )
  return keys.length > 0 && fits && keys.some(([, name = ""]) => own(item, name) !== undefined) ? element.length : 0
}

function formatKey(value: Value | undefined): string | undefined {
  return value === undefined ? undefined : formatValue(value)
}
