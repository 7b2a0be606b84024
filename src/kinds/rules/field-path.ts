// The fieldPath of a rule: the field that errors name, below the part of the schema that has the rule.
import { goUnescapes } from "../../value/quote.js"
import type { MapValue } from "../../value/value.js"
import { propertyOf, restOf, schemaAt } from "../structural/schema.js"

const step = /^(?:\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\])/

/** Returns the path as errors have it, such as `spec.x`; undefined if it is empty or does not fit the schema. */
export function fieldPathOf(schema: MapValue, path: string): string | undefined {
  let at: MapValue | undefined = schema
  let rest = path
  let out = ""
  while (rest !== "") {
    const [all, plain, quoted = ""]: readonly (string | undefined)[] = step.exec(rest) ?? []
    if (all === undefined || at === undefined) return undefined
    const name: string = plain ?? quoted.replace(/\\(.)/g, (_, letter: string) => goUnescapes.get(letter) ?? letter)
    const isNamed: boolean = schemaAt(at, "properties") !== undefined
    at = isNamed ? propertyOf(at, name) : restOf(at)
    if (at === undefined) return undefined
    out += isNamed ? `.${name}` : `[${name}]`
    rest = rest.slice(all.length)
  }
  return out === "" ? undefined : out.replace(/^\./, "")
}
