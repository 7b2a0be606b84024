// Stories for the updater: several managers apply and update one object in several versions, with all settings of the updater.
// Most new objects are edits of earlier ones, so that ownership overlaps.
import { type Json, type JsonMap, mapOf } from "./json.js"
import { Plot, type StoryOptions, settings, VERSIONS } from "./plot.js"
import type { Random } from "./random.js"
import type { Request } from "./requests.js"
import { changedSchema } from "./schema-changes.js"
import { randomSchema, Schema, UNTYPED } from "./schemas.js"
import { reliantFieldsStory, renamingStory, repeatingStory, tradingStory } from "./version-stories.js"

/** A story about one object, with random settings of the protocol's updater. */
export function randomStory(random: Random): Request {
  const setting = random.below(100)
  if (setting < 58) return sameObjectStory(random, {})
  if (setting < 67) return specificVersionsStory(random, {})
  if (setting < 81) return tradingStory(random, {})
  if (setting < 91) return renamingStory(random)
  return setting < 96 ? repeatingStory(random) : reliantFieldsStory(random)
}

/** A story about a schema with unions, which are normalized as in the reference's v4 or not at all. */
export function randomUnionStory(random: Random): Request {
  const unions = random.chance(0.93)
    ? { unions: "v4" }
    : random.chance(0.5)
      ? { enableUnions: true }
      : { unions: "off" }
  const options = { unions: 0.4, fields: unions }
  const setting = random.below(100)
  if (setting < 80) return sameObjectStory(random, options)
  return setting < 88 ? specificVersionsStory(random, options) : tradingStory(random, options)
}

// Objects are the same in every version: of one type, of one type for each version, or without a schema.
function sameObjectStory(random: Random, options: StoryOptions): Request {
  const plot = randomPlot(random, options)
  const fields: { [field: string]: Json } = { ...plot.fields, ...options.fields, ...settings(random, plot) }
  const changes = !("deduced" in fields) && random.chance(0.2)
  const steps = changes ? stepsAcrossSchemas(random, plot) : plot.steps(random.between(3, 8))
  return { op: "updater", ...fields, steps }
}

// Some versions are no longer convertible, or not yet.
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
    return new Plot(
      random,
      new Schema(UNTYPED),
      { namedType: "__untyped_deduced_" },
      { deduced: true },
      { duplicates: "anywhere" },
    )
  }
  const schema = randomSchema(random, {
    root: "v1",
    ...(options.unions !== undefined && { unions: options.unions }),
    ...(random.chance(0.3) && { lists: 0.4 }),
  })
  const ref = { namedType: "v1" }
  // The union rules come from a release that refuses duplicate items unless they are inside items.
  const duplicates = options.unions === undefined ? "anywhere" : "within items"
  if (random.chance(0.04)) {
    const other = random.pick(schema.types).name
    const typesByVersion = mapOf({ v1: "v1", v2: "v1", v3: other })
    return new Plot(random, schema, ref, { schema: schema.text(), typesByVersion }, { duplicates })
  }
  return new Plot(random, schema, ref, { schema: schema.text(), type: "v1" }, { duplicates })
}

// The schema changes, and often changes back.
function stepsAcrossSchemas(random: Random, plot: Plot): JsonMap[] {
  const before = plot.schema
  const changed = changedSchema(random, before)
  const steps = plot.steps(random.between(1, 4))
  steps.push(plot.changeSchema(changed, random.chance(0.7)), ...plot.steps(random.between(1, 3)))
  if (random.chance(0.6)) {
    const next = random.chance(0.75) ? before : changedSchema(random, changed)
    steps.push(plot.changeSchema(next, true), ...plot.steps(random.between(1, 3)))
  }
  return steps
}
