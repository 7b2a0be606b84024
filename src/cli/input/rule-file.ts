// Checks rule documents in files, and finds the places of everything that does not belong in them.

import type { Steps } from "../../value/change.js"
import { didYouMean } from "../../value/nearest.js"
import { isList, isMap, type Value } from "../../value/value.js"
import { type Document, InputError } from "./document.js"

type ScalarShape = "text" | "boolean" | "scalar" | "value"

/** The form that a value must have: a scalar, a map or list of another form, or a map with these keys. */
type Shape =
  | ScalarShape
  | { readonly mapOf: Shape }
  | { readonly listOf: () => Shape }
  | { readonly keys: Readonly<Record<string, Shape | (() => Shape)>>; readonly needs?: readonly string[] }

const rule: Shape = {
  keys: { tag: "text", arg: "scalar", args: { mapOf: "scalar" }, value: "scalar", payload: () => rule },
  needs: ["tag"],
}
const rules: Shape = { listOf: () => rule }
const constant: Shape = { keys: { name: "text", value: "text", rules }, needs: ["name", "value"] }
const fieldKeys = { name: "text", json: "text", type: "text", default: "value", rules } as const

function documentOf(field: Shape, typeKeys: Readonly<Record<string, Shape>>): Shape {
  const keys = { fields: { listOf: () => field }, rules, constants: { listOf: () => constant }, ...typeKeys }
  return { keys: { package: "text", types: { mapOf: { keys } } }, needs: ["types"] }
}

const shapes = {
  /** Rules for the types of a schema: a RuleOverlay. */
  overlay: documentOf({ keys: fieldKeys, needs: ["json"] }, {}),
  /** Types as Go declares them, and their rules: a RuleDocument. */
  types: documentOf(
    { keys: { ...fieldKeys, embedded: "boolean", omitempty: "boolean" }, needs: ["name", "type"] },
    { type: "text" },
  ),
}

/** Throws an InputError with everything in the document that does not belong in rules of this form. */
export function requireRules(document: Document, form: keyof typeof shapes): void {
  const problems = problemsIn(document.value, shapes[form], [])
  if (problems.length === 0) return
  throw new InputError(problems.map(([steps, problem]) => `${document.at(steps)}: ${problem}`))
}

type RuleProblem = readonly [at: Steps, problem: string]

function problemsIn(value: Value, shape: Shape, steps: Steps): RuleProblem[] {
  if (typeof shape === "string") {
    const { noun, matches } = scalars[shape]
    return matches(value) ? [] : [[steps, `${stepName(steps)} must be ${noun}`]]
  }
  if ("listOf" in shape) {
    if (!isList(value)) return [[steps, `${stepName(steps)} must be a list`]]
    return value.flatMap((item, i) => problemsIn(item, shape.listOf(), [...steps, i]))
  }
  if (!isMap(value)) return [[steps, `${stepName(steps)} must be a map`]]
  if ("mapOf" in shape) {
    return Object.entries(value).flatMap(([key, part]) => problemsIn(part, shape.mapOf, [...steps, key]))
  }
  const { keys, needs = [] } = shape
  const known = new Map(Object.entries(keys))
  const problems = Object.entries(value).flatMap(([key, part]): RuleProblem[] => {
    const below = known.get(key)
    if (below === undefined) return [[[...steps, key], `unknown key ${key}${didYouMean(key, known.keys())}`]]
    return problemsIn(part, typeof below === "function" ? below() : below, [...steps, key])
  })
  const missing = needs.filter(key => !Object.hasOwn(value, key))
  return [...problems, ...missing.map((key): RuleProblem => [steps, `${key} is missing`])]
}

const scalars: Readonly<Record<ScalarShape, { readonly noun: string; matches(value: Value): boolean }>> = {
  text: { noun: "text", matches: value => typeof value === "string" },
  boolean: { noun: "a boolean", matches: value => typeof value === "boolean" },
  scalar: { noun: "a scalar", matches: value => value !== null && !isList(value) && !isMap(value) },
  value: { noun: "a value", matches: () => true },
}

function stepName(steps: Steps): string {
  const last = steps.at(-1)
  if (last === undefined) return "the document"
  return typeof last === "number" ? `item ${last}` : last
}
