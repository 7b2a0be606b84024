// Generates random objects of Go types from the texts and numbers in their rules.
import { type GoType, GoTypes } from "../../../src/validation/rules/go-type.js"
import type { Rule, RuleDocument, RuleValue } from "../../../src/validation/rules/rules.js"
import { put } from "../../../src/value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../../src/value/value.js"
import type { Random } from "../../fuzz/random.js"

const usualTexts = [
  "",
  "a",
  "b",
  "x-y",
  "A.b",
  "a/b",
  "example.com/Name",
  "0123456789abcdef".repeat(4),
  "\u00e9\u00e9\u00e9",
  "<&>",
]
const usualNumbers = [0, 0, 1, 2, 3, 7, -1]

/** Values of types with a JSON form of their own. */
const opaque: ReadonlyMap<string, readonly Value[]> = new Map<string, readonly Value[]>([
  ["Time", ["2024-01-01T00:00:00Z", "2025-06-01T12:00:00Z"]],
  ["MicroTime", ["2024-01-01T00:00:00.000000Z", "2025-06-01T12:00:00.000001Z"]],
  ["Duration", ["5s", "1h0m0s"]],
  ["Quantity", ["1", "2Gi", "100m"]],
  ["IntOrString", [80, "http", "10%"]],
  ["RawExtension", [{ a: 1 }, { b: "c" }]],
])

/** A question about an object. */
export interface Question {
  readonly new: Value
  readonly old: Value
  readonly options: Readonly<Record<string, boolean>>
  readonly subresources: readonly string[]
}

/** Makes objects of the types of a document. */
export class Objects {
  readonly types: GoTypes
  readonly #texts: readonly string[]
  readonly #numbers: readonly number[]
  readonly #options: readonly string[]
  readonly #subresources: readonly string[]

  constructor(document: RuleDocument) {
    this.types = new GoTypes(document)
    const values = new Set<RuleValue>()
    const options = new Set<string>()
    const subresources = new Set<string>()
    const visit = ({ tag, arg, args = {}, value, payload }: Rule): void => {
      for (const said of [arg, value, ...Object.values(args)]) if (said !== undefined) values.add(said)
      if (/^if(Option)?(En|Dis)abled$/.test(tag)) options.add(String(arg))
      if (tag.endsWith("sSubresource")) subresources.add(String(value))
      if (payload !== undefined) visit(payload)
    }
    for (const { rules = [], fields = [], constants = [] } of Object.values(document.types)) {
      for (const rule of [...rules, ...fields.flatMap(field => field.rules ?? [])]) visit(rule)
      for (const { value, rules: own = [] } of constants) {
        values.add(value)
        own.forEach(visit)
      }
    }
    this.#texts = [...usualTexts, ...[...values].filter(value => typeof value === "string")].slice(0, 60)
    const numbers = [...values].filter(value => typeof value === "number")
    this.#numbers = [...usualNumbers, ...numbers.flatMap(value => [value - 1, value, value + 1])]
    this.#options = [...options]
    this.#subresources = [...subresources]
  }

