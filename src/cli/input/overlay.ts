// Unions that are not in the types: `--union-overlay`.
import type { Schema } from "../../schema/schema.js"
import { type CompiledSchema, compileSchema, type Type } from "../../typed/type.js"
import { applyUnionOverlay, parseUnionOverlay } from "../../union/overlay.js"
import { didYouMean } from "../../value/nearest.js"
import { type Document, InputError, requested } from "./document.js"

/**
 * Returns a function that adds the unions of an overlay to types. Throws an InputError if the document is not an overlay, or has a type
 * that is not in `names`. The function throws an InputError if the overlay does not fit a type.
 */
export function overlayer(document: Document, names: readonly string[]): (type: Type) => Type {
  const overlay = requested(document, () => parseUnionOverlay(document.value))
  const known = new Set(names)
  overlay.types.forEach(({ name }, i) => {
    if (known.has(name)) return
    throw new InputError(`${document.at(["types", i, "name"])}: there is no type ${name}${didYouMean(name, names)}`)
  })
  const overlaid = new Map<Schema, CompiledSchema>()
  const compiled = (schema: Schema): CompiledSchema => {
    const found = overlaid.get(schema)
    if (found !== undefined) return found
    const options = { missingTypes: "ignore" } as const
    const result = compileSchema(requested(document, () => applyUnionOverlay(schema, overlay, options)))
    overlaid.set(schema, result)
    return result
  }
  return type => compiled(type.schema.schema).type(type.name)
}
