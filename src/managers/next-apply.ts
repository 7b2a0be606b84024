// What the next apply of a manager would do, if it applies what it had applied before.
import { hasCode } from "../errors.js"
import { parseJson } from "../json/json.js"
import { lastAppliedOf } from "../managedfields/chain/last-applied.js"
import { AppliedFields } from "../managedfields/extract.js"
import type { FieldManagerOptions } from "../managedfields/request.js"
import { withName } from "../ownership/object-name.js"
import { type Owner, readShares } from "../ownership/owners.js"
import type { Place } from "../ownership/place.js"
import { type Plan, type PlannedConflict, plan } from "../ownership/plan.js"
import type { PlannedChange } from "../ownership/planned-change.js"
import { isMap, type MapValue } from "../value/value.js"

/** What the next apply of a manager would do, by `plan`. */
export interface NextApply {
  /** Who applies. */
  readonly manager: string
  /** Through which subresource; absent for the main resource. */
  readonly subresource?: string
  /**
   * What it is taken to apply. `applied`: what it has applied, with the values of now. `last-applied`: it has applied nothing so far, and
   * this is what the annotation of client-side apply has. `nothing`: nothing at all, so what it would remove are the fields that have to
   * be in its configuration if they are to stay.
   */
  readonly basis: "applied" | "last-applied" | "nothing"
  /** What the apply comes to; `refused` where a server would refuse it for another reason than a conflict. */
  readonly outcome: Plan["outcome"] | "refused"
  /** What changes in the object, and what stays though it is left out. In a conflict, by force. */
  readonly changes: readonly PlannedChange[]
  /** What the manager comes to own by it. */
  readonly gains: readonly Place[]
  /** What would be in conflict. */
  readonly conflicts: readonly PlannedConflict[]
  /** Why it is refused; absent where it is not. */
  readonly message?: string
}

/** What has to be known for the applies to be planned. */
export interface NextOptions extends FieldManagerOptions {
  /** Whether a manager without an apply so far goes on with what client-side apply has applied. */
  readonly fromClientSide: boolean
}

/** The next apply to `after` of each of these owners that applies. */
export function nextApplies(
  before: MapValue,
  after: MapValue,
  owners: readonly Owner[],
  options: NextOptions,
): NextApply[] {
  const appliers = new Map<string, Owner>()
  for (const owner of owners) {
    if (owner.operation !== "Apply") continue
    appliers.set(JSON.stringify([owner.manager, owner.subresource]), owner)
  }
  const had = readShares(before)
  let applied: AppliedFields | undefined
  return [...appliers.values()].map(({ manager, subresource = "" }) => {
    const about = { manager, ...(subresource !== "" && { subresource }) }
    const hasApplied = had.some(({ owner }) => isApplier(owner, manager, subresource))
    const annotation = options.fromClientSide && subresource === "" ? annotationOf(before) : undefined
    const basis = hasApplied ? "applied" : annotation !== undefined ? "last-applied" : "nothing"
    try {
      const fields = hasApplied ? (applied ??= new AppliedFields(before, options)).of(manager, subresource) : annotation
      const planned = plan(after, withName(fields ?? {}, before), { ...options, ...about })
      const { outcome, changes, ownership, conflicts } = planned
      const mine = ownership.find(({ owner }) => isApplier(owner, manager, subresource))
      return { ...about, basis, outcome, changes, gains: mine?.gained ?? [], conflicts }
    } catch (error) {
      if (!hasCode(error)) throw error
      return { ...about, basis, outcome: "refused", changes: [], gains: [], conflicts: [], message: error.message }
    }
  })
}

function isApplier(owner: Owner, manager: string, subresource: string): boolean {
  return owner.operation === "Apply" && owner.manager === manager && (owner.subresource ?? "") === subresource
}

/** What client-side apply has applied last; undefined where the object does not tell. */
function annotationOf(live: MapValue): MapValue | undefined {
  const text = lastAppliedOf(live)
  if (text === "") return undefined
  try {
    const value = parseJson(text)
    return isMap(value) ? value : undefined
  } catch (error) {
    if (!hasCode(error)) throw error
    return undefined
  }
}