  /** Returns an object of the type, alone or as the update of another. */
  question(random: Random, name: string): Question {
    const type = this.types.parse(name, "a root")
    const old = this.#value(random, type, 0)
    const next = this.#changed(random, type, old, random.pick([0, 0.05, 0.2, 1]), 0)
    const options: Record<string, boolean> = {}
    for (const option of this.#options) if (!random.chance(0.02)) options[option] = random.chance(0.5)
    const path =
      random.chance(0.8) || this.#subresources.length === 0 ? "" : random.pick([...this.#subresources, "/other"])
    const subresources = path === "" || path === "/" ? [] : path.replace(/^\//, "").split("/")
    return { new: next, old: random.chance(0.7) ? old : null, options, subresources }
  }

  #value(random: Random, type: GoType, depth: number): Value {
    if (type.pointer && depth > 0 && (depth > 6 || random.chance(0.4))) return null
    switch (type.kind) {
      case "string":
        return random.pick(this.#texts)
      case "bool":
        return random.chance(0.5)
      case "integer":
        return this.#integer(random, type)
      case "float":
        return random.below(4) / 2
      case "bytes":
        return random.pick(["", "YQ==", "YWI=", null])
      case "any":
        return random.pick<Value>([null, 1, "a", { a: [1] }])
      case "opaque":
        return random.pick(opaque.get(type.text.replace(/^.*\./, "")) ?? [null])
      case "slice":
        return this.#list(random, type, depth)
      case "map":
        return this.#map(random, type, depth)
      case "struct": {
        const made: Record<string, Value> = {}
        this.#fill(random, made, type, depth)
        return made
      }
    }
  }

  #integer(random: Random, { bounds }: GoType): number {
    const [least, most] = bounds ?? [0n, 0n]
    const fitting = this.#numbers.filter(value => BigInt(value) >= least && BigInt(value) <= most)
    return random.pick(fitting)
  }

  #list(random: Random, type: GoType, depth: number): Value {
    if (random.chance(0.2)) return null
    const made: Value[] = []
    for (let i = depth > 6 ? 0 : random.below(4); i > 0; i--) {
      const item = this.#value(random, type.element as GoType, depth + 1)
      // nil bytes equal empty bytes, so nil is used only sometimes.
      made.push(item === null && type.element?.kind === "bytes" ? "" : item)
    }
    return made
  }

  #map(random: Random, type: GoType, depth: number): Value {
    if (random.chance(0.2)) return null
    const made: Record<string, Value> = {}
    for (let i = depth > 6 ? 0 : random.below(4); i > 0; i--) {
      put(made, random.pick(this.#texts), this.#value(random, type.element as GoType, depth + 1))
    }
    return made
  }

  #fill(
    random: Random,
    made: Record<string, Value>,
    type: GoType,
    depth: number,
    around: ReadonlySet<string> = new Set(),
  ): void {
    for (const { json, type: inner, hidden } of type.fields()) {
      if (around.has(json)) continue
      if (json === "") this.#fill(random, made, inner, depth, new Set([...around, ...(hidden() ?? [])]))
      else if (!random.chance(depth === 0 ? 0.15 : 0.25)) {
        const value = this.#value(random, inner, depth + 1)
        // Most nulls are left out.
        if (value !== null || random.chance(0.2)) put(made, json, value)
      }
    }
  }

  /** Returns the value, with each part replaced with probability `p`. */
  #changed(random: Random, type: GoType, value: Value, p: number, depth: number): Value {
    if (random.chance(p) && depth > 0) return this.#value(random, type, depth)
    if (type.kind === "struct" && isMap(value)) return this.#changedStruct(random, type, value, p, depth)
    if (type.kind === "slice" && isList(value)) {
      const element = type.element as GoType
      const items = value.map(item => this.#changed(random, element, item, p, depth + 1))
      if (p > 0 && random.chance(0.2))
        items.splice(random.below(items.length + 1), 0, this.#value(random, element, depth + 1))
      if (p > 0 && random.chance(0.1)) items.splice(random.below(items.length + 1), 1)
      return random.chance(0.25) ? random.shuffled(items) : items
    }
    if (type.kind === "map" && isMap(value)) {
      const made: Record<string, Value> = {}
      for (const [key, item] of Object.entries(value)) {
        const at = random.chance(p / 2) ? random.pick(this.#texts) : key
        put(made, at, this.#changed(random, type.element as GoType, item, p, depth + 1))
      }
      return made
    }
    return value
  }

  #changedStruct(random: Random, type: GoType, value: MapValue, p: number, depth: number): Value {
    const made: Record<string, Value> = { ...value }
    const walk = (fields: ReturnType<GoType["fields"]>, around: ReadonlySet<string>): void => {
      for (const { json, type: inner, hidden } of fields) {
        if (around.has(json)) continue
        if (json === "") walk(inner.fields(), new Set([...around, ...(hidden() ?? [])]))
        else if (Object.hasOwn(value, json))
          put(made, json, this.#changed(random, inner, value[json] as Value, p, depth + 1))
        else if (random.chance(p)) put(made, json, this.#value(random, inner, depth + 1))
      }
    }
    walk(type.fields(), new Set())
    return made
  }
}
