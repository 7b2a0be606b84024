// Checks how the lists and maps of a definition are merged. It finds settings that an API server refuses, settings that make applies fail,
// and lists without a list type.

import { isRequired, typeBehind } from "../../openapi/conversion/property.js"
import { maxDepth } from "../../value/depth.js"
import { own } from "../../value/object.js"
import { formatPointer } from "../../value/pointer.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { finding, type LintFinding } from "./finding.js"
import type { Root } from "./place.js"

/** A walk over the schema of a definition. */
interface Traversal {
  readonly found: LintFinding[]
  /** The schemas that references point to. */
  readonly definitions: MapValue
  /** Whether it is a CustomResourceDefinition. An API server refuses invalid ones. */
  readonly isRefused: boolean
  /** The pointer to the first schema. */
  readonly root: string
}

/** The current place in a definition. */
interface SchemaNode extends Root {
  /** Whether its parts can have separate owners. Inside an atomic list or map the merging of lists and maps does not matter. */
  readonly granular: boolean
  /** The number of schemas above it. */
  readonly depth: number
}

/** Finds problems with how lists and maps are merged, in a schema and in the inline schemas below it. */
export function lintListTypes(root: Root, definitions: MapValue, isRefused: boolean): LintFinding[] {
  const found: LintFinding[] = []
  visit(
    { found, definitions, isRefused, root: root.pointer },
    { ...root, node: withoutMetadata(root.node), granular: true, depth: 0 },
  )
  return found
}

/** Returns the schema without its metadata, whose type is fixed whatever a definition says. For a List, also without its items. */
function withoutMetadata(node: MapValue): MapValue {
  const properties = own(node, "properties")
  if (!isMap(properties) || own(properties, "metadata") === undefined || own(properties, "kind") === undefined)
    return node
  const { metadata: _, ...others } = properties
  const metadata = JSON.stringify(own(properties, "metadata"))
  const { items: __, ...rest } = others
  return { ...node, properties: metadata.includes("ListMeta") ? rest : others }
}

function visit(traversal: Traversal, place: SchemaNode): void {
  const { node, pointer, granular } = place
  if (place.depth > maxDepth) return // deeper than any schema of a cluster
  const depth = place.depth + 1
  if (traversal.isRefused) checkMapType(traversal, place)
  checkListType(traversal, place)
  const hasParts = granular && own(node, "x-kubernetes-map-type") !== "atomic"
  const properties = own(node, "properties")
  if (isMap(properties)) {
    for (const name in properties) {
      const steps = `${pointer}${formatPointer(["properties", name])}`
      below(traversal, properties[name], { pointer: steps, granular: hasParts, depth })
    }
  }
  below(traversal, own(node, "additionalProperties"), {
    pointer: `${pointer}/additionalProperties`,
    granular: hasParts,
    depth,
  })
  const isMerged = own(node, "x-kubernetes-list-type") === "map" || mergesByPatch(node)
  below(traversal, own(node, "items"), { pointer: `${pointer}/items`, granular: granular && isMerged, depth })
}

/** Visits a schema below, unless it is a reference: the referenced definition is visited separately. */
function below(traversal: Traversal, node: Value | undefined, place: Omit<SchemaNode, "node">): void {
  if (isMap(node) && typeBehind(node, traversal.definitions) === node) visit(traversal, { node, ...place })
}

/** Whether the list has a merge strategy, which Kubernetes' own types used before list types. */
function mergesByPatch(node: MapValue): boolean {
  return String(own(node, "x-kubernetes-patch-strategy") ?? "").startsWith("merge")
}

function checkMapType({ found }: Traversal, { node, pointer }: SchemaNode): void {
  const type = own(node, "x-kubernetes-map-type") ?? undefined
  if (type === undefined) return
  const problem =
    type !== "atomic" && type !== "granular"
      ? `${JSON.stringify(type)} is not a map type`
      : declaredType(node) === "object"
        ? undefined
        : "only an object has a map type"
  if (problem === undefined) return
  const remedy = "use granular or atomic, in a schema with type: object"
  found.push(finding("merge-type-invalid", `${pointer}/x-kubernetes-map-type`, problem, remedy))
}

function declaredType(node: MapValue): Value {
  return own(node, "type") ?? ""
}

function checkListType(traversal: Traversal, place: SchemaNode): void {
  const { node, pointer } = place
  const type = own(node, "x-kubernetes-list-type") ?? undefined
  const keys = own(node, "x-kubernetes-list-map-keys")
  const invalid = (message: string, remedy: string) => {
    traversal.found.push(finding("merge-type-invalid", pointer, message, remedy))
  }
  if (isList(keys) && keys.length > 0 && type !== "map") {
    invalid("a list with x-kubernetes-list-map-keys must have the list type map", "set x-kubernetes-list-type: map")
  }
  if (type === undefined) {
    if (declaredType(node) === "array" && place.granular && !isList(keys) && !mergesByPatch(node))
      missing(traversal, place)
  } else if (type !== "atomic" && type !== "set" && type !== "map") {
    invalid(`${JSON.stringify(type)} is not a list type`, "use atomic, set or map")
  } else if (declaredType(node) !== "array") {
    if (traversal.isRefused)
      invalid("only an array has a list type", "remove x-kubernetes-list-type, or set type: array")
  } else if (type === "map") {
    checkKeys(traversal, place, isList(keys) ? keys : [])
  } else if (type === "set") {
    checkSet(traversal, place)
  }
}

