import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { PathElement } from "../../src/fieldpath/element.js"
import { formatFieldsV1Key } from "../../src/fieldpath/element.js"
import type { Path } from "../../src/fieldpath/path.js"
import { FieldSet } from "../../src/fieldpath/set.js"
import { elementOfItem } from "../../src/typed/list-items.js"
import { withNamedFields } from "../../src/typed/named-fields.js"
import type { ListShape, MapShape, Type } from "../../src/typed/type.js"
import { reconcileFieldSetWithSchema, TypedValue } from "../../src/typed/typed-value.js"
import { equalValues, identicalValues } from "../../src/value/equal.js"
import { isEmptyMap, own } from "../../src/value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../src/value/value.js"
import { runs } from "../support/budget.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { arbitraryTypedValues, type TypedValues } from "./arbitraries.js"

/** A law of three values of one type. */
function law(name: string, check: (a: TypedValue, b: TypedValue, c: TypedValue) => void): void {
  it(name, () => {
    const property = fc.property(arbitraryTypedValues(3), ({ type, values }: TypedValues) => {
      const [a, b, c] = values.map(value => TypedValue.of(value, type)) as [TypedValue, TypedValue, TypedValue]
      check(a, b, c)
    })
    fc.assert(property, runs(80))
  })
}

/** Returns the frozen result of a merge, which must be a valid value again. */
function merge(a: TypedValue, b: TypedValue): TypedValue {
  const merged = a.merge(b, { keepEqual: true })
  deepFreeze(merged.value)
  merged.validate()
  return merged
}

function isSubset(part: FieldSet, whole: FieldSet): boolean {
  return part.difference(whole).isEmpty()
}

describe("merge", () => {
  law("of a value with itself is the same object", a => {
    expect(a.merge(a)).toBe(a)
    const copy = TypedValue.of(deepFreeze(structuredClone(a.value)), a.type)
    expect(a.merge(copy, { keepEqual: true })).toBe(a)
    expect(equalValues(a.merge(copy).value, a.value)).toBe(true)
  })

  law("removes nothing", (a, b) => {
    expect(a.compare(merge(a, b)).removed.isEmpty()).toBe(true)
  })

  law("done twice is done once, and gives the same object", (a, b) => {
    const merged = merge(a, b)
    expect(merged.merge(b, { keepEqual: true })).toBe(merged)
  })

  law("has everything that was merged in", (a, b) => {
    const merged = merge(a, b)
    const specified = b.toFieldSet().leaves()
    const { modified, added } = merged.compare(b)
    expect(specified.intersection(modified).isEmpty()).toBe(true)
    expect(specified.intersection(added).isEmpty()).toBe(true)
  })

  law("changes only what was merged in", (a, b) => {
    const merged = merge(a, b)
    const specified = withNamedFields(a.type, b.toFieldSet())
    const changed = [...a.compare(merged).modified.difference(specified)]
    // No set contains an empty list.
    expect(changed.filter(path => !equalValues(valueAt(b.type, b.value, path) ?? null, []))).toEqual([])
  })

  law("shares every part of the left that stays as it was", (a, b) => {
    expectShared(a.type, a.value, merge(a, b).value)
  })

  law("takes the whole right over null, and keeps the left under null", (a, b) => {
    const nothing = TypedValue.of(null, a.type)
    expect(nothing.merge(b).value).toBe(b.value)
    if (isMap(a.value) && Object.keys(a.value).length > 0) expect(a.merge(nothing)).toBe(a)
  })

  law("is the same whether the values are known to be valid or not", (a, b) => {
    const unchecked = TypedValue.unvalidated(a.value, a.type).merge(TypedValue.unvalidated(b.value, b.type))
    expect(equalValues(unchecked.value, a.merge(b).value)).toBe(true)
  })
})

