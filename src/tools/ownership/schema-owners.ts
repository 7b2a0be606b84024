// The effect of a changed type on one owner of one object. It is found by actually reconciling the owner's set, and by computing the fields
// that the owner would own at its next apply.

import { hasCode } from "../../errors.js"
import { fieldElement } from "../../fieldpath/create-element.js"
import { invalidElement, type PathElement } from "../../fieldpath/element.js"
import type { Managers } from "../../fieldpath/managers.js"
import { equalPaths, type Path } from "../../fieldpath/path.js"
import { type Entry, FieldSet } from "../../fieldpath/set.js"
import { Updater } from "../../merge/updater.js"
import { elementOfItem } from "../../typed/list-items.js"
import { toFieldSet } from "../../typed/to-field-set.js"
import { isLeaf, type ListKey, type Type } from "../../typed/type.js"
import { reconcileFieldSetWithSchema, TypedValue } from "../../typed/typed-value.js"
import { defaultUnionPolicy } from "../../union/policy.js"
import { equalValues } from "../../value/equal.js"
import { own, put } from "../../value/object.js"
import { isList, isMap, type ListValue, type MapValue, type Value } from "../../value/value.js"
import { anyItem, anyKey, effectOf, isEcho, type LocalChange, type SchemaStep, type TypePair } from "./type-pairs.js"

/**
 * Returns the changes that affect the owner of `set`, which was written at the old type. An owner is affected if reconciliation with the
 * new type rewrites its set. It is also affected if its part of the object has other paths at the new type: its set then no longer matches
 * that part, and its next apply replaces the set. Throws a SchemaError for types that can't be walked.
 */
export function changesFor(pair: TypePair, object: MapValue, set: FieldSet): ReadonlySet<LocalChange> {
  const before = reconcileFieldSetWithSchema(set, pair.old) ?? set
  const reconciled = reconcileFieldSetWithSchema(before, pair.new) ?? before
  const held = heldBelow(pair.old, object, before) ?? {}
  const atOld = toFieldSet(pair.old, held).set
  const atNew = toFieldSet(pair.new, declared(pair.new, held)).set
  const found = new Set<LocalChange>()
  for (const path of [...differing(before, reconciled), ...differing(atOld, atNew)]) {
    for (const change of changesOn(pair, path, false)) found.add(change)
  }
  return found
}

/**
 * Returns the union changes that affect owners, by the owners' identifiers. Each applier applies its part of the object again. The effect
 * on owners of settling the unions of the new type is compared with that of settling the unions of the old type.
 */
export function unionChangesFor(
  pair: TypePair,
  object: MapValue,
  managers: Managers,
): ReadonlyMap<string, ReadonlySet<LocalChange>> {
  const found = new Map<string, Set<LocalChange>>()
  for (const [id, { set, applied }] of managers) {
    if (!applied) continue
    const held = heldBelow(pair.old, object, reconcileFieldSetWithSchema(set, pair.old) ?? set) ?? {}
    const [before, after] = [pair.old, pair.new].map(type => settlingMoves(type, object, managers, id, held))
    for (const [owner, path] of before === undefined || after === undefined ? [] : notInBoth(before, after)) {
      const changes = found.get(owner) ?? new Set()
      for (const change of changesOn(pair, path, true)) found.set(owner, changes.add(change))
    }
  }
  return found
}

type Move = readonly [owner: string, path: Path]

/** Returns the paths that each manager gains or lacks because unions are settled in this apply; undefined if the manager can't apply. */
function settlingMoves(
  type: Type,
  object: MapValue,
  managers: Managers,
  manager: string,
  held: Value,
): Move[] | undefined {
  try {
    const [live, config] = [object, held].map(value => TypedValue.unvalidated(declared(type, value), type))
    const [settled, left] = ([defaultUnionPolicy, "off"] as const).map(unions => {
      const request = { manager, apiVersion: "", managers, force: true, unions }
      return updater.apply(live as TypedValue, config as TypedValue, request).managers
    })
    const setOf = (result: Managers | undefined, id: string) => result?.get(id)?.set ?? FieldSet.empty
    return [...managers.keys()].flatMap(id =>
      differing(setOf(settled, id), setOf(left, id)).map((path): Move => [id, path]),
    )
  } catch (error) {
    if (hasCode(error)) return undefined
    throw error
  }
}

const updater = new Updater({ validateUnions: false })

function notInBoth(a: readonly Move[], b: readonly Move[]): Move[] {
  const without = (some: readonly Move[], others: readonly Move[]) =>
    some.filter(([id, path]) => !others.some(other => other[0] === id && equalPaths(other[1], path)))
  return [...without(a, b), ...without(b, a)]
}

