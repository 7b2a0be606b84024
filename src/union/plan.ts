import type { FieldElement } from "../fieldpath/element.js"
import type { CompiledUnion } from "../typed/compiled-union.js"
import type { ListShape, MapShape, Type } from "../typed/type.js"

/** Where the unions at and below a type are: only what leads to one. Recursive types point back. */
export interface Plan {
  map: MapPlan | null
  list: ListPlan | null
}

export interface MapPlan {
  readonly shape: MapShape
  readonly unions: readonly CompiledUnion[]
  /** The fields that lead to unions, in the schema's order. */
  readonly fields: readonly { readonly name: string; readonly element: FieldElement; readonly plan: Plan }[]
  /** What keys that are not declared lead to. */
  readonly rest: Plan | null
  /** Every discriminator may hold a string, as the schema should have it. */
  readonly fit: boolean
}

export interface ListPlan {
  readonly shape: ListShape
  readonly item: Plan
}

/** `granular` leaves out what is inside atomic lists and maps, which are leaves to a merge; `whole` goes everywhere. */
export type Reach = "granular" | "whole"

const plans: Readonly<Record<Reach, WeakMap<Type, Plan | null>>> = { granular: new WeakMap(), whole: new WeakMap() }

/** The plan of a type, made once; null where it has no unions, so that such types cost one look-up. */
export function planOf(type: Type, reach: Reach): Plan | null {
  let plan = plans[reach].get(type)
  if (plan === undefined) {
    makePlans(type, reach)
    plan = plans[reach].get(type) ?? null
  }
  return plan
}

/** Makes the plans of a type and of all it refers to. */
function makePlans(root: Type, reach: Reach): void {
  const users = new Map<Type, Type[]>([[root, []]])
  for (const type of users.keys()) {
    for (const child of childrenOf(type, reach)) {
      const known = users.get(child)
      if (known === undefined) users.set(child, [type])
      else known.push(type)
    }
  }
  const known = plans[reach]
  const made = new Map<Type, Plan>()
  // Whatever refers to a type with unions has unions below it. The map grows while it is walked.
  for (const type of users.keys()) if (mapOf(type, reach)?.unions.length) made.set(type, { map: null, list: null })
  for (const type of made.keys()) {
    for (const user of users.get(type) ?? []) if (!made.has(user)) made.set(user, { map: null, list: null })
  }
  for (const type of users.keys()) if (!known.has(type)) known.set(type, made.get(type) ?? null)
  for (const [type, plan] of made) if (known.get(type) === plan) fillPlan(plan, type, reach)
}

function fillPlan(plan: Plan, type: Type, reach: Reach): void {
  const find = (child: Type): Plan | null => plans[reach].get(child) ?? null
  const shape = mapOf(type, reach)
  if (shape !== null) {
    const fields = Array.from(shape.fields, ([name, field]) => ({
      name,
      element: field.element,
      plan: find(field.type),
    }))
    const leading = fields.filter((field): field is typeof field & { plan: Plan } => field.plan !== null)
    const rest = find(shape.rest)
    if (shape.unions.length > 0 || leading.length > 0 || rest !== null) {
      plan.map = {
        shape,
        unions: shape.oneOfs,
        fields: leading,
        rest,
        fit: shape.oneOfs.every(union => holdsString(shape, union.discriminator)),
      }
    }
  }
  const list = listOf(type, reach)
  const item = list === null ? null : find(list.item)
  if (list !== null && item !== null) plan.list = { shape: list, item }
}

/** Whether a field may hold a string. */
export function holdsString(shape: MapShape, field: string | undefined): boolean {
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
  return map?.atomic && reach === "granular" ? null : map
}

// Only items that have path elements can be paired.
function listOf({ list }: Type, reach: Reach): ListShape | null {
  return list === null || reach === "whole" || (list.associative && !list.atomic) ? list : null
}
