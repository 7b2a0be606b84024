// Finds the part of an object at a path, using the type of the object.

import { equalElements, type KeyElement, type PathElement, type ValueElement } from "../../fieldpath/element.js"
import { valueAt } from "../../fieldpath/lookup.js"
import type { Path } from "../../fieldpath/path.js"
import { elementOfItem, lookupKey } from "../../typed/list-items.js"
import type { ListShape, MapShape, Shape, Type } from "../../typed/type.js"
import { equalValues } from "../../value/equal.js"
import { addToGroup } from "../../value/groups.js"
import { asFloat } from "../../value/number.js"
import { isList, type ListValue, type Value } from "../../value/value.js"

/**
 * Returns the part of the value at the path; undefined if the path does not exist. Unlike `valueAt` it knows the defaults of keys, so it
 * finds items that omit all of their keys.
 */
export function typedValueAt(type: Type, value: Value, path: Path): Value | undefined {
  return new TypedLookup(type, value).valueAt(path)
}

/** Lists with up to this many items are searched one by one. */
const linearLimit = 8

/** Looks up many paths in one value, which must not change meanwhile. Indexes each longer list once for all its items. */
export class TypedLookup {
  private readonly type: Type
  private readonly value: Value
  private readonly indexes = new Map<ListValue, { ofKeys?: Index; ofValues?: Index }>()

  constructor(type: Type, value: Value) {
    this.type = type
    this.value = value
  }

  /** Returns the part at the path, as `typedValueAt` finds it. */
  valueAt(path: Path): Value | undefined {
    return this.valuesAt(path)[0]
  }

  /**
   * Returns all items at the path, in the order of the list, which may contain an item several times. If a list further up contains an item
   * several times, its first copy counts.
   */
  valuesAt(path: Path): readonly Value[] {
    let found: readonly Value[] = [this.value]
    let at: Type | undefined = this.type
    for (const element of path) {
      const [first] = found
      if (first === undefined) return []
      const shape: Shape | null | undefined = at?.shapeOf(first)
      at = shape?.kind === "map" ? typeOfField(shape, element) : shape?.kind === "list" ? shape.item : undefined
      found = this.childrenAt(first, shape?.kind === "list" ? shape : undefined, element)
    }
    return found
  }

  /** Returns a field, or the items that have the element. */
  private childrenAt(value: Value, shape: ListShape | undefined, element: PathElement): readonly Value[] {
    if (isList(value) && element.kind === "value") {
      return this.withValue(value, element).filter(item => equalValues(item, element.value))
    }
    if (isList(value) && element.kind === "key" && shape !== undefined) {
      return this.withKeys(value, shape, element).filter(item => {
        const here = elementOfItem(shape, item)
        return here !== null && equalElements(here, element)
      })
    }
    const child = valueAt(value, [element])
    return child === undefined ? [] : [child]
  }

  /** Returns the items that may have these keys: all that do, and few others. */
  private withKeys(list: ListValue, shape: ListShape, element: KeyElement): readonly Value[] {
    if (list.length <= linearLimit) return list
    const indexes = this.indexesOf(list)
    if (indexes.ofKeys?.shape !== shape) {
      indexes.ofKeys = new Index(list, shape, item => {
        const here = elementOfItem(shape, item)
        return here === null ? undefined : lookupKey(here)
      })
    }
    return indexes.ofKeys.find(lookupKey(element))
  }

  /** Returns the items that may be equal to this value. */
  private withValue(list: ListValue, element: ValueElement): readonly Value[] {
    if (list.length <= linearLimit) return list
    const indexes = this.indexesOf(list)
    indexes.ofValues ??= new Index(list, undefined, scalarKey)
    return indexes.ofValues.find(scalarKey(element.value))
  }

  private indexesOf(list: ListValue): { ofKeys?: Index; ofValues?: Index } {
    const known = this.indexes.get(list) ?? {}
    this.indexes.set(list, known)
    return known
  }
}

/** The items of a list by lookup key. Items that may be equal have the same key. */
class Index {
  readonly shape: ListShape | undefined
  private readonly items = new Map<Value, Value[]>()

  constructor(list: ListValue, shape: ListShape | undefined, keyOf: (item: Value) => Value | undefined) {
    this.shape = shape
    for (const item of list) {
      const key = keyOf(item)
      if (key !== undefined) addToGroup(this.items, key, item)
    }
  }

  find(key: Value): readonly Value[] {
    return this.items.get(key) ?? []
  }
}

/** Returns the value as a lookup key. All lists and maps share one key, because they can't be items of sets. */
function scalarKey(value: Value): Value {
  return typeof value === "object" ? null : asFloat(value)
}

function typeOfField(shape: MapShape, element: PathElement): Type | undefined {
  return element.kind === "field" ? (shape.fields.get(element.name)?.type ?? shape.rest) : undefined
}
