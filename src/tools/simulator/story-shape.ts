// The format of story files as data, and the check of a document against it. story.schema.json describes the same format for editors; a
// test compares the two.

import { unionPolicies } from "../../union/policy.js"
import { didYouMean } from "../../value/nearest.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { listAnd } from "../../value/words.js"
import { applierProfiles } from "../appliers/profiles.js"

/** A problem of a document, with the steps to the value that has it. */
export interface ShapeProblem {
  readonly steps: readonly (string | number)[]
  readonly message: string
}

type Shape =
  | {
      readonly is: "text" | "flag" | "map" | "value" | "text or number" | "text or map" | "map or list" | "text or list"
    }
  | { readonly is: "one of"; readonly values: readonly string[] }
  | { readonly is: "list"; readonly of: Shape }
  | { readonly is: "names"; readonly of: Shape }
  | RecordShape

interface RecordShape {
  readonly is: "record"
  readonly fields: Readonly<Record<string, Shape>>
  readonly required: readonly string[]
  /** Keys that exclude each other. The record must have exactly one of them. */
  readonly either?: readonly string[]
}

const text: Shape = { is: "text" }
const flag: Shape = { is: "flag" }
const map: Shape = { is: "map" }
const value: Shape = { is: "value" }
const ref: Shape = { is: "text or map" }
const maps: Shape = { is: "list", of: map }
const texts: Shape = { is: "list", of: text }
const unions: Shape = { is: "one of", values: Object.keys(unionPolicies) }
const tool: Shape = { is: "one of", values: Object.keys(applierProfiles) }
const onConflict: Shape = { is: "one of", values: ["fail", "relinquish", "share", "overwrite"] }

function record(fields: RecordShape["fields"], required: readonly string[] = [], either?: readonly string[]): Shape {
  return { is: "record", fields, required, ...(either !== undefined && { either }) }
}

const expectation = record({
  outcome: { is: "one of", values: ["created", "changed", "unchanged", "deleted", "conflict", "error"] },
  error: { is: "text or number" },
  conflicts: { is: "list", of: record({ field: text, with: text }, ["field", "with"]) },
  changes: texts,
  object: ref,
  values: { is: "names", of: value },
  absent: texts,
  owners: { is: "names", of: { is: "text or list" } },
  gained: { is: "names", of: texts },
  lost: { is: "names", of: texts },
  unions: texts,
})

/** The keys that contain the request of a step. A step has exactly one of them. */
export const verbs = ["apply", "update", "patch", "create", "delete", "changeSchema"] as const

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
    patch: { is: "map or list" },
    create: map,
    delete: ref,
    changeSchema: text,
    expect: expectation,
  },
  [],
  verbs,
)

/** The format of a story. */
export const storyShape: Shape = record(
  {
    title: text,
    about: text,
    managers: { is: "names", of: record({ about: text, subresource: text, as: tool, force: flag, onConflict }) },
    unions,
    definitions: maps,
    schemas: { is: "names", of: record({ definitions: maps, unions }) },
    defaults: maps,
    objects: maps,
    steps: { is: "list", of: step },
  },
  ["title", "steps"],
)

/** Returns every problem of the value. */
export function shapeProblems(value: Value, shape: Shape, steps: ShapeProblem["steps"] = []): ShapeProblem[] {
  switch (shape.is) {
    case "one of": {
      const { values } = shape
      if (typeof value === "string" && values.includes(value)) return []
      const near = typeof value === "string" ? didYouMean(value, values) : ""
      return [{ steps, message: `expected ${values.join(", ")}${near}` }]
    }
    case "list":
      if (!isList(value)) return [{ steps, message: "expected a list" }]
      return value.flatMap((item, i) => shapeProblems(item, shape.of, [...steps, i]))
    case "names":
      if (!isMap(value)) return [{ steps, message: "expected a map" }]
      return Object.keys(value).flatMap(key => shapeProblems(own(value, key) as Value, shape.of, [...steps, key]))
    case "record":
      return isMap(value) ? recordProblems(value, shape, steps) : [{ steps, message: "expected a map" }]
    default:
      return shape.is === "value" || shape.is.split(" or ").some(kind => kind === kindOf(value))
        ? []
        : [
            {
              steps,
              message: `expected ${shape.is === "flag" ? "true or false" : `a ${shape.is.replace(" or ", " or a ")}`}`,
            },
          ]
  }
}

function recordProblems(
  value: MapValue,
  { fields, required, either }: RecordShape,
  steps: ShapeProblem["steps"],
): ShapeProblem[] {
  const problems: ShapeProblem[] = []
  for (const key of Object.keys(value)) {
    const shape = Object.hasOwn(fields, key) ? fields[key] : undefined
    const at = [...steps, key]
    if (shape !== undefined) problems.push(...shapeProblems(own(value, key) as Value, shape, at))
    else problems.push({ steps: at, message: `unknown key ${key}${didYouMean(key, Object.keys(fields))}` })
  }
  for (const key of required) if (own(value, key) === undefined) problems.push({ steps, message: `${key} is missing` })
  const present = either?.filter(key => own(value, key) !== undefined) ?? []
  if (either !== undefined && present.length !== 1) {
    const has = present.length === 0 ? "" : `, found ${listAnd(present)}`
    problems.push({ steps, message: `expected one of ${either.join(", ")}${has}` })
  }
  return problems
}

function kindOf(value: Value): string {
  if (isMap(value)) return "map"
  if (isList(value)) return "list"
  if (typeof value === "boolean") return "flag"
  return typeof value === "string" ? "text" : value === null ? "null" : "number"
}
