// Stories for the updater: several managers apply and update one object in several versions, with what the updater can be
// configured with. Each new object is mostly an edit of an earlier one, so that ownership overlaps.
import { emptyMap, isList, isMap, type Json, type JsonMap, jsonText, mapOf } from "./json.js"
import type { Random } from "./random.js"
import type { Request } from "./requests.js"
import { changedSchema, randomSchema, renamed, renamedSchema, Schema, type TypeRef, UNTYPED } from "./schemas.js"
import { randomFilter } from "./set-requests.js"
import { setOfPaths, spellSet } from "./sets.js"
import { setWithin } from "./typed-requests.js"
import { pathsOf, ValueMaker } from "./values.js"
import { yamlText } from "./yaml.js"

const VERSIONS = ["v1", "v2", "v3"]
const MANAGERS = ["alice", "bob", "carol", "controller", "__proto__"]

/** A story on one object, in one of the settings that the protocol's updater knows. */
export function randomStory(random: Random): Request {
  const setting = random.below(100)
  if (setting < 68) return sameObjectStory(random, {})
  if (setting < 78) return specificVersionsStory(random, {})
  if (setting < 91) return renamingStory(random)
  return setting < 96 ? repeatingStory(random) : reliantFieldsStory(random)
}

/** A story on a schema with unions, normalized as the reference's v4 did, or left alone. */
export function randomUnionStory(random: Random): Request {
  const unions = random.chance(0.93)
    ? { unions: "v4" }
    : random.chance(0.5)
      ? { enableUnions: true }
      : { unions: "off" }
  return random.chance(0.9)
    ? sameObjectStory(random, { unions: 0.4, fields: unions })
    : specificVersionsStory(random, { unions: 0.4, fields: unions })
}

interface StoryOptions {
  /** Share of structs with unions. */
  readonly unions?: number
  readonly fields?: { readonly [field: string]: Json }
}

// Every version is the same object: of one type, of a type for each version, or without a schema.
function sameObjectStory(random: Random, options: StoryOptions): Request {
  const plot = randomPlot(random, options)
  const fields: { [field: string]: Json } = { ...plot.fields, ...options.fields, ...settings(random, plot) }
  const steps = plot.steps(random.between(3, 8))
  if (!("deduced" in fields) && random.chance(0.15)) addSchemaChanges(random, plot.schema, steps)
  return { op: "updater", ...fields, steps }
}

// Some versions are no longer, or not yet, convertible.
function specificVersionsStory(random: Random, options: StoryOptions): Request {
  const plot = randomPlot(random, options)
  const steps = plot.steps(random.between(3, 7))
  for (let i = random.between(1, 2); i > 0; i--) {
    const versions = random.sample(VERSIONS, random.between(1, 3))
    steps.splice(random.below(steps.length + 1), 0, mapOf({ op: "acceptedVersions", versions }))
  }
  return {
    op: "updater",
    ...plot.fields,
    ...options.fields,
    converter: "specificVersions",
    acceptedVersions: random.sample(VERSIONS, random.pick([2, 3, 3])),
    ...settings(random, plot),
    steps,
  }
}

function randomPlot(random: Random, options: StoryOptions): Plot {
  if (options.unions === undefined && random.chance(0.1)) {
    return new Plot(random, new Schema(UNTYPED), { namedType: "__untyped_deduced_" }, { deduced: true })
  }
  const schema = randomSchema(random, { root: "v1", ...(options.unions !== undefined && { unions: options.unions }) })
  const ref = { namedType: "v1" }
  // The union rules come from a release that knew no duplicate items.
  const mayRepeat = options.unions === undefined
  if (random.chance(0.04)) {
    const other = random.pick(schema.types).name
    const typesByVersion = mapOf({ v1: "v1", v2: "v1", v3: other })
    return new Plot(random, schema, ref, { schema: schema.text(), typesByVersion }, mayRepeat)
  }
  return new Plot(random, schema, ref, { schema: schema.text(), type: "v1" }, mayRepeat)
}

/** What happens to the object, as far as a client can guess it. */
class Plot {
  private readonly maker: ValueMaker
  private readonly managers: readonly string[]
  private readonly versions: readonly string[]
  private readonly applied = new Map<string, Json>()
  private live: Json = emptyMap()
  private actor = ""

  constructor(
    private readonly random: Random,
    readonly schema: Schema,
    readonly ref: TypeRef,
    readonly fields: { readonly [field: string]: Json },
    mayRepeat = true,
  ) {
    const mistakes = random.chance(0.15) ? 0.02 : 0
    const duplicates = mayRepeat && random.chance(0.25) ? 0.15 : 0
    this.maker = new ValueMaker(random, schema, { mistakes, duplicates })
    this.managers = random.sample(MANAGERS, random.pick([1, 2, 2, 3, 3, 3, 4, 5]))
    this.versions = random.chance(0.4) ? ["v1"] : random.sample(VERSIONS, random.between(1, 3))
  }

  steps(count: number): JsonMap[] {
    return Array.from({ length: count }, () => this.step())
  }

