// Sums up who owns how much over the objects of a stream.
import { readShares } from "../../tools/ownership/owners.js"
import { compareStrings } from "../../value/compare.js"
import type { MapValue } from "../../value/value.js"
import { counted } from "../../value/words.js"
import type { StreamSummary } from "../stream/judge.js"

/** The fields of one manager in one object: its name, its operation, its subresource or "", the number of its fields, and the time of its change. */
export type OwnedCount = readonly [
  manager: string,
  operation: string,
  subresource: string,
  fields: number,
  time: string,
]

/** Returns what each manager owns in the object. Entries of one manager that differ only in their version count as one. */
export function ownedCounts(object: MapValue): readonly OwnedCount[] {
  const counts = new Map<string, OwnedCount>()
  for (const { owner, set } of readShares(object)) {
    const { manager, operation, subresource = "", time = "" } = owner
    const key = keyOf(manager, operation, subresource)
    const [, , , fields = 0, latest = ""] = counts.get(key) ?? []
    counts.set(key, [manager, operation, subresource, fields + set.size, laterOf(latest, time)])
  }
  return [...counts.values()]
}

/** The fields of a manager in all objects. */
interface Total {
  readonly manager: string
  readonly operation: string
  readonly subresource?: string
  objects: number
  fields: number
  /** The time of its last change; absent if none of its entries has a time. */
  lastChange?: string
}

/** Managers beyond this number count together, so that names with random parts can't fill the memory. */
const mostManagers = 10_000

/** Adds up the results of objects. The memory that it takes depends on the number of managers, and is bounded. */
export class OwnerSummary implements StreamSummary {
  private readonly totals = new Map<string, Total>()
  private objects = 0
  private unowned = 0
  private others: Total | undefined

  add(result: unknown): void {
    const counts = result as readonly OwnedCount[]
    this.objects++
    if (counts.length === 0) this.unowned++
    for (const [manager, operation, subresource, fields, time] of counts) {
      const total = this.totalOf(manager, operation, subresource)
      total.objects++
      total.fields += fields
      const latest = laterOf(total.lastChange ?? "", time)
      if (latest !== "") total.lastChange = latest
    }
  }

  /** The managers, the one with the most fields first. */
  records(): readonly object[] {
    const sorted = [...this.totals].toSorted(([idA, a], [idB, b]) => b.fields - a.fields || compareStrings(idA, idB))
    const all = sorted.map(([, total]) => total)
    return this.others === undefined ? all : [...all, this.others]
  }

  note(): string | undefined {
    const { objects, unowned } = this
    return unowned === 0 ? undefined : `${unowned} of ${counted(objects, "object")} without owners`
  }

  private totalOf(manager: string, operation: string, subresource: string): Total {
    const key = keyOf(manager, operation, subresource)
    const known = this.totals.get(key)
    if (known !== undefined) return known
    if (this.totals.size >= mostManagers) {
      this.others ??= { manager: "(others)", operation: "", objects: 0, fields: 0 }
      return this.others
    }
    const total = { manager, operation, ...(subresource !== "" && { subresource }), objects: 0, fields: 0 }
    this.totals.set(key, total)
    return total
  }
}

function keyOf(manager: string, operation: string, subresource: string): string {
  return JSON.stringify([manager, operation, subresource])
}

function laterOf(a: string, b: string): string {
  return compareStrings(a, b) < 0 ? b : a
}
