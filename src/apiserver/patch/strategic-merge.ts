// Strategic merge patches: merge patches that know the types. Lists of most fields are replaced, but those that the type says are
// merged item by item, and directives in the patch say what a merge can't: delete, replace, keep only these keys, put in this order.
//
//   $patch                         delete, replace (of a map, or among the items of a list)
//   $retainKeys                    the keys of the map that may stay
//   $setElementOrder/LIST          the order of the items of LIST that the patch knows of
//   $deleteFromPrimitiveList/LIST  the values to take out of LIST
//
// This file merges maps, strategic-lists.ts lists.

import { compareStrings } from "../../value/compare.js"
import { goPrint, goTypeName } from "../../value/format.js"
import { copyMap, own, put } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { PatchError, unknownDirective, wrongType } from "../../write/patches/patch-error.js"
import type { PatchField, PatchType } from "./patch-keys.js"
import { keyOf, type MergedItems, mergeItems, orderItems } from "./strategic-lists.js"

const directive = "$patch"
const retainKeys = "$retainKeys"
const elementOrder = "$setElementOrder"
const deletions = "$deleteFromPrimitiveList"

/**
 * The object with the patch applied, as an API server does it for built-in kinds; `type` is what `patchTypeOf` returns. Shares with
 * both what did not change, and changes neither. Keys of the patch that Go walks in a random order are taken sorted. The result is
 * not checked against the type: fields that it does not know, and directives where none is expected, stay. Throws a PatchError.
 */
export function strategicMerge(live: MapValue, patch: MapValue, type: PatchType): MapValue {
  const wanted = own(patch, directive)
  if (wanted !== undefined) return directedMap(wanted, patch)
  const out = copyMap(live)
  const rest = copyMap(patch)
  const retained = own(rest, retainKeys)
  if (retained !== undefined) {
    delete rest[retainKeys]
    keepOnly(out, rest, retained)
  }
  for (const key of sortedKeys(rest)) {
    if (key.startsWith(elementOrder)) orderField(out, rest, key, type)
  }
  for (const key of sortedKeys(rest)) mergeField(out, key, own(rest, key) as Value, type)
  return out
}

function sortedKeys(map: MapValue): string[] {
  return Object.keys(map).sort(compareStrings)
}

function directedMap(wanted: Value, patch: MapValue): MapValue {
  if (wanted === "delete") return {}
  if (wanted !== "replace") throw unknownDirective(wanted, patch)
  const { [directive]: _, ...rest } = patch
  return rest
}

/** Takes the fields out of `out` that `$retainKeys` does not list. All that the patch sets have to be listed. */
function keepOnly(out: Record<string, Value>, patch: MapValue, listed: Value): void {
  if (!isList(listed)) throw badRetainKeys()
  const kept = new Set(listed)
  for (const key in patch) {
    const isParallel = key.startsWith(deletions) || key.startsWith(elementOrder)
    if (patch[key] !== null && !isParallel && !kept.has(key)) throw badRetainKeys()
  }
  for (const key of Object.keys(out)) {
    if (!kept.has(key)) delete out[key]
  }
}

function badRetainKeys(): PatchError {
  return new PatchError(400, "invalid patch format of retainKeys")
}

function badElementOrder(): PatchError {
  return new PatchError(400, "invalid patch format of setElementOrder list")
}

/** The field after the slash of a directive's key. */
function fieldOf(key: string, prefix: string, bad: () => PatchError): string {
  if (!key.startsWith(`${prefix}/`)) throw bad()
  return key.slice(prefix.length + 1)
}

/** Merges the list that `$setElementOrder/LIST` is about, puts it in order, and takes both out of `patch`. */
function orderField(out: Record<string, Value>, patch: Record<string, Value>, key: string, type: PatchType): void {
  const order = own(patch, key) as Value
  delete patch[key]
  if (!isList(order)) throw wrongType("[]interface {}", order)
  const name = fieldOf(key, elementOrder, badElementOrder)
  const live = listAt(out, name)
  const patched = listAt(patch, name)
  const field = listField(type, name)
  checkOrder(patched ?? [], order, field.mergeKey)
  if (live === undefined && patched === undefined) return
  let merged: MergedItems
  if (patched === undefined) merged = asItIs(live as ListValue)
  else if (live === undefined) merged = { items: withoutDirectives(patched) as ListValue, left: [] }
  else merged = mergeList(live, patched, field, false)
  put(out, name, orderItems(merged, order, live ?? [], patched ?? [], field.mergeKey))
  delete patch[name]
}

