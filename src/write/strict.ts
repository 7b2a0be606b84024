// The problems that a strict reader reports about a body. A server reads strictly unless `fieldValidation=Ignore`.
import { quoteGo } from "../value/quote.js"

/** Lists the problems of a body. `unknown` lists the paths of fields that the kind does not have, in the order of the body. */
export type StrictReader = (unknown: readonly string[]) => readonly string[]

/** Lists only unknown fields: for bodies without text, such as protobuf, and for objects that don't come from a request. */
export const strictWithoutText: StrictReader = unknown => unknown.map(unknownField)

export function unknownField(path: string): string {
  return `unknown field ${quoteGo(path)}`
}

/** The beginning of the problem in which a server reports all repeated keys of a YAML text. */
export const yamlStart = "error converting YAML to JSON: yaml: unmarshal errors:"
/** The text before each key in that problem. */
export const yamlLine = "\n  "

/** Splits a problem into the warnings that a server sends for it: one for each repeated key of a YAML text. */
export function warningsOf(problem: string): readonly string[] {
  return problem.startsWith(yamlStart) ? problem.split(yamlLine).slice(1) : [problem]
}
