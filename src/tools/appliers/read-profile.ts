// Reads a profile that a user wrote, and finds built-in ones by name.
import { StructuredMergeError } from "../../errors.js"
import { formatValue } from "../../value/format.js"
import { didYouMean, nearest } from "../../value/nearest.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
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
 * Returns a profile that was written as a document (applier.schema.json). Throws a StructuredMergeError, which names the path, for a
 * property that is missing, unknown or of the wrong type.
 */
export function readApplierProfile(document: unknown): ApplierProfile {
  check(document as Value, profile, "")
  const { manager, managerPrefix, writes, before = [], after = [] } = document as ApplierProfile
  if (manager !== undefined && managerPrefix !== undefined)
    throw wrong(".managerPrefix", "must not stand next to manager")
  if (writes === "update" && before.length + after.length > 0)
    throw wrong(".writes", "must not be update if there are steps")
  return document as ApplierProfile
}

/** What a value of a profile may be. */
type Shape =
  | "text"
  | "flag"
  | "texts"
  | "marks"
  | { readonly oneOf: readonly string[] }
  | { readonly list: Shape }
  | { readonly listOr: string }
  | Cases
  | { readonly fields: Fields }

/** Maps with different properties, which the value of one property tells apart. */
interface Cases {
  readonly by: string
  readonly cases: Readonly<Record<string, Fields>>
}

/** The properties of a map. Names that end with `?` may be absent. */
type Fields = Readonly<Record<string, Shape>>

const steps: Shape = {
  list: {
    by: "step",
    cases: {
      "upgrade-managers": {
        managers: { listOr: "owners-of-last-applied" },
        "if?": { oneOf: ["never-applied"] },
        "reapplies?": "flag",
      },
      "replace-managers": {
        entries: {
          list: { fields: { manager: "text", "prefix?": "flag", operation: { oneOf: ["Apply", "Update"] } } },
        },
        "annotations?": "texts",
        "labels?": "texts",
        "unless?": "marks",
      },
      "migrate-versions": {},
      "clear-managers": {},
      "keep-last-applied": { manager: "text", onlyAs: "text" },
    },
  },
}

const profile: Shape = {
  fields: {
    name: "text",
    tool: "text",
    "versions?": "text",
    "manager?": "text",
    "managerPrefix?": "text",
    "writes?": { oneOf: ["apply", "update"] },
    force: { oneOf: ["always", "never", "on-request"] },
    "configuration?": { fields: { "goTypes?": "flag", "labels?": "marks", "annotations?": "marks" } },
    "skips?": {
      list: { fields: { marked: "marks", "on?": { oneOf: ["configuration", "either"] }, "existing?": "flag" } },
    },
    "sends?": { oneOf: ["always", "drift"] },
    "before?": steps,
    "after?": steps,
    "waves?": "text",
    "commands?": { list: { fields: { text: "text", "force?": "text" } } },
    "ways?": { list: { fields: { way: { oneOf: ["relinquish", "share", "overwrite"] }, text: "text" } } },
    "sources?": "texts",
    "proof?": { oneOf: ["programs", "sources"] },
  },
}

function check(value: Value | undefined, shape: Shape, path: string): void {
  if (shape === "text") require(typeof value === "string" && value !== "", path, "a text", value)
  else if (shape === "flag") require(typeof value === "boolean", path, "true or false", value)
  else if (shape === "texts") checkList(value, "text", path)
  else if (shape === "marks") checkMarks(value, path)
  else if ("oneOf" in shape) {
    require(typeof value === "string" && shape.oneOf.includes(value), path, listOr(shape.oneOf), value)
  } else if ("list" in shape) checkList(value, shape.list, path)
  else if ("listOr" in shape) checkListOr(value, shape.listOr, path)
  else if ("fields" in shape) checkFields(mapIn(value, path), shape.fields, path)
  else checkCase(mapIn(value, path), shape, path)
}

function checkList(value: Value | undefined, shape: Shape, path: string): void {
  if (value === undefined || !isList(value)) throw expected(path, "a list", value)
  for (const [i, item] of value.entries()) check(item, shape, `${path}[${i}]`)
}

/** Checks a list of texts, or the one text that may stand for it. */
function checkListOr(value: Value | undefined, text: string, path: string): void {
  if (value !== text) checkList(value, "text", path)
}

function checkCase(map: MapValue, { by, cases }: Cases, path: string): void {
  const names = Object.keys(cases)
  const name = own(map, by)
  const fields = typeof name === "string" && names.includes(name) ? cases[name] : undefined
  if (fields === undefined) throw expected(`${path}.${by}`, listOr(names), name)
  checkFields(map, { [by]: "text", ...fields }, path)
}

function mapIn(value: Value | undefined, path: string): MapValue {
  if (value === undefined || !isMap(value)) throw expected(path, "a map", value)
  return value
}

function checkFields(map: MapValue, fields: Fields, path: string): void {
  for (const name in fields) {
    const key = name.replace("?", "")
    const value = own(map, key)
    if (value === undefined && name !== key) continue
    if (value === undefined) throw wrong(`${path}.${key}`, "is missing")
    check(value, fields[name] as Shape, `${path}.${key}`)
  }
  const known = Object.keys(fields).map(name => name.replace("?", ""))
  for (const key in map) {
    if (known.includes(key) || key === "$schema") continue
    throw wrong(`${path}.${key}`, `is not a property of a profile${didYouMean(key, known)}`)
  }
}

function checkMarks(value: Value | undefined, path: string): void {
  const marks = mapIn(value, path)
  for (const key in marks) check(own(marks, key), "text", `${path}[${JSON.stringify(key)}]`)
}

function require(fits: boolean, path: string, what: string, value: Value | undefined): void {
  if (!fits) throw expected(path, what, value)
}

function expected(path: string, what: string, value: Value | undefined): StructuredMergeError {
  return wrong(path, `must be ${what}, not ${value === undefined ? "absent" : formatValue(value).slice(0, 60)}`)
}

function wrong(path: string, problem: string): StructuredMergeError {
  return new StructuredMergeError("bad-request", `applier profile: ${path === "" ? "it" : path} ${problem}`)
}
