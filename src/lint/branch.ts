// Where a type has unions: only there a value is walked. A Deployment has them in its strategy and in a few places of its Pods, and
// most kinds have none, so that nothing of their objects need be looked at.
import type { CompiledUnion } from "../schema/compiled-union.js"
import type { Type } from "../typed/type.js"

/** A type that has unions, or leads to some. */
export class Branch {
  /** The unions of the type itself. */
  unions: readonly CompiledUnion[] = []
  /** The fields that lead to unions. */
  readonly fields = new Map<string, Branch>()
  /** The fields that do not. `rest` is not for them. */
  readonly others = new Set<string>()
  /** Where undeclared keys lead; null if not to unions. */
  rest: Branch | null = null
  /** Where the items of a list lead; null if not to unions. */
  item: Branch | null = null
}

/** The branch of each type; null for types that lead to no union. */
const known = new WeakMap<Type, Branch | null>()

/** The branch of a type; null if it leads to no union. */
export function branchOf(type: Type): Branch | null {
  const made = known.get(type)
  if (made !== undefined) return made
  if (!leadsToUnions(type)) return null
  const branch = new Branch()
  known.set(type, branch) // before what is below: a type may contain itself
  const { map, list } = type
  if (map !== null) {
    branch.unions = map.oneOfs
    branch.rest = branchOf(map.rest)
    for (const [name, field] of map.fields) {
      const below = branchOf(field.type)
      if (below !== null) branch.fields.set(name, below)
      else branch.others.add(name)
    }
  }
  if (list !== null) branch.item = branchOf(list.item)
  return branch
}

function leadsToUnions(type: Type): boolean {
  const seen = new Set<Type>()
  const pending = [type]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (seen.has(at)) continue
    seen.add(at)
    if (known.get(at) === null) continue
    const { map, list } = at
    if (map !== null) {
      if (map.oneOfs.length > 0) return true
      pending.push(map.rest)
      for (const field of map.fields.values()) pending.push(field.type)
    }
    if (list !== null) pending.push(list.item)
  }
  for (const at of seen) known.set(at, null) // none of them leads to any
  return false
}
