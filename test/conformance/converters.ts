// The converters that stories name. They convert an object from one version to another.

import { StructuredMergeError } from "../../src/errors.js"
import { formatJson, parseJson } from "../../src/json/json.js"
import { type Converter, sameInEveryVersion } from "../../src/merge/versions.js"
import type { Type } from "../../src/typed/type.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { compareStrings } from "../../src/value/compare.js"
import { put } from "../../src/value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import { type Request, RequestError } from "./request.js"

/** The facts about a story that converters use. They change during the story. */
export interface Versioned {
  typeAt(apiVersion: string): Type
  versionOf(object: TypedValue): string
  readonly acceptedVersions: readonly string[]
}

/** Returns the converter that the request of a story names, with the request's settings for it. */
export function converterOf(request: Request, story: Versioned): Converter {
  const name = request.text("converter")
  switch (name) {
    case "":
      return sameInEveryVersion
    case "specificVersions":
      return { convert: (object, version) => (story.acceptedVersions.includes(version) ? object : undefined) }
    case "renaming":
      return { convert: (object, version) => rename(story, object, version) }
    case "repeating":
      return { convert: (object, version) => repeat(story, object, version) }
    case "reliantFields":
      return { convert: (object, version) => rely(story, object, version) }
    case "trading":
      return new Trading(request, story)
    default:
      throw new RequestError(`unknown converter "${name}"`)
  }
}

/** Returns the error of a converter that can't convert an object. */
function refusal(message: string): StructuredMergeError {
  return new StructuredMergeError("invalid-value", message)
}

/** Renames keys that end in the name of the old version: they end in the name of the new one. */
function rename(story: Versioned, object: TypedValue, version: string): TypedValue {
  const from = story.versionOf(object)
  const renamed = (value: Value): Value => {
    if (isList(value)) return value.map(renamed)
    if (!isMap(value)) return value
    return mapKeys(value, key => (key.endsWith(from) ? key.slice(0, key.length - from.length) + version : key), renamed)
  }
  return TypedValue.of(renamed(object.value), story.typeAt(version))
}

/** Below the first key of the root, every key becomes its first letter, repeated as often as the version's number says. */
function repeat(story: Versioned, object: TypedValue, version: string): TypedValue | undefined {
  const times = Number(/^v(-?\d+)$/.exec(version)?.[1] ?? Number.NaN)
  if (!Number.isInteger(times)) return undefined
  const repeated = (value: Value): Value =>
    isMap(value) && Object.keys(value).length > 0
      ? mapKeys(value, key => key.slice(0, 1).repeat(times), repeated)
      : null
  const { value } = object
  if (!isMap(value)) return TypedValue.of(value, story.typeAt(version))
  const [first] = Object.keys(value).sort(compareStrings)
  const out: Record<string, Value> = {}
  if (first !== undefined) {
    const below = value[first] as Value
    put(out, first, isMap(below) && Object.keys(below).length > 0 ? repeated(below) : below)
  }
  return TypedValue.of(out, story.typeAt(version))
}

const inV1 = "field_foo_rely_on_bar"
const inV2 = "required_field_bar"

function rely(story: Versioned, object: TypedValue, version: string): TypedValue | undefined {
  if (story.versionOf(object) === version) return object
  const text = formatJson(object.value)
  if (version === "v1") {
    if (!text.includes(inV2)) throw refusal("missing requried field bar")
    return TypedValue.of(parseJson(text.replaceAll(inV2, inV1)), story.typeAt(version))
  }
  if (version === "v2") return TypedValue.of(parseJson(text.replaceAll(inV1, inV2)), story.typeAt(version))
  return undefined
}

/**
 * Renames fields, at any depth. For each version, it maps the names of fields in that version to the names that all versions
 * share. A field that a version lacks is kept, lost or refused. Versions that are not accepted are missing, or conversion to them
 * fails.
 */
class Trading implements Converter {
  private readonly story: Versioned
  private readonly names: ReadonlyMap<string, ReadonlyMap<string, string>>
  private readonly unknownFields: string
  private readonly refusesVersions: boolean

  constructor(request: Request, story: Versioned) {
    this.story = story
    this.names = new Map(
      request.entries("fieldNames").map(([version, names]) => {
        const entries = isMap(names) ? Object.entries(names) : []
        return [version, new Map(entries.map(([name, common]) => [name, String(common)]))]
      }),
    )
    this.unknownFields = request.text("unknownFields")
    this.refusesVersions = request.flag("refusesVersions")
  }

  convert(object: TypedValue, version: string): TypedValue | undefined {
    const from = this.story.versionOf(object)
    if (from === version) return object
    if (!this.story.acceptedVersions.includes(version)) {
      if (this.refusesVersions) throw refusal(`no version "${version}"`)
      return undefined
    }
    const value = this.renamed(object.value, from, version)
    return TypedValue.of(value, this.story.typeAt(version), { allowDuplicates: true })
  }

  private renamed(value: Value, from: string, to: string): Value {
    if (isList(value)) return value.map(item => this.renamed(item, from, to))
    if (!isMap(value)) return value
    const out: Record<string, Value> = {}
    for (const key of Object.keys(value).sort(compareStrings)) {
      const name = this.nameAt(key, from, to)
      if (name === undefined && this.unknownFields === "lose") continue
      if (name === undefined && this.unknownFields === "refuse") {
        throw refusal(`no field "${key}" in version "${to}"`)
      }
      put(out, name ?? key, this.renamed(value[key] as Value, from, to))
    }
    return out
  }

  /** Returns the field's name in version `to`, or undefined if that version has no such field. */
  private nameAt(name: string, from: string, to: string): string | undefined {
    const common = this.names.get(from)?.get(name)
    if (common === undefined) return name
    for (const [other, candidate] of this.names.get(to) ?? []) if (candidate === common) return other
    return undefined
  }
}

/** Maps keys in sorted order: if two keys become the same, the later one wins. */
function mapKeys(map: MapValue, rename: (key: string) => string, below: (value: Value) => Value): MapValue {
  const out: Record<string, Value> = {}
  for (const key of Object.keys(map).sort(compareStrings)) put(out, rename(key), below(map[key] as Value))
  return out
}
