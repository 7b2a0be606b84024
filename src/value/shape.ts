// The format of a document that users write, as data, and the check of a document against it.
import type { Steps } from "./change.js"
import { didYouMean } from "./nearest.js"
import { own } from "./object.js"
import { isList, isMap, type MapValue, type Value } from "./value.js"
import { listAnd, listOr } from "./words.js"

/** The format of a value. */
export type Shape =
  /** A value of one of these kinds, whatever is in it. */
  | { readonly is: "any of"; readonly kinds: readonly Kind[] }
  /** One of these texts. */
  | { readonly is: "one of"; readonly texts: readonly string[] }
  /** A list of such items, or the one text that may stand for it. */
  | { readonly is: "list"; readonly of: Shape; readonly or?: string }
  /** A map with any keys. */
  | { readonly is: "map"; readonly of: Shape }
  | RecordShape
  /** One of several records, which the value of the key `by` tells apart. */
  | { readonly is: "cases"; readonly by: string; readonly cases: Readonly<Record<string, RecordShape>> }

/** A map with these keys. */
export interface RecordShape {
  readonly is: "record"
  readonly fields: Readonly<Record<string, Shape>>
  readonly required: readonly string[]
  /** Keys that exclude each other. The record must have exactly one of them. */
  readonly either?: readonly string[]
}

type Kind = keyof typeof kinds

const kinds = {
  text: { noun: "text", has: (value: Value) => typeof value === "string" },
  name: { noun: "text that is not empty", has: (value: Value) => typeof value === "string" && value !== "" },
  number: { noun: "a number", has: (value: Value) => typeof value === "number" || typeof value === "bigint" },
  flag: { noun: "true or false", has: (value: Value) => typeof value === "boolean" },
  scalar: { noun: "a scalar", has: (value: Value) => value !== null && !isList(value) && !isMap(value) },
  map: { noun: "a map", has: isMap },
  list: { noun: "a list", has: isList },
  value: { noun: "a value", has: () => true },
} as const

/** Returns the format of values of any of these kinds. */
export function anyOf(...kinds: readonly Kind[]): Shape {
  return { is: "any of", kinds }
}

/** Returns the format of maps with these keys. */
export function record(
  fields: RecordShape["fields"],
  required: readonly string[] = [],
  either?: readonly string[],
): RecordShape {
  return { is: "record", fields, required, ...(either !== undefined && { either }) }
}

/** A problem of a document: a message that names the path, and the steps to the value that has the problem. */
export interface ShapeProblem {
  readonly steps: Steps
  readonly message: string
}

/** Returns every problem of the value. Keys whose value is undefined count as absent. */
export function shapeProblems(value: Value, shape: Shape, steps: Steps = []): readonly ShapeProblem[] {
  switch (shape.is) {
    case "any of":
      if (shape.kinds.some(kind => kinds[kind].has(value))) return []
      return wrong(steps, listOr(shape.kinds.map(kind => kinds[kind].noun)))
    case "one of":
      return typeof value === "string" && shape.texts.includes(value) ? [] : wrongText(steps, shape.texts, value)
    case "list": {
      const { of, or } = shape
      if (or !== undefined && value === or) return []
      if (!isList(value)) return wrong(steps, listOr(["a list", ...(or === undefined ? [] : [or])]))
      return value.flatMap((item, i) => shapeProblems(item, of, [...steps, i]))
    }
    case "map":
      if (!isMap(value)) return wrong(steps, "a map")
      return Object.keys(value).flatMap(key => shapeProblems(own(value, key) as Value, shape.of, [...steps, key]))
    case "record":
      return isMap(value) ? recordProblems(value, shape, steps) : wrong(steps, "a map")
    case "cases": {
      if (!isMap(value)) return wrong(steps, "a map")
      const { by, cases } = shape
      const name = own(value, by)
      const found = typeof name === "string" && Object.hasOwn(cases, name) ? cases[name] : undefined
      if (found === undefined) return wrongText([...steps, by], Object.keys(cases), name)
      return recordProblems(value, { ...found, fields: { ...found.fields, [by]: anyOf("text") } }, steps)
    }
  }
}

function recordProblems(value: MapValue, { fields, required, either }: RecordShape, steps: Steps): ShapeProblem[] {
  const problems: ShapeProblem[] = []
  const present = Object.keys(value).filter(key => own(value, key) !== undefined)
  for (const key of present) {
    const shape = Object.hasOwn(fields, key) ? fields[key] : undefined
    const at = [...steps, key]
    if (shape !== undefined) problems.push(...shapeProblems(own(value, key) as Value, shape, at))
    else problems.push({ steps: at, message: `${pathTo(at)}: unknown key${didYouMean(key, Object.keys(fields))}` })
  }
  for (const key of required) {
    if (!present.includes(key)) problems.push({ steps, message: `${pathTo([...steps, key])} is missing` })
  }
  const chosen = either?.filter(key => present.includes(key)) ?? []
  if (either !== undefined && chosen.length !== 1) {
    const has = chosen.length === 0 ? "" : `; it has ${listAnd(chosen)}`
    problems.push({ steps, message: `${pathTo(steps)} must have exactly one of ${either.join(", ")}${has}` })
  }
  return problems
}

function wrongText(steps: Steps, texts: readonly string[], value: Value | undefined): ShapeProblem[] {
  return wrong(steps, `${listOr(texts)}${typeof value === "string" ? didYouMean(value, texts) : ""}`)
}

function wrong(steps: Steps, expected: string): ShapeProblem[] {
  return [{ steps, message: `${pathTo(steps)} must be ${expected}` }]
}

function pathTo(steps: Steps): string {
  if (steps.length === 0) return "the document"
  return steps
    .map(step =>
      /^[\w$-]+$/.test(String(step)) && typeof step === "string" ? `.${step}` : `[${JSON.stringify(step)}]`,
    )
    .join("")
}