describe("compare", () => {
  law("finds nothing between a value and itself or its copy", a => {
    expect(a.compare(a).isSame()).toBe(true)
    expect(a.compare(TypedValue.of(structuredClone(a.value), a.type)).isSame()).toBe(true)
  })

  law("finds the same on the way back, the other way round", (a, b) => {
    const there = a.compare(b)
    const back = b.compare(a)
    expect([
      there.modified.equals(back.modified),
      there.added.equals(back.removed),
      there.removed.equals(back.added),
    ]).toEqual([true, true, true])
  })

  law("puts no path into two of its sets", (a, b) => {
    const { modified, added, removed } = a.compare(b)
    expect(
      [modified.intersection(added), modified.intersection(removed), added.intersection(removed)].map(set => set.size),
    ).toEqual([0, 0, 0])
  })

  law(
    "finds something wherever values differ in more than the order of items, but not null against {} at the root",
    (a, b) => {
      if (a.value === null || b.value === null) return
      if (equalValues(a.value, b.value)) expect(a.compare(b).isSame()).toBe(true)
      else if (a.compare(b).isSame()) expect(equalValues(sorted(a.type, a.value), sorted(b.type, b.value))).toBe(true)
    },
  )

  law(
    "finds what just one of the two specifies as added or removed, but for what is empty in one and filled in the other",
    (a, b) => {
      const { added, removed, modified } = a.compare(b)
      const [inA, inB] = [a.toFieldSet(), b.toFieldSet()]
      expect(isSubset(inB.difference(inA).difference(emptied(inB, inA)), added.union(modified))).toBe(true)
      expect(isSubset(inA.difference(inB).difference(emptied(inA, inB)), removed.union(modified))).toBe(true)
    },
  )

  law("is the same whether the values are known to be valid or not", (a, b) => {
    const unchecked = TypedValue.unvalidated(a.value, a.type).compare(TypedValue.unvalidated(b.value, b.type))
    expect(String(unchecked)).toBe(String(a.compare(b)))
  })
})

describe("sets of values", () => {
  law("of an equal value are equal", a => {
    expect(TypedValue.of(structuredClone(a.value), a.type).toFieldSet().equals(a.toFieldSet())).toBe(true)
  })

  law("of a merge have all that both sides specify, but for what has become or stopped being empty", (a, b) => {
    const merged = merge(a, b).toFieldSet()
    const { modified, added } = a.compare(merge(a, b))
    expect(isSubset(a.toFieldSet().difference(modified), merged.union(emptied(a.toFieldSet(), merged)))).toBe(true)
    expect(isSubset(b.toFieldSet().leaves(), merged.union(emptied(b.toFieldSet(), merged)).union(added))).toBe(true)
  })

  law("fit the type they come from", a => {
    expect(reconcileFieldSetWithSchema(a.toFieldSet(), a.type)).toBeNull()
  })

  law("with their named fields contain themselves, and nothing more the second time", a => {
    const set = deepFreeze(a.toFieldSet())
    const named = deepFreeze(withNamedFields(a.type, set))
    expect(isSubset(set, named)).toBe(true)
    expect(withNamedFields(a.type, named)).toBe(named)
    expect(named.difference(set).leaves().intersection(set).isEmpty()).toBe(true)
  })
})

describe("removeItems", () => {
  law("removes nothing for nothing, and gives the same object, but null for {}", a => {
    if (isMap(a.value) && isEmptyMap(a.value)) expect(a.removeItems(FieldSet.empty).value).toBeNull()
    else expect(a.removeItems(FieldSet.empty)).toBe(a)
  })

  law("leaves nothing of what it removes", (a, b) => {
    const items = deepFreeze(withNamedFields(a.type, b.toFieldSet()))
    const left = a.removeItems(items)
    deepFreeze(left.value)
    expect(left.toFieldSet().intersection(items.leaves()).difference(nulls(left)).isEmpty()).toBe(true)
  })

  law("keeps what it is not told to remove", (a, b) => {
    const items = deepFreeze(b.toFieldSet())
    const { modified, added, removed } = a.compare(a.removeItems(items))
    expect(added.isEmpty()).toBe(true)
    const whole = withNamedFields(a.type, a.toFieldSet())
    expect(
      isSubset(
        removed.difference(whole.difference(whole.recursiveDifference(items))),
        modified.union(below(items, removed)),
      ),
    ).toBe(true)
  })

  law("shares every part that stays as it was", (a, b) => {
    expectShared(a.type, a.value, a.removeItems(b.toFieldSet()).value)
  })

  /** Returns the paths that became null because the parts below them were removed. */
  function nulls(value: TypedValue): FieldSet {
    const paths = [...value.toFieldSet()].filter(path => valueAt(value.type, value.value, path) === null)
    return FieldSet.of(paths)
  }

  /** Returns the part of `set` on or below members of `items`, and the members that are left empty without the parts below them. */
  function below(items: FieldSet, set: FieldSet): FieldSet {
    return set.difference(set.recursiveDifference(items))
  }
})