  private step(): JsonMap {
    const { random } = this
    const op = random.weighted(STEP_KINDS)
    const manager = this.nextManager()
    const object = op === "update" ? this.nextLive() : this.nextConfig(manager)
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

  // The first object is made anew, and the later ones of an object that has become empty.
  private seeded(value: Json): Json {
    return isMap(value) && Object.keys(value).length > 0 ? value : this.maker.value(this.ref)
  }

  /** A rough picture of the object at the end. */
  get picture(): Json {
    return this.seeded(this.live)
  }
}

const STEP_KINDS: readonly (readonly [number, string])[] = [
  [48, "apply"],
  [16, "forceApply"],
  [28, "update"],
  [8, "extractApply"],
]

// The applied object laid over the live one, lists by what they hold: near enough to what the merge gives.
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

// Some of the object's fields, as one of several appliers names them.
function partOf(random: Random, value: Json): Json {
  if (!isMap(value)) return value
  const out = emptyMap()
  for (const key of Object.keys(value)) {
    if (random.chance(0.75)) out[key] = random.chance(0.3) ? partOf(random, value[key] as Json) : (value[key] as Json)
  }
  return out
}

function settings(random: Random, plot: Plot): { [field: string]: Json } {
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

function addSchemaChanges(random: Random, schema: Schema, steps: JsonMap[]): void {
  const changed = changedSchema(random, schema)
  const at = random.below(steps.length + 1)
  steps.splice(at, 0, mapOf({ op: "changeSchema", schema: changed.text() }))
  if (random.chance(0.4)) {
    const next = random.chance(0.5) ? schema : changedSchema(random, changed)
    steps.splice(random.between(at + 1, steps.length), 0, mapOf({ op: "changeSchema", schema: next.text() }))
  }
}

// Fields are named after the version: `a_v1` in v1 is `a_v2` in v2.
function renamingStory(random: Random): Request {
  const suffix = "v1"
  const schema = randomSchema(random, { root: suffix, suffix: `_${suffix}` })
  const plot = new Plot(random, schema, { namedType: suffix }, {})
  const steps = plot.steps(random.between(2, 7)).map(step => {
    const object = step.object
    return object === undefined
      ? step
      : mapOf({ ...step, object: renamedKeys(object, suffix, step.apiVersion as string) })
  })
  const types = new Map(schema.types.map(type => [type.name, type]))
  for (const version of ["v2", "v3"]) {
    for (const type of renamedSchema(schema, suffix, version).types) types.set(type.name, type)
  }
  return {
    op: "updater",
    schema: new Schema([...types.values()]).text(),
    converter: "renaming",
    ...(random.chance(0.25) && { returnInputOnNoop: true }),
    ...(random.chance(0.3) && { finalApiVersion: random.pick(VERSIONS) }),
    steps: steps.filter(step => step.object !== undefined),
  }
}

function renamedKeys(value: Json, from: string, to: string): Json {
  if (isList(value)) return value.map(item => renamedKeys(item, from, to))
  if (!isMap(value)) return value
  const out = emptyMap()
  for (const key of Object.keys(value)) out[renamed(key, from, to)] = renamedKeys(value[key] as Json, from, to)
  return out
}

// Keys are one letter, repeated as often as the version says: `a` in v1 is `aa` in v2.
function repeatingStory(random: Random): Request {
  const steps = Array.from({ length: random.between(2, 6) }, () => {
    const times = random.between(1, 3)
    return mapOf({
      op: random.weighted(STEP_KINDS),
      manager: random.pick(["alice", "bob"]),
      apiVersion: `v${times}`,
      object: mapOf({ [REPEATED_FIELD]: letterMap(random, times, 3) }),
    })
  })
  const map = { elementType: { namedType: "letters" } }
  const root = { fields: [{ name: REPEATED_FIELD, type: { namedType: "letters" } }] }
  const schema = new Schema([
    { name: "root", map: root },
    { name: "letters", map },
  ])
  return {
    op: "updater",
    schema: schema.text(),
    type: "root",
    converter: "repeating",
    ...(random.chance(0.3) && { finalApiVersion: random.pick(VERSIONS) }),
    steps,
  }
}
const REPEATED_FIELD = "letters"

function letterMap(random: Random, times: number, depth: number): Json {
  const count = depth === 0 ? 0 : random.below(3)
  if (count === 0) return depth === 3 ? mapOf({ ["a".repeat(times)]: null }) : null
  const out = emptyMap()
  for (const letter of random.sample(["a", "b", "c", "d"], count)) {
    out[letter.repeat(times)] = letterMap(random, times, depth - 1)
  }
  return out
}

// v1 can be made from v2 only while the field that it relies on is there.
function reliantFieldsStory(random: Random): Request {
  const scalar = { scalar: "string" }
  const schema = new Schema([
    { name: "v1", map: { fields: ["field_foo_rely_on_bar", "common_field"].map(name => ({ name, type: scalar })) } },
    { name: "v2", map: { fields: ["required_field_bar", "common_field"].map(name => ({ name, type: scalar })) } },
  ])
  const steps = Array.from({ length: random.between(2, 6) }, () => {
    const apiVersion = random.pick(["v1", "v2"])
    const object = emptyMap()
    const special = apiVersion === "v1" ? "field_foo_rely_on_bar" : "required_field_bar"
    if (random.chance(0.7)) object[special] = random.pick(["a", "b"])
    if (random.chance(0.7)) object.common_field = random.pick(["a", "b", "c"])
    return mapOf({ op: random.weighted(STEP_KINDS), manager: random.pick(MANAGERS), apiVersion, object })
  })
  return {
    op: "updater",
    schema: schema.text(),
    converter: "reliantFields",
    ...(random.chance(0.3) && { finalApiVersion: random.pick(["v1", "v2"]) }),
    steps,
  }
}
