// The fields and items that an object has.

import { invalidValue } from "../../errors.js"
import { fieldElement, keyElement, valueElement } from "../../fieldpath/create-element.js"
import type { PathElement } from "../../fieldpath/element.js"
import { Lookup } from "../../fieldpath/lookup.js"
import { formatPath, type Path } from "../../fieldpath/path.js"
import { type Entry, FieldSet } from "../../fieldpath/set.js"
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { toFieldSet } from "../../typed/to-field-set.js"
import { compileSchema, type Type } from "../../typed/type.js"
import { maxDepth, tooDeep } from "../../value/depth.js"
import { equalValues } from "../../value/equal.js"
import { textAt } from "../../value/fields.js"
import { isEmptyMap, own, put } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"

/**
 * Returns every leaf and every item of the object, found by its type if there is one, and else by the paths in `owned`. These paths contain
 * the keys of lists. Without a type, a list or map counts as atomic if somebody owns it and nobody owns anything in it. So does a list that
 * nobody owns.
 */
export function fieldsOf(object: MapValue, owned: FieldSet, type: Type | undefined): FieldSet {
  if (type !== undefined) return toFieldSet(type, object).set
  const paths: Path[] = []
  collect(object, owned, [], paths)
  return FieldSet.of(paths)
}

/** Returns the type of the object; undefined if its kind has none. */
export function objectType(types: TypeFinder, object: MapValue): Type | undefined {
  const found = types.find(textAt(object, "apiVersion"), textAt(object, "kind"))
  return found === undefined ? undefined : compileSchema(found.schema).type(found.typeName)
}

/** A key of an item whose value is the key's default. */
export interface DefaultedKey {
  /** The 0-based step of the path that is the item. */
  readonly step: number
  /** The name of the key, such as `protocol`. */
  readonly name: string
}

/** Returns the keys on the path that items may omit, because their value is the default. */
export function defaultedKeys(type: Type, path: Path): DefaultedKey[] {
  const found: DefaultedKey[] = []
  let at: Type | undefined = type
  path.forEach((element, step) => {
    if (element.kind === "field") {
      at = at?.map?.fields.get(element.name)?.type ?? at?.map?.rest
      return
    }
    const keys = element.kind === "key" ? (at?.list?.keys ?? []) : []
    for (const { name, default: standard } of keys) {
      const given = element.kind === "key" ? element.fields.find(field => field.name === name) : undefined
      if (given !== undefined && standard !== undefined && equalValues(given.value, standard))
        found.push({ step, name })
    }
    at = at?.list?.item
  })
  return found
}

function collect(value: Value, owned: FieldSet, path: Path, paths: Path[]): void {
  if (path.length > maxDepth) {
    const message = `${formatPath(path.slice(0, 5))}: ${tooDeep().message}`
    throw invalidValue(message)
  }
  if (isMap(value)) {
    for (const key in value) {
      const element = fieldElement(key)
      collectAt(own(value, key) as Value, owned.find(element), [...path, element], paths)
    }
  } else if (isList(value)) {
    for (const [item, element] of itemsOf(value, owned)) {
      const place = [...path, element]
      const entry = owned.find(element)
      paths.push(place)
      if (entry?.children !== null) collect(item, entry?.children ?? FieldSet.empty, place, paths)
    }
  }
}

function collectAt(value: Value, entry: Entry | undefined, path: Path, paths: Path[]): void {
  const children = entry?.children ?? FieldSet.empty
  const isGranular = isMap(value)
    ? !isEmptyMap(value) && entry?.children !== null
    : isList(value) && !children.isEmpty()
  if (isGranular) collect(value, children, path, paths)
  else paths.push(path)
}

/** Returns the items of a list that have an element, each with that element. */
function itemsOf(list: ListValue, owned: FieldSet): (readonly [Value, PathElement])[] {
  const lookup = new Lookup(list)
  const found = new Map(owned.entries.map(({ element }) => [lookup.stepsTo([element])?.[0], element]))
  const like = owned.entries[0]?.element
  return list.flatMap((item, i) => {
    const element = found.get(i) ?? elementLike(like, item)
    return element === undefined ? [] : [[item, element] as const]
  })
}

/** Returns the element of an item that nobody owns, formed like the elements of other items in its list. */
function elementLike(like: PathElement | undefined, item: Value): PathElement | undefined {
  if (like?.kind === "value") return isMap(item) || isList(item) ? undefined : valueElement(item)
  if (like?.kind !== "key" || !isMap(item)) return undefined
  const keys: Record<string, Value> = {}
  for (const { name } of like.fields) {
    const value = own(item, name)
    if (value !== undefined) put(keys, name, value)
  }
  return isEmptyMap(keys) ? undefined : keyElement(keys)
}