describe("extractItems", () => {
  law("gives all of a value for all of its set", a => {
    const extracted = a.extractItems(a.toFieldSet())
    if (a.toFieldSet().isEmpty()) expect(extracted.value === null || isMap(extracted.value)).toBe(true)
    else
      expect(
        isSubset(
          a.toFieldSet().leaves(),
          extracted.toFieldSet().union(a.compare(extracted).modified).union(a.compare(extracted).removed),
        ),
      ).toBe(true)
  })

  law("gives nothing for nothing", a => {
    const { value } = a.extractItems(FieldSet.empty)
    expect(value === null || (isMap(value) && Object.keys(value).length === 0)).toBe(true)
  })

  law("takes nothing that is not there", (a, b) => {
    const extracted = a.extractItems(b.toFieldSet())
    deepFreeze(extracted.value)
    const { added } = a.compare(extracted)
    expect(added.isEmpty()).toBe(true)
  })

  law("and removeItems together cover the value", (a, b) => {
    const leaves = [...a.toFieldSet().leaves()].filter(path => !isKey(path))
    const items = deepFreeze(FieldSet.of(leaves.filter((path, i) => i % 2 === 0 || b.toFieldSet().has(path))))
    const taken = a.extractItems(items, { appendKeyFields: true })
    const left = a.removeItems(items)
    const covered = taken.toFieldSet().union(left.toFieldSet())
    expect(a.toFieldSet().leaves().difference(covered).isEmpty()).toBe(true)
  })
})

/** Returns members that are empty in one value and have something below them in the other. */
function emptied(set: FieldSet, other: FieldSet): FieldSet {
  const paths = [...set.difference(other)].filter(path => path.every((_, i) => i === 0 || !other.has(path)))
  return FieldSet.of(paths.filter(path => hasBelow(other, path)))
}

function hasBelow(set: FieldSet, path: readonly PathElement[]): boolean {
  let below = set
  for (const element of path) below = below.withPrefix(element)
  return !below.isEmpty()
}

/** Whether the path leads to a key of an item. Without its key, an item becomes another one. */
function isKey(path: Path): boolean {
  const [item, field] = path.slice(-2)
  return item?.kind === "key" && field?.kind === "field" && item.fields.some(({ name }) => name === field.name)
}

/** Checks that every map and list of `after` that equals the one in `before` is the same object. */
function expectShared(type: Type, before: Value, after: Value): void {
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null) return
  if (identicalValues(before, after)) expect(after).toBe(before)
  else if (isMap(before) && isMap(after)) shareMaps(type.shapeOf(after) as MapShape, before, after)
  else if (isList(before) && isList(after)) shareLists(type.shapeOf(after) as ListShape, before, after)
}

function shareMaps(shape: MapShape, before: MapValue, after: MapValue): void {
  if (shape.atomic) return
  for (const [key, value] of Object.entries(after)) {
    const old = own(before, key)
    if (old !== undefined) expectShared(shape.fields.get(key)?.type ?? shape.rest, old, value)
  }
}

function shareLists(shape: ListShape, before: ListValue, after: ListValue): void {
  if (shape.atomic) return
  for (const item of after) {
    const element = elementOfItem(shape, item)
    const old = element && before.find(other => isAt(shape, other, element))
    if (old !== null && old !== undefined) expectShared(shape.item, old, item)
  }
}

function isAt(shape: ListShape, item: Value, element: PathElement): boolean {
  const own = elementOfItem(shape, item)
  return own !== null && formatFieldsV1Key(own) === formatFieldsV1Key(element)
}

/** Returns the value with the items of associative lists sorted by their elements. */
function sorted(type: Type, value: Value): Value {
  const shape = type.shapeOf(value)
  if (isMap(value) && shape?.kind === "map" && !shape.atomic) {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, sorted(shape.fields.get(key)?.type ?? shape.rest, each)]),
    )
  }
  if (!isList(value) || shape?.kind !== "list" || shape.atomic) return value
  const text = (item: Value) => formatFieldsV1Key(elementOfItem(shape, item) as PathElement)
  return value.map(item => sorted(shape.item, item)).toSorted((x, y) => (text(x) < text(y) ? -1 : 1))
}

/** Returns the part of the value at a path, which is found by the value's type. */
function valueAt(type: Type, value: Value, path: readonly PathElement[]): Value | undefined {
  const [first, ...rest] = path
  if (first === undefined) return value
  const shape = type.shapeOf(value)
  if (first.kind === "field" && isMap(value) && shape?.kind === "map") {
    const child = own(value, first.name)
    return child === undefined ? undefined : valueAt(shape.fields.get(first.name)?.type ?? shape.rest, child, rest)
  }
  if (!isList(value) || shape?.kind !== "list") return undefined
  const item = value.find(each => isAt(shape, each, first))
  return item === undefined ? undefined : valueAt(shape.item, item, rest)
}
