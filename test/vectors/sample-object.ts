// Generates objects of a custom resource from its schema.
import type { MapValue, Value } from "../../src/value/value.js"
import { isList, isMap } from "../../src/value/value.js"

export interface SampleOptions {
  /** The first characters of every string. */
  readonly word: string
  /** The value of integers for which the schema lists no values. */
  readonly number: number
  /** How many optional properties a map gets. */
  readonly optional: number
  /** Below this many levels, maps get required properties only. */
  readonly depth: number
}

/** Returns an object of the schema: all required properties and the first optional ones, with one item in each list and map. */
export function sampleObject(schema: MapValue, options: SampleOptions): MapValue {
  const { spec, status } = mapAt(schema, "properties")
  return {
    ...(isMap(spec) && { spec: sampleValue(spec, options, 0) }),
    ...(isMap(status) && { status: sampleValue(status, options, 0) }),
  }
}

function sampleValue(schema: MapValue, options: SampleOptions, level: number): Value {
  const [choice] = isList(schema.enum) ? schema.enum : []
  if (choice !== undefined) return choice
  if (schema["x-kubernetes-int-or-string"] === true) return options.number
  switch (schema.type) {
    case "string":
      return options.word
    case "integer":
    case "number":
      return options.number
    case "boolean":
      return true
    case "array":
      return isMap(schema.items) ? [sampleValue(schema.items, options, level + 1)] : []
    default:
      return sampleMap(schema, options, level)
  }
}

function sampleMap(schema: MapValue, options: SampleOptions, level: number): MapValue {
  const properties = mapAt(schema, "properties")
  const required = isList(schema.required) ? schema.required : []
  const out: Record<string, Value> = {}
  let optional = level < options.depth ? options.optional : 0
  for (const [name, property] of Object.entries(properties)) {
    if (!isMap(property) || (!required.includes(name) && optional-- <= 0)) continue
    out[name] = sampleValue(property, options, level + 1)
  }
  const rest = schema.additionalProperties
  if (isMap(rest)) out[options.word] = sampleValue(rest, options, level + 1)
  if (schema["x-kubernetes-preserve-unknown-fields"] === true) out[options.word] = { list: [options.word], flag: true }
  return out
}

function mapAt(schema: MapValue, key: string): MapValue {
  const found = schema[key]
  return isMap(found) ? found : {}
}
