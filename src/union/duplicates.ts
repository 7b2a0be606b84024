import type { Issue } from "../errors.js"
import { fieldElement, formatElement } from "../fieldpath/element.js"
import { ElementTable, elementOfItem } from "../typed/list-items.js"
import type { ListShape, MapShape, Type } from "../typed/type.js"
import { Issues } from "../typed/walk.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import { own } from "../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../value/value.js"

type Side = Value | undefined

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
  for (const key in next) visitKey(issues, map, key, own(old, key), next[key], depth)
  for (const key in old) if (own(next, key) === undefined) visitKey(issues, map, key, old[key], undefined, depth)
}

function visitKey(issues: Issues, map: MapShape, key: string, old: Side, next: Side, depth: number): void {
  const before = issues.count
  visit(issues, map.fields.get(key)?.type ?? map.rest, old, next, depth + 1)
  if (issues.count > before) issues.prefix(fieldElement(key), before)
}

function noteDuplicates(issues: Issues, list: ListShape, items: ListValue): void {
  const table = new ElementTable()
  for (const item of items) {
    const element = elementOfItem(list, item)
    if (element === null) continue
    const known = table.elements.length
    if (table.add(element) < known) issues.add(`duplicate entries for key ${formatElement(element)}`)
  }
}
