import type { Random } from "./random.js"
import type { Layer, Request } from "./requests.js"
import { randomSchema } from "./schemas.js"
import { randomUnionStory } from "./stories.js"
import { ValueMaker } from "./values.js"

/** Requests on schemas with unions: normalizing alone, and inside the updater. */
export const unionRequests: Layer = {
  normalizeUnions: { weight: 35, make: random => normalize(random, "normalizeUnions") },
  normalizeUnionsApply: { weight: 25, make: random => normalize(random, "normalizeUnionsApply") },
  updater: { weight: 40, make: randomUnionStory },
}

function normalize(random: Random, op: string): Request {
  const schema = randomSchema(random, { root: "root", unions: 0.5, ...(random.chance(0.3) && { lists: 0.4 }) })
  const ref = { namedType: "root" }
  const duplicates = random.chance(0.3) ? 0.3 : 0
  const maker = new ValueMaker(random, schema, { mistakes: 0, duplicates, duplicatesWithin: random.chance(0.9) })
  const lhs = maker.value(ref)
  const next = random.chance(0.9) ? maker.edit(ref, lhs) : maker.value(ref)
  const self = op === "normalizeUnionsApply" && random.chance(0.3)
  return {
    op,
    schema: schema.text(),
    type: "root",
    lhs,
    new: self ? lhs : next,
    unions: "v4",
    ...(self && { self: true }),
    ...(duplicates > 0 && { allowDuplicates: true }),
  }
}
