// The format of story files as data. story.schema.json describes the same format for editors; a test compares the two.
import { unionPolicies } from "../../../union/policy.js"
import { anyOf, record, type Shape } from "../../../value/shape.js"
import { applierProfiles } from "../../appliers/profiles.js"
import { verbs } from "../simulation/request.js"

const text = anyOf("text")
const flag = anyOf("flag")
const map = anyOf("map")
const ref = anyOf("text", "map")
const maps: Shape = { is: "list", of: map }
const texts: Shape = { is: "list", of: text }
const unions: Shape = { is: "one of", texts: Object.keys(unionPolicies) }
const tool: Shape = { is: "one of", texts: Object.keys(applierProfiles) }
const onConflict: Shape = { is: "one of", texts: ["fail", "relinquish", "share", "overwrite"] }

const expectation = record({
  outcome: { is: "one of", texts: ["created", "changed", "unchanged", "deleted", "conflict", "error"] },
  error: anyOf("text", "number"),
  conflicts: { is: "list", of: record({ field: text, with: text }, ["field", "with"]) },
  changes: texts,
  object: ref,
  values: { is: "map", of: anyOf("value") },
  absent: texts,
  owners: { is: "map", of: anyOf("text", "list") },
  gained: { is: "map", of: texts },
  lost: { is: "map", of: texts },
  unions: texts,
})

const step = record(
  {
    about: text,
    manager: text,
    time: text,
    subresource: text,
    object: ref,
    apply: map,
    as: tool,
    force: flag,
    onConflict,
    update: map,
    patch: anyOf("map", "list"),
    create: map,
    delete: ref,
    changeSchema: text,
    expect: expectation,
  },
  [],
  // A step has exactly one of these keys.
  Object.keys(verbs),
)

/** The format of a story. */
export const storyShape: Shape = record(
  {
    title: text,
    about: text,
    managers: { is: "map", of: record({ about: text, subresource: text, as: tool, force: flag, onConflict }) },
    unions,
    definitions: maps,
    schemas: { is: "map", of: record({ definitions: maps, unions }) },
    defaults: maps,
    objects: maps,
    steps: { is: "list", of: step },
  },
  ["title", "steps"],
)
