// Requests of the API server layer: custom resources and their structural schemas.
import { emptyMap, isList, isMap, type Json, type JsonMap, mapOf } from "./json.js"
import type { Random } from "./random.js"
import type { Request } from "./requests.js"

/** A structural schema, and an object that fits it except for a few mistakes. */
export function customResourceRequest(random: Random): Request {
  const maker = new StructuralMaker(random)
  const spec = maker.schema(3)
  const structural = mapOf({
    type: "object",
    properties: mapOf({ spec, ...(random.chance(0.3) && { status: maker.schema(1) }) }),
    ...(random.chance(0.3) && { required: ["spec"] }),
  })
  const object = mapOf({ apiVersion: "example.org/v1", kind: "Widget", metadata: mapOf({ name: "a" }) })
  if (random.chance(0.95)) object.spec = maker.value(spec)
  if (random.chance(0.3)) object.status = random.chance(0.5) ? "done" : mapOf({ a: 1 })
  return { op: "customResource", structural, object }
}

const names = ["a", "b", "c", "constructor"]
const texts = ["x", "web", "A-1", "", "2020-01-01", "1s", "50%", "ä<&>"]
const scalars = ["string", "integer", "number", "boolean"]

class StructuralMaker {
  constructor(private readonly random: Random) {}

  schema(depth: number): JsonMap {
    const { random } = this
    const type =
      depth === 0 ? random.pick(scalars) : random.pick([...scalars, "array", "object", "object", "object", "any"])
    const schema = type === "any" ? this.any() : mapOf({ type, ...this.inner(type, depth), ...this.rules(type) })
    if (random.chance(0.15)) schema.nullable = true
    if (random.chance(0.15)) this.addClauses(schema, depth)
    if (random.chance(0.2)) schema.default = this.value(schema)
    return schema
  }

  private any(): JsonMap {
    return mapOf(
      this.random.chance(0.5)
        ? { "x-kubernetes-int-or-string": true, ...this.rules("string"), ...this.rules("integer") }
        : { "x-kubernetes-preserve-unknown-fields": true },
    )
  }

  private inner(type: string, depth: number): { [keyword: string]: Json } {
    const { random } = this
    if (type === "array") {
      const items = this.schema(depth - 1)
      const isMapOfItems = isMap(items.properties) && random.chance(0.5)
      if (isMapOfItems) return { items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"] }
      return { items, ...(random.chance(0.3) && { "x-kubernetes-list-type": random.pick(["set", "atomic"]) }) }
    }
    if (type !== "object") return {}
    if (random.chance(0.2)) return { additionalProperties: random.chance(0.2) ? true : this.schema(depth - 1) }
    const properties = mapOf(Object.fromEntries(random.sample(names, 3).map(name => [name, this.schema(depth - 1)])))
    return {
      properties,
      ...(random.chance(0.1) && { "x-kubernetes-preserve-unknown-fields": true }),
      ...(random.chance(0.1) && { "x-kubernetes-embedded-resource": true }),
    }
  }

  /** Returns rules that restrict values of the type. */
  private rules(type: string): { [keyword: string]: Json } {
    const { random } = this
    const all: { [type: string]: { [keyword: string]: () => Json } } = {
      string: {
        maxLength: () => random.below(5),
        minLength: () => random.below(3),
        pattern: () => random.pick(["^[a-z]*$", "^\\d+%$", "x"]),
        format: () => random.pick(["date", "duration", "other", "byte"]),
        enum: () => random.sample(texts, 2),
      },
      integer: {
        minimum: () => random.between(-2, 3),
        maximum: () => random.between(0, 5),
        multipleOf: () => random.between(1, 3),
        format: () => random.pick(["int32", "int64", "other"]),
        enum: () => [0, random.between(1, 4)],
      },
      number: { minimum: () => random.pick([0.5, 1]), maximum: () => random.pick([1.5, 3]), multipleOf: () => 0.5 },
      array: { minItems: () => random.below(3), maxItems: () => random.below(4) },
      object: {
        minProperties: () => random.below(3),
        maxProperties: () => random.below(4),
        required: () => random.sample(names, random.between(1, 2)),
      },
    }
    const known = all[type] ?? {}
    const out: { [keyword: string]: Json } = {}
    for (const keyword of Object.keys(known)) {
      if (random.chance(0.2)) out[keyword] = known[keyword]?.() as Json
    }
    if (out.minimum !== undefined && random.chance(0.3)) out.exclusiveMinimum = true
    if (out.maximum !== undefined && random.chance(0.3)) out.exclusiveMaximum = true
    return out
  }

  private addClauses(schema: JsonMap, depth: number): void {
    const { random } = this
    const keyword = random.pick(["anyOf", "oneOf", "allOf", "not"])
    const clauses = Array.from({ length: random.between(1, 3) }, () => this.clause(schema, depth))
    schema[keyword] = keyword === "not" ? (clauses[0] as Json) : clauses
  }

  /** Returns a schema that restricts values of the other one. */
  private clause(schema: JsonMap, depth: number): JsonMap {
    const { random } = this
    const { properties, type } = schema
    const rules = mapOf(this.rules(typeof type === "string" ? type : "string"))
    if (isMap(properties) && random.chance(0.6)) {
      const inner = random.sample(Object.keys(properties), 2).map(name => {
        return [name, this.clause(properties[name] as JsonMap, depth - 1)] as const
      })
      rules.properties = mapOf(Object.fromEntries(inner))
    }
    if (depth > 0 && random.chance(0.15)) rules.not = this.clause(schema, depth - 1)
    return rules
  }

  value(schema: Json): Json {
    const { random } = this
    if (random.chance(0.06)) return random.pick<Json>([null, "x", 1, 2.5, true, [1, null], mapOf({ a: 1, z: "x" })])
    if (!isMap(schema)) return random.pick<Json>([1, "x", [mapOf({ a: 1 })], mapOf({ b: mapOf({ c: 1 }) })])
    if (isList(schema.enum) && random.chance(0.7)) return random.pick(schema.enum)
    switch (schema.type) {
      case "string":
        return random.pick(texts)
      case "integer":
        return random.between(-3, 6)
      case "number":
        return random.pick([0.5, 1, 1.25, 3, 4.5])
      case "boolean":
        return random.chance(0.5)
      case "array":
        return Array.from({ length: random.below(4) }, () => this.value(schema.items as Json))
      case "object":
        return this.object(schema)
    }
    return random.pick<Json>([1, 4, "x", "50%"])
  }

  private object(schema: JsonMap): JsonMap {
    const { random } = this
    const out = emptyMap()
    const { properties, additionalProperties } = schema
    if (isMap(properties)) {
      for (const name of Object.keys(properties))
        if (random.chance(0.7)) out[name] = this.value(properties[name] as Json)
    } else if (additionalProperties !== undefined) {
      for (const name of random.sample(["k", "l.m", "__proto__"], 2)) out[name] = this.value(additionalProperties)
    }
    if (random.chance(0.15)) out[random.pick(["z", "other", "toString"])] = random.pick<Json>([1, mapOf({ y: [1] })])
    return out
  }
}
