// Strategic merge patches: merge patches that know the type of the object. The type says which lists are merged item by item; the others
// are replaced. Directives in the patch express changes that a merge can't:
//
//   $patch                         delete, replace (of a map, or among the items of a list)
//   $retainKeys                    the keys of the map that stay
//   $setElementOrder/LIST          the order of the items of LIST
//   $deleteFromPrimitiveList/LIST  the values to remove from LIST
//
// This file merges maps, lists.ts lists.

import { compareStrings } from "../../value/compare.js"
import { goPrint, goTypeName } from "../../value/format.js"
import { copyMap, own, put } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { withoutNulls } from "../../write/patches/merge-patch.js"
import { PatchError, unknownDirective, wrongType } from "../../write/patches/patch-error.js"
import { itemKey, type MergedItems, mergeItems, orderItems } from "./lists.js"
import type { PatchField, PatchType } from "./patch-keys.js"

const directive = "$patch"
const retainKeys = "$retainKeys"
const elementOrder = "$setElementOrder"
const deletions = "$deleteFromPrimitiveList"

/**
 * Applies the patch to the object as an API server does for built-in kinds; `type` comes from `patchTypeOf`. The result shares unchanged
 * parts with both inputs. Go visits the keys of a patch in random order; here they are sorted. The result is not checked against the type:
 * unknown fields and misplaced directives stay. Throws a PatchError.
 */
export function strategicMerge(live: MapValue, patch: MapValue, type: PatchType): MapValue {
  const value = own(patch, directive)
  if (value !== undefined) return followMapDirective(value, patch)
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

function followMapDirective(value: Value, patch: MapValue): MapValue {
  if (value === "delete") return {}
  if (value !== "replace") throw unknownDirective(value, patch)
  const { [directive]: _, ...rest } = patch
  return rest
}

/** Removes the fields from `out` that `$retainKeys` does not list. Throws if it does not list a field that the patch sets. */
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

/** Returns the field name after the slash in a directive's key. */
function directiveField(key: string, prefix: string, bad: () => PatchError): string {
  if (!key.startsWith(`${prefix}/`)) throw bad()
  return key.slice(prefix.length + 1)
}

/** Merges and orders the list that `$setElementOrder/LIST` names, and removes both keys from `patch`. */
function orderField(out: Record<string, Value>, patch: Record<string, Value>, key: string, type: PatchType): void {
  const order = own(patch, key) as Value
  delete patch[key]
  if (!isList(order)) throw wrongType("[]interface {}", order)
  const name = directiveField(key, elementOrder, badElementOrder)
  const live = listAt(out, name)
  const patched = listAt(patch, name)
  const field = listField(type, name)
  checkOrder(patched ?? [], order, field.mergeKey)
  if (live === undefined && patched === undefined) return
  let merged: MergedItems
  if (patched === undefined) merged = unmerged(live as ListValue)
  else if (live === undefined) merged = { items: withoutDirectives(patched) as ListValue, left: [] }
  else merged = mergeList(live, patched, field, false)
  put(out, name, orderItems(merged, order, live ?? [], patched ?? [], field.mergeKey))
  delete patch[name]
}

function listAt(map: MapValue, name: string): ListValue | undefined {
  const value = own(map, name)
  if (value !== undefined && !isList(value)) throw wrongType("[]interface {}", value)
  return value
}

/** Throws unless the items of the patch are in the listed order. Items to be deleted need not be listed. */
function checkOrder(patched: ListValue, order: ListValue, mergeKey: string): void {
  if (patched.length === 0 || order.length === 0) return
  const known = mergeKey === "" ? patched : patched.filter(item => !isDeletion(item))
  let at = 0
  for (let i = 0; i < order.length; ) {
    while (at < known.length && isMap(known[at]) && own(known[at] as MapValue, directive) !== undefined) at++
    if (at === known.length) return
    if (itemKey(known[at] as Value, mergeKey) === itemKey(order[i] as Value, mergeKey)) at++
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
  const name = deletes ? directiveField(key, deletions, bad) : key
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

function unmerged(items: ListValue): MergedItems {
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

/** Returns a list field with the type of the list's items instead of the list's own. */
function listField(type: PatchType, name: string): PatchField {
  const field = structField(type, name)
  if (field.type.items !== undefined) return { ...field, type: field.type.items }
  throw new PatchError(500, `expected slice or array type, but got: ${type.kind}`)
}

/** Returns the value without the maps that have a `$patch` key; undefined if the value is such a map. */
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
