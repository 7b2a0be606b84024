// Paths and sets as tests write them.
//
//   path("spec.ports[port=80,protocol=TCP].name")     fields, and an item by its keys
//   path("tags[=a]")  path("args[0]")                 an item of a set, an item by index
//   set("a a.b tags[=a]")                             the set of these paths, "" for none
//
// Names and values hold no spaces, dots or brackets. A value that is JSON is that value (1, true, null, "1"), else a string.
// `show` writes a set in the same notation, in the set's order. Sets are frozen.

import { fieldElement, indexElement, keyElement, valueElement } from "../../src/fieldpath/create-element.js"
import type { PathElement } from "../../src/fieldpath/element.js"
import type { Path } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { formatJson, parseJson } from "../../src/json/json.js"
import { put } from "../../src/value/object.js"
import type { Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

const step = /^\.?([^.[\]]+)|^\[=([^\]]*)\]|^\[(-?\d+)\]|^\[([^\]]+)\]/

export function path(text: string): Path {
  const elements: PathElement[] = []
  for (let rest = text; rest !== ""; ) {
    const found = step.exec(rest)
    if (found === null) throw new SyntaxError(`not a path: ${text}`)
    elements.push(elementOf(found))
    rest = rest.slice(found[0].length)
  }
  return Object.freeze(elements)
}

function elementOf([, name, value, index, keys]: RegExpExecArray): PathElement {
  if (name !== undefined) return fieldElement(name)
  if (value !== undefined) return valueElement(readScalar(value))
  if (index !== undefined) return indexElement(Number(index))
  const fields: Record<string, Value> = {}
  for (const key of (keys as string).split(",")) {
    const at = key.indexOf("=")
    put(fields, key.slice(0, at), readScalar(key.slice(at + 1)))
  }
  return keyElement(deepFreeze(fields))
}

function readScalar(text: string): Value {
  try {
    return deepFreeze(parseJson(text))
  } catch {
    return text
  }
}

/** The one element of a path. */
export function element(text: string): PathElement {
  const [first, ...others] = path(text)
  if (first === undefined || others.length > 0) throw new SyntaxError(`not one element: ${text}`)
  return first
}

export function set(text: string): FieldSet {
  return deepFreeze(FieldSet.of(text.split(" ").filter(Boolean).map(path)))
}

export function show(fields: FieldSet): string {
  return Array.from(fields, showPath).join(" ")
}

function showPath(path: Path): string {
  return path.map(showElement).join("").replace(/^\./, "")
}

function showElement(element: PathElement): string {
  switch (element.kind) {
    case "field":
      return `.${element.name}`
    case "key":
      return `[${element.fields.map(({ name, value }) => `${name}=${showValue(value)}`).join(",")}]`
    case "value":
      return `[=${showValue(element.value)}]`
    case "index":
      return `[${element.index}]`
  }
}

function showValue(value: Value): string {
  return typeof value === "string" && readScalar(value) === value ? value : formatJson(value)
}
