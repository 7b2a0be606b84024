// What a strict reader reports about the text of a body. A server reads strictly unless `fieldValidation=Ignore`.
import { quoteGo } from "../value/quote.js"

/** Lists the problems of a body. `unknown` has the paths of the fields that the kind does not have, in the order of the body. */
export type StrictReader = (unknown: readonly string[]) => readonly string[]

/** Reports unknown fields alone: for bodies that have no text, such as protobuf, and for objects that never were a request. */
export const strictWithoutText: StrictReader = unknown => unknown.map(unknownField)

export function unknownField(path: string): string {
  return `unknown field ${quoteGo(path)}`
}

/** How the one problem begins that a server reports for all repeated keys of a YAML text. */
export const yamlStart = "error converting YAML to JSON: yaml: unmarshal errors:"
/** What precedes each key in it. */
export const yamlLine = "\n  "

/** Splits a problem into the warnings that a server sends for it: one per line of YAML. */
export function warningsOf(problem: string): readonly string[] {
  return problem.startsWith(yamlStart) ? problem.split(yamlLine).slice(1) : [problem]
}
