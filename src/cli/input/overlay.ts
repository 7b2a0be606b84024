// Unions that are not in the types: `--union-overlay`.
import type { Schema } from "../../schema/schema.js"
import { type CompiledSchema, compileSchema } from "../../typed/type.js"
import { applyUnionOverlay, parseUnionOverlay } from "../../union/overlay.js"
import { didYouMean } from "../../value/nearest.js"
import { type Document, InputError, requested } from "./input.js"
import type { Types } from "./types.js"

/** The types with the unions of an overlay. Throws an InputError where it is none, or does not fit the types. */
export function withOverlay(types: Types, document: Document): Types {
  const overlay = requested(document, () => parseUnionOverlay(document.value))
  const names = types.allTypeNames()
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
    const made = compileSchema(requested(document, () => applyUnionOverlay(schema, overlay, options)))
    overlaid.set(schema, made)
    return made
  }
  return {
    ...types,
    typeOf: object => {
      const type = types.typeOf(object)
      return compiled(type.schema.schema).type(type.name)
    },
  }
}
