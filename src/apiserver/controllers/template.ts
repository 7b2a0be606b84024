// Expressions in stages: the conditions of selectors, and the texts of templates.

import { StructuredMergeError } from "../../errors.js"
import { celValue } from "../../kinds/policy/expressions.js"
import { jsonValue } from "../../kinds/policy/struct-literals.js"
import { CostMeter } from "../../kinds/rules/cost.js"
import { baseEnvironment, checkExpression } from "../../kinds/rules/expression.js"
import { type CelLibrary, celLibrary, celPackage } from "../../kinds/rules/library.js"
import { readSource } from "../../kinds/rules/source.js"
import { oncePer } from "../../value/once-per.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** The values that expressions can name. Each function is called only for an expression that names its value. */
export interface Variables {
  readonly object: MapValue
  /** The time: `2026-01-01T00:00:00Z`. */
  readonly now: () => string
  /** The lowest address that no Pod has. */
  readonly podIP: () => string
  /** The address of the node on which the object, a Pod, is. */
  readonly hostIP: () => string
}

type Evaluated<T> = (variables: Variables) => T

const texts = ["now", "podIP", "hostIP"] as const

const environmentOf = oncePer((library: CelLibrary) => {
  const { environment, functions } = baseEnvironment(library)
  // The values of a map, such as the status of a container, have several types.
  const declared = environment.clone({ homogeneousAggregateLiterals: false }).registerVariable("object", "dyn")
  for (const name of texts) declared.registerVariable(name, "string")
  return { environment: declared, functions }
})

/** Returns a function that evaluates an expression. Throws a StructuredMergeError if it can't be evaluated, or if the library is not there. */
function compile(expression: string, where: string): Evaluated<unknown> {
  const library = celLibrary()
  if (library === undefined) {
    throw new StructuredMergeError(
      "bad-request",
      `controllers need the package ${celPackage}: npm install ${celPackage}`,
    )
  }
  const { environment, functions } = environmentOf(library)
  const source = readSource(expression)
  const checked = checkExpression(environment, source, functions, new Map())
  if ("message" in checked) {
    // The lines after the first one show where in the expression it is.
    const [why = ""] = checked.message.split("\n")
    throw new StructuredMergeError("bad-request", `${where}: ${expression}: ${why}`)
  }
  const named = texts.filter(name => source.names.has(name))
  return ({ object, ...values }) => {
    const scope: Record<string, unknown> = { object: celValue(object) }
    for (const name of named) scope[name] = values[name]()
    // Without a meter of its own, an expression would add to the cost of the one before.
    const { value, error } = new CostMeter().run(() => checked.run(scope))
    if (error !== undefined) throw error
    return value
  }
}

/** Returns a function that says whether a condition holds. */
export function compileCondition(expression: string, where: string): Evaluated<boolean> {
  const run = compile(expression, where)
  return variables => {
    try {
      return run(variables) === true
    } catch {
      return false
    }
  }
}

/** Returns a function that fills in a template. A text that is one expression becomes its value, whatever the type. */
export function compileTemplate(template: Value, where: string): Evaluated<Value> {
  if (typeof template === "string") return compileText(template, where)
  if (isList(template)) {
    const items = template.map(item => compileTemplate(item, where))
    return variables => items.map(item => item(variables))
  }
  if (!isMap(template)) return () => template
  const fields = Object.entries(template).map(([key, field]) => [key, compileTemplate(field, where)] as const)
  return variables => Object.fromEntries(fields.map(([key, field]) => [key, field(variables)]))
}

function compileText(text: string, where: string): Evaluated<Value> {
  const parts = partsOf(text, where)
  const [only] = parts
  if (parts.length === 0) return () => text
  if (parts.length === 1 && typeof only === "function") return variables => jsonValue(only(variables))
  return variables => parts.map(part => (typeof part === "string" ? part : String(part(variables)))).join("")
}

/** Splits a text into its plain parts and its expressions, which are in `${…}` and may have braces themselves. */
function partsOf(text: string, where: string): (string | Evaluated<unknown>)[] {
  const parts: (string | Evaluated<unknown>)[] = []
  let at = 0
  for (let start = text.indexOf("${"); start >= 0; start = text.indexOf("${", at)) {
    if (start > at) parts.push(text.slice(at, start))
    let depth = 1
    let end = start + 2
    for (; end < text.length && depth > 0; end++) depth += text[end] === "{" ? 1 : text[end] === "}" ? -1 : 0
    if (depth > 0) throw new StructuredMergeError("bad-request", `${where}: ${text}: the expression has no end`)
    parts.push(compile(text.slice(start + 2, end - 1), where))
    at = end
  }
  if (at < text.length) parts.push(text.slice(at))
  return parts
}
