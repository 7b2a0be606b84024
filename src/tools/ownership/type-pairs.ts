// Puts two schemas side by side: every pair of types in the same place, the differences between the two, and the pairs below.
//
// Types refer to each other and may contain themselves, so each pair is compared once, however many paths lead to it. Nothing below a type
// that is atomic on either side is compared, because no set contains paths there.

import { memberName } from "../../schema/item-member.js"
import type { UnionDef } from "../../schema/union.js"
import { isUntypedName } from "../../schema/untyped.js"
import type { Field, ListShape, MapShape, Shape, Type } from "../../typed/type.js"
import { compareStrings } from "../../value/compare.js"
import { equalIfPresent, equalValues } from "../../value/equal.js"
import { formatValue } from "../../value/format.js"
import type { Value } from "../../value/value.js"
import { listOr } from "../../value/words.js"
import { type OwnershipEffect, type SchemaChangeCode, schemaChangeRules } from "./schema-changes.js"

/** A step down: a declared field (`f:name`), the items of a list, or the values of a map. */
export type SchemaStep = `f:${string}` | typeof anyItem | typeof anyKey
export const anyItem = "[*]"
export const anyKey = ".*"

/** A difference between two types, in the types themselves or in a field that only one of them declares. */
export interface LocalChange {
  readonly code: SchemaChangeCode
  readonly before: string
  readonly after: string
  /** The step to the difference, if it is not in the type itself. */
  readonly step?: SchemaStep
}

/** Two types in the same place. */
export interface TypePair {
  readonly old: Type
  readonly new: Type
  readonly changes: LocalChange[]
  readonly below: Map<SchemaStep, TypePair>
}

/** The pairs of types of two schemas. */
export class TypePairs {
  private readonly known = new Map<Type, Map<Type, TypePair>>()

  /** Returns the pair of these types, including all pairs below it. */
  of(old: Type, now: Type): TypePair {
    const pending: TypePair[] = []
    const first = this.pair(old, now, pending)
    for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
      const { below } = pair
      compare(pair, (step, before, after) => below.set(step, this.pair(before, after, pending)))
    }
    return first
  }

  private pair(old: Type, now: Type, pending: TypePair[]): TypePair {
    let pairs = this.known.get(old)
    if (pairs === undefined) {
      pairs = new Map()
      this.known.set(old, pairs)
    }
    let pair = pairs.get(now)
    if (pair === undefined) {
      pair = { old, new: now, changes: [], below: new Map() }
      pairs.set(now, pair)
      pending.push(pair)
    }
    return pair
  }
}

/** Returns these pairs and all pairs below them. If `but` is given, the result omits it and the pairs that are only below it. */
export function reachable(from: readonly TypePair[], but?: TypePair): TypePair[] {
  const seen = new Set(from.filter(pair => pair !== but))
  for (const pair of seen) for (const child of pair.below.values()) if (child !== but) seen.add(child)
  return [...seen]
}

/** Whether the change can change owners. */
export function effectOf({ code }: { readonly code: SchemaChangeCode }): OwnershipEffect {
  return schemaChangeRules[code].ownership
}

/**
 * Whether the change only repeats one of the pair above. If a type allowed anything and becomes narrower, everything inside becomes
 * narrower with it.
 */
export function isEcho({ code }: LocalChange, pair: TypePair, above: TypePair | undefined): boolean {
  if (code !== "type-narrowed" || !isUntypedName(pair.old.name)) return false
  return above?.changes.some(change => change.code === code) === true
}

type Descend = (step: SchemaStep, before: Type, after: Type) => void

function compare(pair: TypePair, descend: Descend): void {
  const { old, new: now } = pair
  const fewer = compareKinds(pair)
  if (!fewer && old.scalar !== null && now.scalar !== null && old.scalar.scalar !== now.scalar.scalar) {
    record(pair, "scalar", old.scalar, now.scalar)
  }
  if (old.list !== null && now.list !== null) compareLists(pair, old.list, now.list, descend)
  if (old.map !== null && now.map !== null) compareMaps(pair, old.map, now.map, descend)
}

/** Records kinds of values that are no longer allowed. Returns whether there are any. */
function compareKinds(pair: TypePair): boolean {
  const [before, after] = [shapesOf(pair.old), shapesOf(pair.new)]
  const lost = before.filter(({ kind }) => !after.some(shape => shape.kind === kind))
  if (lost.length === 0) return false
  const code = lost.length === before.length ? "type" : "type-narrowed"
  pair.changes.push({ code, before: describeType(pair.old), after: describeType(pair.new) })
  return true
}

function compareLists(pair: TypePair, before: ListShape, after: ListShape, descend: Descend): void {
  if (before.atomic && after.atomic) return
  if (before.associative !== after.associative && !before.atomic && !after.atomic)
    record(pair, "list-unfit", before, after)
  else if (after.atomic) record(pair, before.associative ? becomesAtomic(pair, after) : "list-unfit", before, after)
  else if (before.atomic) record(pair, after.associative ? "list-granular" : "list-unfit", before, after)
  else if ((before.keys.length === 0) !== (after.keys.length === 0)) record(pair, "list-type", before, after)
  else {
    compareListKeys(pair, before, after)
    descend(anyItem, before.item, after.item)
  }
}

