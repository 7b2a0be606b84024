// Stories about an object whose versions differ: each manager uses the field names of its version.
import { emptyMap, isList, isMap, type Json, mapOf } from "./json.js"
import { MANAGERS, Plot, STEP_KINDS, type StoryOptions, settings, VERSIONS } from "./plot.js"
import type { Random } from "./random.js"
import type { Request } from "./requests.js"
import { fieldNamesOf, renamed, renamedSchema, schemaOfVersion } from "./schema-changes.js"
import { randomSchema, Schema } from "./schemas.js"

// Names of fields contain the version: `a_v1` in v1 is `a_v2` in v2.
export function renamingStory(random: Random): Request {
  const suffix = "v1"
  const schema = randomSchema(random, { root: suffix, suffix: `_${suffix}` })
  const plot = new Plot(random, schema, { namedType: suffix }, {}, { duplicates: "anywhere" })
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

// Keys repeat one letter, once for v1, twice for v2: `a` in v1 is `aa` in v2.
export function repeatingStory(random: Random): Request {
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

// v2 can be converted to v1 only while a certain field exists.
export function reliantFieldsStory(random: Random): Request {
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

/**
 * Fields trade their names between versions: the field `a` of one version is `b` in the next, which has another `a`. Some versions
 * lack fields, and some do not exist all the time.
 */
export function tradingStory(random: Random, options: StoryOptions): Request {
  const schema = randomSchema(random, { root: HUB, ...(options.unions !== undefined && { unions: options.unions }) })
  const duplicates = options.unions === undefined ? "anywhere" : "within items"
  const plot = new Plot(random, schema, { namedType: HUB }, {}, { duplicates, severalVersions: true })
  const namesAt = randomNames(random, schema)
  const types = VERSIONS.flatMap(version => schemaOfVersion(schema, HUB, version, namesAt(version)))
  const steps = plot.steps(random.between(3, 8)).flatMap(step => {
    const { object } = step
    if (object === undefined) return []
    // Sometimes uses names of another version, which mean other fields in this one.
    const names = namesAt(random.chance(0.1) ? random.pick(VERSIONS) : (step.apiVersion as string))
    return [mapOf({ ...step, object: namedAs(object, names) })]
  })
  if (random.chance(0.2)) {
    const versions = random.sample(VERSIONS, 2)
    steps.splice(random.below(steps.length + 1), 0, mapOf({ op: "acceptedVersions", versions }))
    if (random.chance(0.5)) steps.push(mapOf({ op: "acceptedVersions", versions: VERSIONS }), ...steps.slice(-1))
  }
  return {
    op: "updater",
    schema: new Schema([...new Map(types.map(type => [type.name, type])).values()]).text(),
    ...options.fields,
    converter: "trading",
    fieldNames: mapOf(Object.fromEntries(VERSIONS.map(version => [version, commonNames(namesAt(version))]))),
    acceptedVersions: VERSIONS,
    unknownFields: random.pick(["lose", "lose", "keep", "refuse"]),
    ...(random.chance(0.5) && { refusesVersions: true }),
    ...settings(random, plot),
    steps,
  }
}
const HUB = "hub"

/** Maps the schema's field names to those of one version, or to null if the version lacks the field. */
type Names = ReadonlyMap<string, string | null>

function randomNames(random: Random, schema: Schema): (version: string) => Names {
  const { all, needed } = fieldNamesOf(schema.types)
  const ofRoot = [...fieldNamesOf(schema.types.slice(0, 1)).all]
  const traded = new Set(random.sample(ofRoot, Math.min(ofRoot.length, random.between(2, 4))))
  for (const name of random.sample([...all], Math.min(all.size, random.below(3)))) traded.add(name)
  const losing = random.chance(0.4) ? 0.15 : 0
  const byVersion = new Map(
    VERSIONS.map((version): [string, Names] => {
      const names = [...traded]
      const others = random.chance(0.8) ? random.shuffled(names) : names
      const named = names.map((name, i): [string, string | null] => {
        if (!needed.has(name) && random.chance(losing)) return [name, null]
        return [name, random.chance(0.1) ? `${name} anew` : (others[i] as string)]
      })
      return [version, new Map(named)]
    }),
  )
  return version => byVersion.get(version) ?? new Map()
}

function commonNames(names: Names): Json {
  const out = emptyMap()
  for (const [common, name] of names) if (name !== null) out[name] = common
  return out
}

function namedAs(value: Json, names: Names): Json {
  if (isList(value)) return value.map(item => namedAs(item, names))
  if (!isMap(value)) return value
  const out = emptyMap()
  for (const key of Object.keys(value)) {
    const name = names.has(key) ? names.get(key) : key
    if (typeof name === "string") out[name] = namedAs(value[key] as Json, names)
  }
  return out
}