function listAt(map: MapValue, name: string): ListValue | undefined {
  const found = own(map, name)
  if (found !== undefined && !isList(found)) throw wrongType("[]interface {}", found)
  return found
}

/** Checks that the items of the patch stand in the listed order. Items to be deleted need not be listed. */
function checkOrder(patched: ListValue, order: ListValue, mergeKey: string): void {
  if (patched.length === 0 || order.length === 0) return
  const known = mergeKey === "" ? patched : patched.filter(item => !isDeletion(item))
  let at = 0
  for (let i = 0; i < order.length; ) {
    while (at < known.length && isMap(known[at]) && own(known[at] as MapValue, directive) !== undefined) at++
    if (at === known.length) return
    if (keyOf(known[at] as Value, mergeKey) === keyOf(order[i] as Value, mergeKey)) at++
    i++
  }
  if (at === known.length) return
  const lists = `${goPrint(patched)}\n doesn't match ${elementOrder} list:\n${goPrint(order)}`
  throw new PatchError(500, `The order in patch list:\n${lists}\n`)
}

function isDeletion(item: Value): boolean {
  if (!isMap(item)) throw wrongType("map[string]interface {}", item)
  return own(item, directive) === "delete"
}

function mergeField(out: Record<string, Value>, key: string, patch: Value, type: PatchType): void {
  const deletes = key.startsWith(deletions)
  const bad = () => new PatchError(400, "invalid patch format of primitive list")
  const name = deletes ? fieldOf(key, deletions, bad) : key
  if (patch === null) {
    delete out[name]
    return
  }
  const live = own(out, name)
  if (isMap(live) && isMap(patch)) {
    const field = structField(type, name)
    put(out, name, field.strategy === "replace" ? patch : strategicMerge(live, patch, field.type))
  } else if (isList(live) && isList(patch)) {
    put(out, name, mergeList(live, patch, listField(type, name), deletes).items)
  } else if (!deletes || (live !== undefined && goTypeName(live) === goTypeName(patch))) {
    const added = withoutDirectives(withoutNulls(patch))
    if (added === undefined) delete out[name]
    else put(out, name, added)
  }
}

function asItIs(items: ListValue): MergedItems {
  return { items, left: items }
}

function mergeList(live: ListValue, patch: ListValue, field: PatchField, deletes: boolean): MergedItems {
  return field.strategy === "merge" || deletes
    ? mergeItems(live, patch, field, deletes, strategicMerge)
    : { items: patch, left: live }
}

function structField(type: PatchType, name: string): PatchField {
  if (type.kind !== "struct") {
    throw new PatchError(500, `merging an object in json but data type is not struct, instead is: ${type.kind}`)
  }
  const field = type.field(name)
  if (field !== undefined) return field
  throw new PatchError(500, `unable to find api field in struct ${type.name} for the json field "${name}"`)
}

/** The field of a list, with the type of its items. */
function listField(type: PatchType, name: string): PatchField {
  const field = structField(type, name)
  if (field.type.items !== undefined) return { ...field, type: field.type.items }
  throw new PatchError(500, `expected slice or array type, but got: ${type.kind}`)
}

/** The value without the fields that are null, at all depths. Null items of lists stay. */
function withoutNulls(value: Value): Value {
  if (isList(value)) return value.map(withoutNulls)
  if (!isMap(value)) return value
  const out: Record<string, Value> = {}
  for (const key in value) {
    const field = value[key] as Value
    if (field !== null) put(out, key, withoutNulls(field))
  }
  return out
}

/** The value without the maps that have a `$patch`; undefined if it is one itself. */
function withoutDirectives(value: Value): Value | undefined {
  if (isList(value)) return value.map(withoutDirectives).filter(item => item !== undefined)
  if (!isMap(value)) return value
  if (own(value, directive) !== undefined) return undefined
  const out: Record<string, Value> = {}
  for (const key in value) {
    const kept = withoutDirectives(value[key] as Value)
    if (kept !== undefined) put(out, key, kept)
  }
  return out
}
