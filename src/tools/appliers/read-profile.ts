// Reads a profile that a user wrote, and finds built-in ones by name.
import { StructuredMergeError } from "../../errors.js"
import { nearest } from "../../value/nearest.js"
import { anyOf, type RecordShape, record, type Shape, shapeProblems } from "../../value/shape.js"
import type { Value } from "../../value/value.js"
import { listOr } from "../../value/words.js"
import type { ApplierAlias, ApplierProfile } from "./profile.js"
import { applierProfiles, otherNames } from "./profiles.js"

/**
 * Returns the profile with this name, or the profile itself after a check of its parts. Throws a RangeError for a name that is unknown,
 * and a StructuredMergeError for a profile with a wrong part.
 */
export function applierProfile(as: string | ApplierProfile): ApplierProfile {
  if (typeof as !== "string") return readApplierProfile(as)
  const name = Object.hasOwn(otherNames, as) ? otherNames[as as ApplierAlias] : as
  const known: ApplierProfile | undefined = Object.hasOwn(applierProfiles, name)
    ? applierProfiles[name as keyof typeof applierProfiles]
    : undefined
  if (known !== undefined) return known
  const names = Object.keys(applierProfiles)
  const close = nearest(as, names)
  const advice = close === undefined ? `there are ${listOr(names)}` : `did you mean ${close}?`
  throw new RangeError(`no applier is called ${JSON.stringify(as)}: ${advice}`)
}

/**
 * Returns a profile that was written as a document (applier.schema.json). Throws a StructuredMergeError, which names the path, for a key
 * that is missing, unknown or of the wrong type.
 */
export function readApplierProfile(document: unknown): ApplierProfile {
  const [problem] = shapeProblems(document as Value, profile)
  if (problem !== undefined) throw wrong(problem.message)
  const { manager, managerPrefix, writes, before = [], after = [] } = document as ApplierProfile
  if (manager !== undefined && managerPrefix !== undefined)
    throw wrong(".managerPrefix must not stand next to .manager")
  if (writes === "update" && before.length + after.length > 0)
    throw wrong(".writes must not be update if there are steps")
  return document as ApplierProfile
}

function wrong(message: string): StructuredMergeError {
  return new StructuredMergeError("bad-request", `applier profile: ${message}`)
}

const text = anyOf("name")
const flag = anyOf("flag")
const texts: Shape = { is: "list", of: text }
const marks: Shape = { is: "map", of: text }

const entry = record({ manager: text, prefix: flag, operation: oneOf("Apply", "Update") }, ["manager", "operation"])
const stepCases: Readonly<Record<string, RecordShape>> = {
  "upgrade-managers": record(
    {
      managers: { is: "list", of: text, or: "owners-of-last-applied" },
      if: oneOf("never-applied"),
      reapplies: flag,
    },
    ["managers"],
  ),
  "replace-managers": record({ entries: { is: "list", of: entry }, annotations: texts, labels: texts, unless: marks }, [
    "entries",
  ]),
  "migrate-versions": record({}),
  "clear-managers": record({}),
  "keep-last-applied": record({ manager: text, onlyAs: text }, ["manager", "onlyAs"]),
}
const steps: Shape = { is: "list", of: { is: "cases", by: "step", cases: stepCases } }
const skip = record({ marked: marks, on: oneOf("configuration", "either"), existing: flag }, ["marked"])
const command = record({ text, force: text }, ["text"])
const way = record({ way: oneOf("relinquish", "share", "overwrite"), text }, ["way", "text"])

const profile = record(
  {
    $schema: anyOf("value"),
    name: text,
    tool: text,
    versions: text,
    manager: text,
    managerPrefix: text,
    writes: oneOf("apply", "update"),
    force: oneOf("always", "never", "on-request"),
    configuration: record({ goTypes: flag, labels: marks, annotations: marks }),
    skips: { is: "list", of: skip },
    sends: oneOf("always", "drift"),
    namespace: oneOf("release"),
    ignored: oneOf("live-value", "unless-applied"),
    recreates: marks,
    before: steps,
    after: steps,
    waves: text,
    commands: { is: "list", of: command },
    ways: { is: "list", of: way },
    sources: texts,
    proof: oneOf("programs", "sources"),
  },
  ["name", "tool", "force"],
)

function oneOf(...texts: readonly string[]): Shape {
  return { is: "one of", texts }
}