function compareListKeys(pair: TypePair, before: ListShape, after: ListShape): void {
  const names = ({ keys }: ListShape) => keys.map(({ name }) => name)
  if (!equalValues(names(before), names(after))) record(pair, "list-keys", before, after)
  else if (before.keys.some((key, i) => !equalIfPresent(key.default, after.keys[i]?.default))) {
    record(pair, "list-key-default", before, after)
  }
}

function compareMaps(pair: TypePair, before: MapShape, after: MapShape, descend: Descend): void {
  if (before.atomic && after.atomic) return
  if (before.atomic || after.atomic) {
    record(pair, after.atomic ? becomesAtomic(pair, after) : "map-granular", before, after)
    return
  }
  compareUnions(pair, before.unions, after.unions)
  const names = new Set([...before.fields.keys(), ...after.fields.keys()])
  for (const name of [...names].sort(compareStrings)) compareField(pair, name, before, after, descend)
  if (!before.rest.empty && !after.rest.empty) descend(anyKey, before.rest, after.rest)
  else if (!before.rest.empty)
    pair.changes.push({ code: "unknown-pruned", before: "kept", after: "dropped", step: anyKey })
  else if (!after.rest.empty)
    pair.changes.push({ code: "unknown-kept", before: "dropped", after: "kept", step: anyKey })
}

function compareField(pair: TypePair, name: string, before: MapShape, after: MapShape, descend: Descend): void {
  const step: SchemaStep = `f:${name}`
  const [had, has] = [before.fields.get(name), after.fields.get(name)]
  const [left, right] = [fieldType(had, before), fieldType(has, after)]
  if (right.empty) pair.changes.push({ code: "field-removed", before: describeType(left), after: "gone", step })
  else if (left.empty) pair.changes.push({ code: "field-added", before: "absent", after: describeType(right), step })
  else {
    descend(step, left, right)
    // Applying an undeclared key owns both the key and its contents. For a leaf this makes no difference.
    if ((had === undefined) === (has === undefined) || !mayBothBeGranular(left, right)) return
    if (had === undefined) pair.changes.push({ code: "field-declared", before: "a key", after: "a field", step })
    else pair.changes.push({ code: "field-undeclared", before: "a field", after: "a key", step })
  }
}

function mayBothBeGranular(a: Type, b: Type): boolean {
  return shapesOf(a).some(shape => shapesOf(b).some(({ kind }) => kind === shape.kind && kind !== "scalar"))
}

function fieldType(field: Field | undefined, { rest }: MapShape): Type {
  return field === undefined ? rest : field.type
}

function compareUnions(pair: TypePair, before: readonly UnionDef[], after: readonly UnionDef[]): void {
  const [gone, added] = [unionsWithout(before, after), unionsWithout(after, before)]
  if (gone.length === 0 && added.length === 0) return
  pair.changes.push({ code: "union", before: describeUnions(gone), after: describeUnions(added) })
}

function unionsWithout(unions: readonly UnionDef[], others: readonly UnionDef[]): readonly UnionDef[] {
  return unions.filter(union => !others.some(other => equalValues(union as Value, other as Value)))
}

/** Reconciliation looks only at the first alternative, and it skips maps without declared fields. */
function becomesAtomic({ new: now }: TypePair, shape: ListShape | MapShape): SchemaChangeCode {
  const passedOver = now.fallback !== shape || (shape.kind === "map" && shape.deduced)
  return passedOver ? "untyped-atomic" : shape.kind === "map" ? "map-atomic" : "list-atomic"
}

function record(pair: TypePair, code: SchemaChangeCode, before: Shape, after: Shape): void {
  pair.changes.push({ code, before: describeShape(before), after: describeShape(after) })
}

function shapesOf({ scalar, list, map }: Type): Shape[] {
  return [scalar, list, map].filter(shape => shape !== null)
}

function describeType(type: Type): string {
  return listOr(shapesOf(type).map(describeShape)) || "no type"
}

function describeShape(shape: Shape): string {
  if (shape.kind === "scalar") return shape.scalar === "untyped" ? "any scalar" : shape.scalar
  if (shape.kind === "list") return describeList(shape)
  const noun = shape.fields.size > 0 ? "struct" : "map"
  return `${shape.atomic ? "atomic" : "granular"} ${noun}`
}

function describeList({ atomic, associative, keys, keyNames }: ListShape): string {
  if (atomic) return "atomic list"
  if (!associative) return "list without a type"
  if (keys.length === 0) return "set"
  const named = keyNames.map(name => {
    const byDefault = keys.find(key => key.name === name)?.default
    return byDefault === undefined ? name : `${name} (${formatValue(byDefault)} by default)`
  })
  return `list by ${named.join(", ")}`
}

function describeUnions(unions: readonly UnionDef[]): string {
  const texts = unions.map(({ discriminator, fields = [], cardinality }) => {
    const members = fields.map(memberName).join(", ")
    const by = discriminator === undefined ? "" : ` by ${discriminator}`
    return `${cardinality === "exactlyOne" ? "exactly one" : "one"} of ${members}${by}`
  })
  return texts.join("; ") || "no union"
}
