// Imports objects of a cluster: their managers become tabs.
import { compileSchema, isList, isMap, type MapValue, TypedValue, type Value } from "structured-merge-diff"
import { formatYaml, parseManifests } from "structured-merge-diff/io"
import { decodeFields, extract, readManagedFields } from "structured-merge-diff/managedfields"
import { withName } from "../../src/tools/ownership/object-name.js"
import { updateText } from "./play.js"
import { type Draft, emptyState, type State, type Verb } from "./state.js"
import { stateOfStory } from "./stories.js"
import type { Types } from "./types.js"

/**
 * Returns the state for objects as `kubectl get -o yaml --show-managed-fields` prints them. Throws a TypeError if the text has no object
 * or no managedFields.
 */
function importObjects(text: string, types: Types): Pick<State, "title" | "objects" | "drafts"> {
  const objects = parseManifests(text)
  const [first] = objects
  if (first === undefined) throw new TypeError("the text has no object")
  const drafts = objects.flatMap(object => draftsOf(object, types))
  if (drafts.length === 0) {
    throw new TypeError("no object has managedFields: fetch it with kubectl get -o yaml --show-managed-fields")
  }
  const unique = new Map(drafts.map(draft => [`${draft.manager} ${draft.verb} ${draft.subresource}`, draft]))
  return { title: `${first.kind} ${first.metadata?.name ?? ""}`, objects, drafts: [...unique.values()] }
}

function draftsOf(object: MapValue, types: Types): Draft[] {
  return (readManagedFields(object) ?? []).map(entry => {
    const { manager = "", operation, subresource = "" } = entry
    const common = { manager, force: false, subresource }
    if (operation !== "Apply") return { ...common, ...updateOf(object, entry.fieldsV1, types) }
    const applied = extract(object, { types: types.finder, manager, subresource, unions: "off" }) ?? {}
    return { ...common, verb: "apply", text: formatYaml(withName(applied, object)) }
  })
}

/** Returns the request with which an updater would write its fields again: a merge patch if possible, or else the whole object. */
function updateOf(object: MapValue, fieldsV1: Value | undefined, types: Types): { verb: Verb; text: string } {
  const { apiVersion, kind } = object
  const found = types.finder.find(String(apiVersion), String(kind))
  if (found !== undefined && fieldsV1 !== undefined) {
    const type = compileSchema(found.schema).type(found.typeName)
    const { value } = TypedValue.of(object, type).extractItems(decodeFields(fieldsV1).set.leaves())
    if (isMap(value) && !hasList(value)) {
      const { apiVersion: _, kind: __, ...patch } = value
      return { verb: "patch", text: formatYaml(patch) }
    }
  }
  return { verb: "update", text: updateText(object) }
}

function hasList(value: MapValue): boolean {
  return Object.values(value).some(part => isList(part) || (isMap(part) && hasList(part)))
}

/** Returns the state of a story file or of objects with managedFields. For objects, the types, the policy and the server are those of `before`. */
export function stateOfText(text: string, types: Types, before: Pick<State, "unions" | "server" | "types">): State {
  if (/^steps:/m.test(text)) return stateOfStory(text)
  return {
    ...emptyState,
    unions: before.unions,
    server: before.server,
    types: before.types,
    ...importObjects(text, types),
  }
}