function differing(a: FieldSet, b: FieldSet): Path[] {
  return a === b ? [] : [...a.difference(b), ...b.difference(a)]
}

/**
 * Returns the last changes on the path; changes further up affect its neighbors. The end of the path includes both the changes of the field
 * and those of its type. `ofUnions` selects either the union changes or all others.
 */
function changesOn(pair: TypePair, path: Path, ofUnions: boolean): readonly LocalChange[] {
  let found: readonly LocalChange[] = []
  let above: TypePair | undefined
  let at: TypePair | undefined = pair
  for (let i = 0; at !== undefined && i <= path.length; i++) {
    const here: TypePair = at
    const element = path[i]
    const step = element && stepOf(here, element)
    const met = here.changes.filter(change => {
      const fits = (change.code === "union") === ofUnions && (change.step === undefined || change.step === step)
      return fits && effectOf(change) !== "no" && !isEcho(change, here, above)
    })
    const ofField =
      i < path.length ? [] : found.filter(({ step }) => step !== undefined && above?.below.get(step) === here)
    if (met.length > 0) found = [...met, ...ofField]
    above = here
    at = step && here.below.get(step)
  }
  return found
}

/** Returns the step from a pair that corresponds to an element of a path. */
function stepOf({ below, changes }: TypePair, element: PathElement): SchemaStep {
  if (element.kind !== "field") return anyItem
  const declaredStep: SchemaStep = `f:${element.name}`
  return below.has(declaredStep) || changes.some(({ step }) => step === declaredStep) ? declaredStep : anyKey
}

/**
 * Returns the part of a value that consists of the leaves in `set` and the keys of the items that contain them; undefined if there is
 * nothing. If the set has only the path itself, a map becomes empty and a list null: applying these specifies the path and nothing below
 * it.
 */
function heldBelow(type: Type, value: Value, set: FieldSet): Value | undefined {
  const shape = type.shapeOf(value)
  if (shape?.kind === "map" && isMap(value)) {
    const out: Record<string, Value> = {}
    let found = false
    for (const key in value) {
      const field = shape.fields.get(key)
      const entry = set.find(field === undefined ? fieldElement(key) : field.element)
      const part = entry && heldAt(field === undefined ? shape.rest : field.type, value[key] as Value, entry)
      if (part === undefined) continue
      put(out, key, part)
      found = true
    }
    return found ? out : undefined
  }
  if (shape?.kind !== "list" || !isList(value)) return undefined
  const items: ListValue = value.flatMap(item => {
    const entry = set.find(elementOfItem(shape, item) ?? invalidElement)
    const part = entry && heldAt(shape.item, item, entry)
    return part === undefined ? [] : [withKeys(part, item, shape.keys)]
  })
  return items.length === 0 ? undefined : items
}

function heldAt(type: Type, value: Value, { member, children }: Entry): Value | undefined {
  const shape = type.shapeOf(value)
  if (value === null || shape === null || isLeaf(shape)) return member ? value : undefined
  const below = children === null ? undefined : heldBelow(type, value, children)
  return below ?? (member ? (isList(value) ? null : {}) : undefined)
}

/** Returns the part of an item with its keys, except keys that have their default value. */
function withKeys(part: Value, item: Value, keys: readonly ListKey[]): Value {
  if (!isMap(part) || !isMap(item)) return part
  const out: Record<string, Value> = { ...part }
  for (const { name, default: byDefault } of keys) {
    const key = own(item, name)
    if (key !== undefined && (byDefault === undefined || !equalValues(key, byDefault))) put(out, name, key)
  }
  return out
}

/** Whether the object fits the type after unknown fields are dropped. */
export function fits(type: Type, object: MapValue): boolean {
  try {
    TypedValue.of(declared(type, object), type, { allowDuplicates: true })
    return true
  } catch (error) {
    if (hasCode(error)) return false
    throw error
  }
}

/** Returns the value without fields that are unknown to its type, as an API server reads it. */
export function declared(type: Type, value: Value): Value {
  const shape = type.match(value)
  if (shape?.kind === "list" && isList(value)) return value.map(item => declared(shape.item, item))
  if (shape?.kind !== "map" || !isMap(value)) return value
  const out: Record<string, Value> = {}
  for (const key in value) {
    const below = shape.fields.get(key)?.type ?? shape.rest
    if (!below.empty) put(out, key, declared(below, value[key] as Value))
  }
  return out
}
