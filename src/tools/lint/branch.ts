// Finds the places in a type that have unions, because only those parts of a value are walked. A Deployment has unions in its strategy and
// in a few places of its Pods. Most kinds have none, so their objects are not walked at all.
import type { CompiledUnion } from "../../schema/compiled-union.js"
import type { Type } from "../../typed/type.js"

/** A type that has unions or leads to some. */
export class Branch {
  /** The unions of the type itself. */
  unions: readonly CompiledUnion[] = []
  /** The fields that lead to unions. */
  readonly fields = new Map<string, Branch>()
  /** The fields that do not lead to unions. `rest` does not apply to them. */
  readonly others = new Set<string>()
  /** The branch of undeclared keys; null if they don't lead to unions. */
  rest: Branch | null = null
  /** The branch of list items; null if they don't lead to unions. */
  item: Branch | null = null
}

/** The branch of each type; null for types that don't lead to a union. */
const known = new WeakMap<Type, Branch | null>()

/** Returns the branch of a type; null if it doesn't lead to a union. */
export function branchOf(type: Type): Branch | null {
  const cached = known.get(type)
  if (cached !== undefined) return cached
  if (!leadsToUnions(type)) return null
  const branch = new Branch()
  known.set(type, branch) // set before descending: a type may contain itself
  const { map, list } = type
  if (map !== null) {
    branch.unions = map.compiledUnions
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
      if (map.compiledUnions.length > 0) return true
      pending.push(map.rest)
      for (const field of map.fields.values()) pending.push(field.type)
    }
    if (list !== null) pending.push(list.item)
  }
  for (const at of seen) known.set(at, null) // none of them leads to unions
  return false
}
