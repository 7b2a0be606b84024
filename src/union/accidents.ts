// What v4.3.0 does by accident, for policies that ask for it: to be compared with it case by case.
import { type Issue, StructuredMergeError } from "../errors.js"
import { fieldElement, formatElement } from "../fieldpath/element.js"
import { ItemTable } from "../typed/list-items.js"
import type { ListShape, MapShape, Type } from "../typed/type.js"
import { TypedValue } from "../typed/typed-value.js"
import { Issues } from "../typed/walk.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { isEmptyMap, own } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"

type Side = Value | undefined

/** Whether there is nothing in either that could be walked. Looking for unions then loses the object. */
export function isLost(old: Side, next: Side): boolean {
  return isLeaf(old) && isLeaf(next)
}

function isLeaf(value: Side): boolean {
  return isList(value) ? value.length === 0 : !isMap(value) || isEmptyMap(value)
}

const lost = new WeakSet<TypedValue>()

/** What is left of such an object: null, and not even that where two of them are merged or compared. */
export function lostObject(type: Type): TypedValue {
  const object = TypedValue.unvalidated(null, type)
  lost.add(object)
  return object
}

/** Throws, as upstream does, where both objects were lost. */
export function requireOneFound(a: TypedValue, b: TypedValue): void {
  if (!lost.has(a) || !lost.has(b)) return
  throw new StructuredMergeError("invalid-value", "at least one of lhs and rhs must be provided")
}

/** The duplicate items that v4.3.0 stumbles over in either object: those of lists that are not inside items of lists. */
export function duplicateItems(type: Type, old: Side, next: Side): readonly Issue[] {
  const issues = new Issues()
  visit(issues, type, old, next, 0)
  return issues.toArray()
}

function visit(issues: Issues, type: Type, old: Side, next: Side, depth: number): void {
  if (depth > maxDepth) throw tooDeep()
  const { map, list } = type
  if (isMap(next) || isMap(old)) {
    if (map !== null && !map.atomic) visitMap(issues, map, isMap(old) ? old : {}, isMap(next) ? next : {}, depth)
  } else if (list?.associative === true && !list.atomic) {
    if (isList(next)) noteDuplicates(issues, list, next)
    if (isList(old)) noteDuplicates(issues, list, old)
  }
}

function visitMap(issues: Issues, map: MapShape, old: MapValue, next: MapValue, depth: number): void {
  for (const key of new Set([...Object.keys(next), ...Object.keys(old)])) {
    const before = issues.count
    visit(issues, map.fields.get(key)?.type ?? map.rest, own(old, key), own(next, key), depth + 1)
    if (issues.count > before) issues.prefix(fieldElement(key), before)
  }
}

function noteDuplicates(issues: Issues, list: ListShape, items: ListValue): void {
  const table = new ItemTable(list)
  for (const item of items) {
    const known = table.size
    const number = table.add(item)
    if (number >= 0 && number < known) issues.add(`duplicate entries for key ${formatElement(table.element(number))}`)
  }
}
