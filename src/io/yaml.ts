import { parseAllDocuments, parseDocument, stringify } from "yaml"
import { ParseError } from "../errors.js"
import type { Value } from "../value/value.js"

const options = { version: "1.1", intAsBigInt: false, prettyErrors: true } as const

/** The value of a YAML document, read as YAML 1.1. */
export function parseYaml(text: string): Value {
  const document = parseDocument(text, options)
  const [error] = document.errors
  if (error !== undefined) throw new ParseError(error.message, { cause: error })
  return document.toJS({ maxAliasCount: 100 }) as Value
}

/** The values of all documents of a YAML stream. */
export function parseYamlDocuments(text: string): Value[] {
  return parseAllDocuments(text, options).map(document => document.toJS({ maxAliasCount: 100 }) as Value)
}

/** The value as YAML text in block style. */
export function formatYaml(value: Value): string {
  return stringify(value, { version: "1.1" })
}
