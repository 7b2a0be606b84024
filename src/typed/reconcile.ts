import type { PathElement } from "../fieldpath/element.js"
import { type Entry, FieldSet } from "../fieldpath/set.js"
import { maxDepth, tooDeep } from "../value/depth.js"
import type { MapShape, Type } from "./type.js"
import { Issues } from "./walk.js"

/**
 * Returns `set` brought in line with a type that may have changed since the set was written, or null if it already is. If a value has
 * become atomic, every owner of a part of it now owns it as a whole. If it was atomic and is now granular, its fields stay unchanged:
 * upstream discourages that change, and treats the value as if it had always been granular.
 */
export function reconcileFieldSet(type: Type, set: FieldSet): { set: FieldSet | null; issues: Issues } {
  const issues = new Issues()
  if (set.checkedFor === type) return { set: null, issues }
  const walk: Reconcile = { issues, atomics: [], hasProblems: type.schema.hasProblems }
  visit(walk, type, set, false, 0)
  if (walk.atomics.length === 0) {
    if (issues.count === 0) set.checkedFor = type
    return { set: null, issues }
  }
  const wholes = FieldSet.of(walk.atomics.map(path => path.reverse()))
  return { set: set.recursiveDifference(wholes).union(wholes), issues }
}

interface Reconcile {
  readonly issues: Issues
  /** The paths of atomic values that the set reaches into, last element first: each level adds its element on the way back. */
  readonly atomics: PathElement[][]
  readonly hasProblems: boolean
}

/** `whole` means that the set has the value itself as a member, and nothing below it. */
function visit(walk: Reconcile, type: Type, set: FieldSet | null, whole: boolean, depth: number): void {
  if (depth > maxDepth) throw tooDeep()
  // A set does not know the kind of a value, so the first alternative in the fixed order is taken.
  const shape = type.fallback
  if (shape === null) {
    walk.issues.add(type.problem as string)
  } else if (shape.kind === "list") {
    if (shape.atomic && !whole) walk.atomics.push([])
    else if (set !== null) for (const entry of set.entries) descend(walk, shape.item, entry, depth)
  } else if (shape.kind === "map" && !shape.deduced) {
    if (shape.atomic && !whole) {
      if (set !== null && !set.isEmpty()) walk.atomics.push([])
    } else if (set !== null) visitKeys(walk, shape, set, depth)
  }
}

function visitKeys(walk: Reconcile, shape: MapShape, set: FieldSet, depth: number): void {
  for (const entry of set.entries) {
    if (entry.children === null && !walk.hasProblems) continue // owned as a whole, as any type allows
    const field = entry.element.kind === "field" ? shape.fields.get(entry.element.name) : undefined
    const type = field === undefined ? shape.rest : field.type
    if (!type.empty) descend(walk, type, entry, depth) // fields that the schema does not know are left alone
  }
}

function descend(walk: Reconcile, type: Type, entry: Entry, depth: number): void {
  if (entry.member && entry.children === null && type.problem === null) return // owned as a whole, as any type allows
  const before = walk.atomics.length
  visit(walk, type, entry.children, entry.member && entry.children === null, depth + 1)
  for (let i = before; i < walk.atomics.length; i++) walk.atomics[i]?.push(entry.element)
}
