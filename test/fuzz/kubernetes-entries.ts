// Random managedFields of an object: entries with an old time, whose fields mostly exist.
import { emptyMap, type Json, type JsonMap, jsonText, mapOf, parseJson } from "./json.js"
import { apiVersionOf, type Subject } from "./kubernetes-subjects.js"
import type { Random } from "./random.js"
import { type SetNode, spellSet } from "./sets.js"
import { setWithin } from "./typed-requests.js"

const MANAGERS = [
  "kubectl",
  "kubectl-client-side-apply",
  "kubectl-edit",
  "alice",
  "bob",
  "kube-controller-manager",
  "ü<",
]
const TIMES = ["2020-01-01T00:00:00Z", "2020-01-01T00:00:01Z", "2019-12-31T23:00:00-02:00", "2021-06-30T12:00:00.25Z"]

export interface EntryOptions {
  /** Share of entries with a mistake. */
  readonly mistakes: number
  readonly managers?: readonly string[]
  readonly operations?: readonly string[]
}

/** Returns an entry that owns some of the object's fields. */
function randomEntry(random: Random, subject: Subject, object: JsonMap, options: EntryOptions): JsonMap {
  const { managers = MANAGERS, operations = ["Apply", "Update"], mistakes } = options
  const entry = mapOf({
    manager: random.pick(managers),
    operation: random.pick(operations),
    apiVersion: apiVersionOf(subject.group, versionOf(random, subject)),
    ...(random.chance(0.85) && { time: random.pick(TIMES) }),
    fieldsType: "FieldsV1",
    fieldsV1: fieldsWithin(random, subject, object),
    ...(random.chance(0.15) && { subresource: random.pick(["status", "scale"]) }),
  })
  if (!random.chance(mistakes)) return entry
  const key = random.pick(["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"])
  if (random.chance(0.4)) delete entry[key]
  else entry[key] = random.pick(WRONG[key] ?? [null])
  return entry
}

const WRONG: { readonly [key: string]: readonly Json[] } = {
  manager: ["", 1, null],
  operation: ["", "Patch", "apply", null],
  apiVersion: ["", "v0", "a/b/c", "gone.example.com/v1", null],
  time: ["yesterday", "", null, 1],
  fieldsType: ["", "FieldsV2", null],
  fieldsV1: [
    null,
    emptyMap(),
    "text",
    [1],
    mapOf({ "k:{": emptyMap() }),
    mapOf({ "f:a": 1 }),
    mapOf({ "x:a": emptyMap() }),
  ],
  subresource: [null, 1, ""],
}

function versionOf(random: Random, subject: Subject): string {
  if (random.chance(0.8)) return subject.version
  return random.chance(0.6) ? random.pick(subject.versions) : "v1alpha9"
}

/** Returns some of the object's fields as FieldsV1. */
export function fieldsWithin(random: Random, subject: Subject, object: JsonMap): Json {
  const set: SetNode = setWithin(random, subject.schema, subject.ref, object)
  for (const name of ["f:apiVersion", "f:kind"]) if (random.chance(0.9)) set.children.delete(name)
  const spelled = spellSet(random, set)
  return typeof spelled === "string" ? parseJson(spelled) : spelled
}

/** Returns one to `most` entries. */
export function randomEntries(
  random: Random,
  subject: Subject,
  object: JsonMap,
  most: number,
  options: EntryOptions,
): JsonMap[] {
  return Array.from({ length: random.between(1, most) }, () => randomEntry(random, subject, object, options))
}

/** Returns the configuration as kubectl's client-side apply writes it into an annotation. */
export function lastApplied(random: Random, config: JsonMap): string {
  if (random.chance(0.05)) return random.pick(["", "{}", "[", "null", '{"apiVersion":"v1"}', '{"kind":"Pod"}'])
  return `${jsonText(config)}${random.chance(0.7) ? "\n" : ""}`
}
