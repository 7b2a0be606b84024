// Predicts the next apply of a manager, assuming that it applies the same fields as before.
import { hasCode } from "../../errors.js"
import { lastAppliedConfig } from "../../managedfields/chain/last-applied.js"
import type { ObjectFacts } from "../../managedfields/chain/object-facts.js"
import { AppliedFields } from "../../managedfields/extract.js"
import type { FieldManagerOptions } from "../../managedfields/request.js"
import type { MapValue } from "../../value/value.js"
import { withName } from "../ownership/object-name.js"
import { type Owner, readShares } from "../ownership/owners.js"
import type { Place } from "../ownership/place.js"
import { type Plan, type PlannedConflict, planOf } from "../ownership/plan.js"
import type { PlannedChange } from "../ownership/planned-change.js"
import { tryApply } from "../ownership/request.js"

/** The next apply of a manager, predicted by `plan`. */
export interface NextApply {
  /** The manager. */
  readonly manager: string
  /** The subresource that it applies to; absent for the main resource. */
  readonly subresource?: string
  /**
   * The configuration that the manager is assumed to apply. `applied`: the fields that it has applied, with their current values.
   * `last-applied`: it has not applied yet, and its configuration is taken from the annotation of client-side apply. `nothing`: an empty
   * configuration, so the fields that the apply would remove are those that the real configuration has to contain if they are to stay.
   */
  readonly basis: "applied" | "last-applied" | "nothing"
  /** The outcome of the apply. */
  readonly outcome: Plan["outcome"] | "refused"
  /** The fields that change, and those that stay although they are omitted. In a conflict, with force. */
  readonly changes: readonly PlannedChange[]
  /** The fields that the manager gains. */
  readonly gains: readonly Place[]
  /** The conflicts of the apply. */
  readonly conflicts: readonly PlannedConflict[]
  /** The reason for a refusal; absent if the apply is not refused. */
  readonly message?: string
}

/** The options for predicting applies. */
export interface NextOptions extends FieldManagerOptions {
  /** Facts about the objects before and after the operation. */
  readonly facts: ObjectFacts
  /** Whether a manager that has not applied yet continues with the configuration of client-side apply. */
  readonly fromClientSide: boolean
}

/** Returns the next apply to `after` of each of these owners that applies. */
export function nextApplies(
  before: MapValue,
  after: MapValue,
  owners: readonly Owner[],
  { facts, ...options }: NextOptions,
): NextApply[] {
  const appliers = new Map<string, Owner>()
  for (const owner of owners) {
    if (owner.operation !== "Apply") continue
    appliers.set(JSON.stringify([owner.manager, owner.subresource]), owner)
  }
  const had = readShares(before, facts.sets)
  let applied: AppliedFields | undefined
  return [...appliers.values()].map(({ manager, subresource = "" }) => {
    const about = { manager, ...(subresource !== "" && { subresource }) }
    const hasApplied = had.some(({ owner }) => isApplier(owner, manager, subresource))
    const annotation = options.fromClientSide && subresource === "" ? lastAppliedConfig(before) : undefined
    const basis = hasApplied ? "applied" : annotation !== undefined ? "last-applied" : "nothing"
    try {
      if (hasApplied) applied ??= new AppliedFields(before, options, facts.sets)
      const fields = hasApplied ? applied?.of(manager, subresource) : annotation
      const request = { ...options, ...about }
      const trial = tryApply(after, withName(fields ?? {}, before), request, facts)
      const { outcome, changes, ownership, conflicts } = planOf(trial, request)
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