/** Returns the schema of the items, with references resolved. */
function itemsOf({ definitions }: Traversal, { node }: SchemaNode): MapValue {
  const items = own(node, "items")
  return isMap(items) ? typeBehind(items, definitions) : {}
}

function checkSet(traversal: Traversal, place: SchemaNode): void {
  const items = itemsOf(traversal, place)
  const type = declaredType(items)
  const { found } = traversal
  if (own(items, "nullable") === true) found.push(nullItems(place))
  if (type !== "object" && type !== "array") return
  const what = type === "object" ? "objects" : "lists"
  const inner = own(items, `x-kubernetes-${type === "object" ? "map" : "list"}-type`) ?? undefined
  const isAtomic = inner === "atomic" || (type === "array" && inner === undefined)
  const why = isAtomic
    ? "an API server accepts it, but then no object with an item can be applied"
    : "no item can be merged"
  const remedy =
    type === "object" ? "use map, by keys that every item has, or atomic" : "use atomic, or a set of strings or numbers"
  found.push(finding("set-of-objects", place.pointer, `a set of ${what}: ${why}`, remedy))
}

function nullItems({ pointer }: SchemaNode): LintFinding {
  const message = "items of a set or a map can't be null"
  return finding("merge-type-invalid", `${pointer}/items`, message, "remove nullable")
}

function checkKeys(traversal: Traversal, place: SchemaNode, keys: readonly Value[]): void {
  const { found } = traversal
  const { pointer } = place
  const items = itemsOf(traversal, place)
  const invalid = (message: string, remedy: string) => {
    found.push(finding("merge-type-invalid", pointer, message, remedy))
  }
  if (own(items, "nullable") === true) found.push(nullItems(place))
  if (keys.length === 0) invalid("a list of type map needs keys", "name them in x-kubernetes-list-map-keys")
  if (declaredType(items) !== "object") {
    invalid("items of a list of type map must be objects", "use set or atomic")
    return
  }
  const properties = own(items, "properties")
  for (const [i, key] of keys.entries()) {
    const property = isMap(properties) && typeof key === "string" ? own(properties, key) : undefined
    if (keys.indexOf(key) < i) invalid(`the key ${String(key)} is named twice`, "name it once")
    else if (!isMap(property))
      invalid(`the key ${String(key)} is not a property of the items`, "declare it, or name another key")
    else checkKey(traversal, place, items, String(key), property)
  }
}

function checkKey(
  traversal: Traversal,
  { pointer }: SchemaNode,
  items: MapValue,
  key: string,
  property: MapValue,
): void {
  const { found, definitions } = traversal
  const type = declaredType(typeBehind(property, definitions))
  if (type === "object" || type === "array") {
    const message = `the key ${key} must be a string, a number or a boolean, not an ${String(type)}`
    found.push(finding("merge-type-invalid", pointer, message, "name another key"))
  }
  if (own(property, "nullable") === true) {
    found.push(finding("merge-type-invalid", pointer, `the key ${key} can't be null`, "remove nullable from it"))
  }
  if (isRequired(items, key) || (own(property, "default") ?? undefined) !== undefined) return
  const message = `the key ${key} is neither required nor has a default`
  const remedy = `make ${key} required, or give it a default`
  found.push(
    traversal.isRefused
      ? finding("list-key-refused", pointer, `${message}, so an API server refuses the definition`, remedy)
      : finding(
          "list-key-optional",
          pointer,
          `${message}: items without it are distinguished by their other keys, or not at all`,
          remedy,
        ),
  )
}

/** Names of fields that often identify items. */
const likelyKeys = ["name", "key", "type", "id"]
/** The key of conditions, which several controllers write. */
const keyOfConditions = "type"

/** Whether the place is inside the status, which usually has a single writer. */
function isInStatus({ root }: Traversal, { pointer }: SchemaNode): boolean {
  return `${pointer}/`.startsWith(`${root}/properties/status/`)
}

function missing(traversal: Traversal, place: SchemaNode): void {
  const items = itemsOf(traversal, place)
  const type = declaredType(items)
  const properties = own(items, "properties")
  const key = likelyKeys.find(
    name => isMap(properties) && own(properties, name) !== undefined && isRequired(items, name),
  )
  if (isInStatus(traversal, place) && key !== keyOfConditions) return
  const message =
    "the list has no type, so it is atomic: its applier owns the whole list, and two appliers fight over it"
  traversal.found.push(finding("list-type-missing", place.pointer, message, remedyFor(type, key)))
}

/** Returns the remedy for a list without a type, whose items have this type, and perhaps a likely key. */
function remedyFor(type: Value, key: string | undefined): string {
  if (type === "array") return "declare it: x-kubernetes-list-type: atomic, because lists have no keys"
  if (type !== "object")
    return "declare how it is merged: x-kubernetes-list-type: set, or atomic if the order counts or this is intended"
  const keys = key === undefined ? "keys that every item has" : `the key ${key} if no two items share it`
  return `declare how it is merged: x-kubernetes-list-type: map by ${keys}, or atomic if intended`
}
