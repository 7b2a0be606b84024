// Completions for a manifest, from the type of its object.
import { compileSchema, isMap, type Type, type Value } from "structured-merge-diff"
import { typeText } from "./field-type.js"
import type { Types } from "./types.js"
import { type CursorPlace, item, placeOfCursor } from "./yaml-path.js"

/** One completion. */
interface Suggestion {
  readonly label: string
  /** The text to insert. */
  readonly insert: string
  /** Its type, in a few words. */
  readonly detail: string
  /** Whether it is the name of a field. */
  readonly isField: boolean
}

/** The completions at an offset. */
export interface Suggestions {
  /** The offset at which the inserted text begins. */
  readonly from: number
  readonly all: readonly Suggestion[]
}

/** Returns the completions at the offset of the text; undefined if nothing is known. */
export function suggest(text: string, offset: number, types: Types): Suggestions | undefined {
  const place = placeOfCursor(text, offset)
  if (place === undefined) return undefined
  const root = rootOf(text, offset)
  const all = place.field === undefined ? keys(place, root, types) : values(place, place.field, root, types)
  return all.length === 0 ? undefined : { from: offset - place.written.length, all }
}

function keys(place: CursorPlace, root: ObjectRoot, types: Types): Suggestion[] {
  const type = typeAt(root, place.steps, types)
  const fields = type?.map?.fields ?? []
  const suggestions: Suggestion[] = []
  for (const [name, field] of fields) {
    if (place.siblings.has(name)) continue
    const insert = isScalar(field.type) ? `${name}: ` : `${name}:`
    suggestions.push({ label: name, insert, detail: typeText(field.type), isField: true })
  }
  if (place.steps.length > 0) return suggestions
  const known = new Set(suggestions.map(({ label }) => label))
  const heads = ["apiVersion", "kind", "metadata"].filter(name => !known.has(name) && !place.siblings.has(name))
  return [
    ...heads.map(name => ({ label: name, insert: `${name}:`, detail: "of every object", isField: true })),
    ...suggestions,
  ]
}

function values(place: CursorPlace, field: string, root: ObjectRoot, types: Types): Suggestion[] {
  const plain = (label: string, detail: string): Suggestion => ({ label, insert: label, detail, isField: false })
  if (place.steps.length === 0 && field === "apiVersion") {
    const versions = types.kinds.filter(({ kind }) => root.kind === "" || kind === root.kind)
    return [...new Set(versions.map(({ apiVersion }) => apiVersion))].map(version => plain(version, "apiVersion"))
  }
  if (place.steps.length === 0 && field === "kind") {
    const fitting = types.kinds.filter(({ apiVersion }) => root.apiVersion === "" || apiVersion === root.apiVersion)
    return fitting.map(({ apiVersion, kind }) => plain(kind, apiVersion))
  }
  const type = typeAt(root, [...place.steps, field], types)
  if (type?.scalar?.scalar === "boolean") return ["true", "false"].map(value => plain(value, "boolean"))
  return discriminatorValues(typeAt(root, place.steps, types), field).map(value => plain(value, "selects a member"))
}

/** Returns the values of a discriminator in the unions of the struct. */
function discriminatorValues(struct: Type | undefined, field: string): string[] {
  const unions = (struct?.map?.unions ?? []).filter(({ discriminator }) => discriminator === field)
  return unions.flatMap(({ fields = [], emptyValues = [] }) => [
    ...fields.map(({ fieldName, discriminatorValue }) => discriminatorValue ?? fieldName),
    ...emptyValues,
  ])
}

interface ObjectRoot {
  readonly apiVersion: string
  readonly kind: string
}

/** Returns the kind of the document around the offset, even if the document does not parse. */
function rootOf(text: string, offset: number): ObjectRoot {
  const start = text.lastIndexOf("\n---", offset) + 1
  const end = text.indexOf("\n---", offset)
  const document = text.slice(start, end < 0 ? undefined : end)
  const read = (key: string) => new RegExp(`^${key}:[ \\t]*["']?([^\\s"'#]+)`, "m").exec(document)?.[1] ?? ""
  return { apiVersion: read("apiVersion"), kind: read("kind") }
}

function typeAt(root: ObjectRoot, steps: readonly (string | typeof item)[], types: Types): Type | undefined {
  let type = rootType(root.apiVersion, root.kind, types)
  for (const step of steps) {
    type = step === item ? type?.list?.item : (type?.map?.fields.get(step)?.type ?? type?.map?.rest)
  }
  return type
}

/** Returns the type of a kind; undefined if it is unknown or its document can't be converted. */
function rootType(apiVersion: string, kind: string, types: Types): Type | undefined {
  try {
    const found = types.finder.find(apiVersion, kind)
    return found && compileSchema(found.schema).type(found.typeName)
  } catch {
    return undefined
  }
}

/** Returns the type of an object; undefined if its kind is unknown. */
export function typeOfObject(object: Value, types: Types): Type | undefined {
  if (!isMap(object) || typeof object.apiVersion !== "string" || typeof object.kind !== "string") return undefined
  return rootType(object.apiVersion, object.kind, types)
}

function isScalar(type: Type): boolean {
  return type.scalar !== null && type.map === null && type.list === null
}
