// Finds the field at an offset of a text, and its facts.
import { isList, isMap, type MapValue, StructuredMergeError, type Value } from "structured-merge-diff"
import { parseYamlWithPositions, type YamlDocument } from "structured-merge-diff/io"
import type { TypeFinder } from "structured-merge-diff/managedfields"
import { objectName } from "../../src/tools/ownership/object-name.js"
import { type Steps, valueAtSteps } from "../../src/value/change.js"
import { type FieldFacts, fieldFacts } from "./field-facts.js"
import type { Types } from "./types.js"

/** The facts about the field at an offset, with the start and the end of its key, or of an item without one. */
export interface FactsAt {
  readonly from: number
  readonly to: number
  readonly facts: FieldFacts
}

/**
 * Returns the facts about the field whose key or scalar value is at the offset; undefined if there is none, or if the text does not parse.
 * `served` has the kinds as the server of the story knows them. `objects` are the live objects; the one that the text names is looked up by its
 * kind and name.
 */
export function factsAt(
  text: string,
  offset: number,
  types: Types,
  served: TypeFinder,
  objects: readonly MapValue[],
): FactsAt | undefined {
  const document = firstDocument(text)
  const object = document?.value
  if (document === undefined || object === undefined || !isMap(object)) return undefined
  const field = fieldAt(document, object, offset)
  if (field === undefined) return undefined
  const { steps, from, to } = field
  const live = objects.find(each => isSameObject(each, object))
  const facts = fieldFacts(types, served, object, steps, live)
  return facts && { from, to, facts }
}

function firstDocument(text: string): YamlDocument | undefined {
  try {
    return parseYamlWithPositions(text).find(({ value }) => value !== undefined && value !== null)
  } catch (error) {
    if (error instanceof StructuredMergeError) return undefined
    throw error
  }
}

function fieldAt(document: YamlDocument, object: Value, offset: number) {
  let steps: Steps = []
  for (let value: Value | undefined = object; value !== undefined; value = valueAtSteps(object, steps)) {
    const names = isMap(value) ? Object.keys(value) : isList(value) ? [...value.keys()] : []
    const around = names.map(name => [...steps, name]).find(each => isInside(document, each, offset))
    const place = around && document.placeOf(around)
    if (around === undefined || place === undefined) return undefined
    steps = around
    const { start, end } = place.key ?? place.value
    const below = valueAtSteps(object, steps) ?? null
    const isAtKey = place.key !== undefined && offset <= end.offset
    if (isAtKey || !(isMap(below) || isList(below))) return { steps, from: start.offset, to: end.offset }
  }
  return undefined
}

function isInside(document: YamlDocument, steps: Steps, offset: number): boolean {
  const place = document.placeOf(steps)
  if (place === undefined || place.through !== undefined) return false
  return (place.key ?? place.value).start.offset <= offset && offset <= place.value.end.offset
}

/** Whether the objects have the same kind, version and name. A namespace that one of them lacks is not compared. */
function isSameObject(a: MapValue, b: MapValue): boolean {
  const [one, other] = [objectName(a), objectName(b)]
  const { namespace = other.namespace } = one
  const isSameKind = one.apiVersion === other.apiVersion && one.kind === other.kind
  return isSameKind && one.name === other.name && namespace === (other.namespace ?? namespace)
}
