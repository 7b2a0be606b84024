import type { CompiledUnion } from "../schema/compiled-union.js"
import type { ListShape, MapShape, Type } from "../typed/type.js"
import { addToGroup } from "../value/groups.js"
import type { UnionPolicy } from "./policy.js"

/**
 * Says where the unions at and below a type are. Contains only the parts that lead to unions. Plans of recursive types refer to themselves.
 */
export interface Plan {
  map: MapPlan | null
  list: ListPlan | null
}

export interface MapPlan {
  readonly shape: MapShape
  readonly unions: readonly CompiledUnion[]
  /** The fields that lead to unions, in the schema's order. */
  readonly fields: ReadonlyMap<string, Plan>
  /** The plan for undeclared keys; null if they lead to no union. */
  readonly rest: Plan | null
  /** Whether every discriminator may hold a string, as it should. */
  readonly fit: boolean
}

export interface ListPlan {
  readonly shape: ListShape
  readonly item: Plan
}

/** Says which lists and maps a walk enters, and keeps the plans for that walk: null for types without unions. */
export interface Reach {
  readonly plans: WeakMap<Type, Plan | null>
  enters(shape: ListShape | MapShape): boolean
}

/** Enters no atomic lists and maps, which are leaves to a merge, and only lists whose items can be paired. */
const granular: Reach = {
  plans: new WeakMap(),
  enters: shape => !shape.atomic && (shape.kind === "map" || shape.associative),
}

/** Returns the plan for normalizing values of a type, or null if there is nothing to do. */
export function normalizationPlan(policy: UnionPolicy, type: Type): Plan | null {
  return policy.enabled ? planOf(type, granular) : null
}

/** Returns the plan of a type, or null if it has no unions. The plan is made once, so a type without unions costs one look-up. */
export function planOf(type: Type, reach: Reach): Plan | null {
  const { plans } = reach
  if (!plans.has(type)) makePlans(type, reach)
  return plans.get(type) ?? null
}

/** Makes the plans of a type and of all types that it refers to. */
function makePlans(root: Type, reach: Reach): void {
  const { plans } = reach
  const users = new Map<Type, Type[]>([[root, []]])
  for (const type of users.keys()) {
    for (const child of childrenOf(type, reach)) addToGroup(users, child, type)
  }
  // A type that refers to one with unions has unions below it. The set grows during the loop.
  const leading = new Set<Type>()
  for (const type of users.keys()) if (mapOf(type, reach)?.compiledUnions.length) leading.add(type)
  for (const type of leading) for (const user of users.get(type) ?? []) leading.add(user)
  const added: Type[] = []
  for (const type of users.keys()) {
    if (plans.has(type)) continue
    plans.set(type, leading.has(type) ? { map: null, list: null } : null)
    added.push(type)
  }
  for (const type of added) fillPlan(plans.get(type) ?? null, type, reach)
}

function fillPlan(plan: Plan | null, type: Type, reach: Reach): void {
  if (plan === null) return
  const find = (child: Type): Plan | null => reach.plans.get(child) ?? null
  const map = mapOf(type, reach)
  if (map !== null) {
    const fields = new Map<string, Plan>()
    for (const [name, field] of map.fields) {
      const below = find(field.type)
      if (below !== null) fields.set(name, below)
    }
    const rest = find(map.rest)
    const unions = map.compiledUnions
    if (unions.length > 0 || fields.size > 0 || rest !== null) {
      plan.map = { shape: map, unions, fields, rest, fit: unions.every(union => holdsString(map, union.discriminator)) }
    }
  }
  const list = listOf(type, reach)
  const item = list === null ? null : find(list.item)
  if (list !== null && item !== null) plan.list = { shape: list, item }
}

/** Whether a field may hold a string. */
function holdsString(shape: MapShape, field: string | undefined): boolean {
  if (field === undefined) return true
  const scalar = (shape.fields.get(field)?.type ?? shape.rest).scalar?.scalar
  return scalar === "string" || scalar === "untyped"
}

function childrenOf(type: Type, reach: Reach): Type[] {
  const map = mapOf(type, reach)
  const list = listOf(type, reach)
  const children = map === null ? [] : [map.rest, ...Array.from(map.fields.values(), field => field.type)]
  return list === null ? children : [...children, list.item]
}

function mapOf({ map }: Type, reach: Reach): MapShape | null {
  return map === null || reach.enters(map) ? map : null
}

function listOf({ list }: Type, reach: Reach): ListShape | null {
  return list === null || reach.enters(list) ? list : null
}
