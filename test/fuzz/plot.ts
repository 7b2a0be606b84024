// Makes the steps of a story and the settings of its updater. Tracks the object as far as its clients can guess it.
import { emptyMap, isList, isMap, type Json, type JsonMap, jsonText, mapOf } from "./json.js"
import type { Random } from "./random.js"
import type { Schema, TypeRef } from "./schemas.js"
import { randomFilter } from "./set-requests.js"
import { setOfPaths, spellSet } from "./sets.js"
import { setWithin } from "./typed-requests.js"
import { pathsOf, ValueMaker, type ValueOptions } from "./values.js"
import { yamlText } from "./yaml.js"

export const VERSIONS = ["v1", "v2", "v3"]
export const MANAGERS = ["alice", "bob", "carol", "controller", "__proto__"]

/** The properties of a story. */
export interface StoryOptions {
  /** Share of structs with unions; absent for a schema that can have none. */
  readonly unions?: number
  /** Fields of the request. */
  readonly fields?: { readonly [field: string]: Json }
}

export interface PlotOptions {
  /** The lists that may hold duplicate items. */
  readonly duplicates: "anywhere" | "within items"
  /** Whether the steps must have several versions. */
  readonly severalVersions?: boolean
}

/** Makes the steps of a story. Most new objects are edits of earlier ones. */
export class Plot {
  private maker: ValueMaker
  private readonly values: ValueOptions
  private readonly managers: readonly string[]
  private readonly versions: readonly string[]
  private readonly applied = new Map<string, Json>()
  private live: Json = emptyMap()
  private actor = ""

  constructor(
    private readonly random: Random,
    private current: Schema,
    readonly ref: TypeRef,
    readonly fields: { readonly [field: string]: Json },
    options: PlotOptions,
  ) {
    const mistakes = random.chance(0.15) ? 0.02 : 0
    const duplicates = random.chance(0.3) ? random.pick([0.15, 0.4]) : 0
    const duplicatesWithin = options.duplicates === "within items" && random.chance(0.8)
    this.values = { mistakes, duplicates, duplicatesWithin }
    this.maker = new ValueMaker(random, current, this.values)
    this.managers = random.sample(MANAGERS, random.pick([1, 2, 2, 3, 3, 3, 4, 5]))
    this.versions = options.severalVersions
      ? random.sample(VERSIONS, random.between(2, 3))
      : random.chance(0.4)
        ? ["v1"]
        : random.sample(VERSIONS, random.between(1, 3))
  }

  get schema(): Schema {
    return this.current
  }

  /** Returns a step that changes the schema. Objects of later steps fit the new one, unless clients don't know it. */
  changeSchema(schema: Schema, known: boolean): JsonMap {
    if (known) {
      this.current = schema
      this.maker = new ValueMaker(this.random, schema, this.values)
    }
    return mapOf({ op: "changeSchema", schema: schema.text() })
  }

  steps(count: number): JsonMap[] {
    return Array.from({ length: count }, () => this.step())
  }

  private step(): JsonMap {
    const { random } = this
    const op = random.weighted(STEP_KINDS)
    const manager = this.nextManager()
    const object = op === "update" ? this.nextLive() : this.withoutRepeats(this.nextConfig(manager))
    if (op === "update") this.live = object
    else {
      this.applied.set(manager, object)
      this.live = layered(this.live, object)
    }
    const operand: { [field: string]: Json } = random.chance(0.04)
      ? { objectYAML: yamlText(random, object) }
      : { object }
    return mapOf({ op, manager, apiVersion: random.pick(this.versions), ...operand })
  }

  private nextManager(): string {
    const { random } = this
    const others = this.managers.filter(name => name !== this.actor)
    this.actor = random.pick(others.length > 0 && random.chance(0.7) ? others : this.managers)
    return this.actor
  }

  private nextLive(): Json {
    if (this.random.chance(0.05)) return this.maker.value(this.ref)
    return this.random.chance(0.1) ? this.live : this.maker.edit(this.ref, this.seeded(this.live))
  }

  // An applier may not write duplicate items, but it may apply to an object that has some.
  private withoutRepeats(config: Json): Json {
    return this.values.duplicates > 0 && this.random.chance(0.9) ? this.maker.distinct(this.ref, config) : config
  }

  private nextConfig(manager: string): Json {
    const { random } = this
    const before = this.applied.get(manager)
    const choice = random.below(100)
    if (choice < 3) return emptyMap()
    if (before !== undefined && choice < 8) return before
    if (before !== undefined && choice < 45) return this.maker.edit(this.ref, before)
    if (choice < 93) return partOf(random, this.maker.edit(this.ref, this.seeded(this.live)))
    return this.maker.value(this.ref)
  }

  // The first object is new. So is one that follows an empty object.
  private seeded(value: Json): Json {
    return isMap(value) && Object.keys(value).length > 0 ? value : this.maker.value(this.ref)
  }

  /** Returns a rough copy of the object after the last step. */
  get picture(): Json {
    return this.seeded(this.live)
  }
}

/** The kinds of steps, and how often each is chosen. */
export const STEP_KINDS: readonly (readonly [number, string])[] = [
  [48, "apply"],
  [16, "forceApply"],
  [28, "update"],
  [8, "extractApply"],
]

// Merges the applied object into the live one. Lists are matched by their contents. The result is close to a real merge.
function layered(live: Json, config: Json): Json {
  if (isMap(live) && isMap(config)) {
    const out = Object.assign(emptyMap(), live)
    for (const key of Object.keys(config)) {
      const before = live[key]
      out[key] = before === undefined ? (config[key] as Json) : layered(before, config[key] as Json)
    }
    return out
  }
  if (isList(live) && isList(config)) {
    const known = new Set(config.map(jsonText))
    return [...config, ...live.filter(item => !isMap(item) && !known.has(jsonText(item)))]
  }
  return config
}

// Returns some of the object's fields, as one of several appliers would.
function partOf(random: Random, value: Json): Json {
  if (!isMap(value)) return value
  const out = emptyMap()
  for (const key of Object.keys(value)) {
    if (random.chance(0.75)) out[key] = random.chance(0.3) ? partOf(random, value[key] as Json) : (value[key] as Json)
  }
  return out
}

/** Returns random settings for the updater of a story. */
export function settings(random: Random, plot: Plot): { [field: string]: Json } {
  const out: { [field: string]: Json } = {}
  if (random.chance(0.25)) out.returnInputOnNoop = true
  const choice = random.below(100)
  const set = setOfPaths(pathsOf(plot.schema, plot.ref, plot.picture))
  if (choice < 8)
    out.ignoredFields = forVersions(() => spellSet(random, setWithin(random, plot.schema, plot.ref, plot.picture)))
  else if (choice < 15) out.ignoreFilter = forVersions(() => randomFilter(random, set))
  if (random.chance(0.1)) out.finalApiVersion = random.pick(VERSIONS)
  return out
}

function forVersions(make: () => Json): JsonMap {
  const first = make()
  return mapOf({ v1: first, v2: first, v3: make() })
}
