// Plays a tool's steps before and after its apply on the write path of a server.
import { StructuredMergeError } from "../../errors.js"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import { readManagedFields, withoutManagedFields } from "../../managedfields/entries/entry.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { equalValues } from "../../value/equal.js"
import { mapAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { type DryRun, type DryRunOutcome, unchanged } from "../../write/dry-run.js"
import { patchedTo, withPatch } from "../../write/patch.js"
import { type ApplierOrigin, sentConfiguration, skipReason } from "./configuration.js"
import type { ApplierProfile, ApplierStep } from "./profile.js"
import { requestOfStep, type StepRequest } from "./steps.js"

/** The request of a tool. */
export interface ApplierRequest {
  readonly profile: ApplierProfile
  /** The name of the manager, if it is not the profile's. */
  readonly manager?: string | undefined
  /** Whether a user asks the tool to force the apply. */
  readonly force?: boolean | undefined
  readonly origin?: ApplierOrigin | undefined
}

/** A step that changed the object, or that a server refuses. */
export interface StepDone {
  /** The step. `apply-again` repeats the apply after a step that made fields removable. */
  readonly step: ApplierStep["step"] | "apply-again"
  readonly when: "before" | "after"
  readonly before: MapValue
  /** The object after the step. The object before it if a server refuses the step. */
  readonly after: MapValue
  /** The refusal of a server. */
  readonly failure?: RequestFailure
}

/** The run of a tool for one object. */
export class ApplierRun {
  readonly profile: ApplierProfile
  readonly manager: string
  readonly force: boolean
  /** The configuration that the tool sends. */
  readonly config: MapValue
  private readonly dryRun: DryRun

  constructor(dryRun: DryRun, live: MapValue | undefined, config: MapValue, request: ApplierRequest) {
    const { profile, force = false, origin } = request
    if (profile.writes === "update") throw sendsUpdates(profile)
    this.profile = profile
    this.dryRun = dryRun
    this.manager = managerOf(request, live)
    this.force = profile.force === "always" || (profile.force === "on-request" && force)
    this.config = sentConfiguration(config, live, profile, dryRun, origin)
  }

  /** Returns the reason why the tool sends nothing for this object; undefined if it does. */
  skipReason(live: MapValue | undefined): string | undefined {
    const marked = skipReason(this.config, live, this.profile.skips ?? [])
    if (marked !== undefined || live === undefined || this.profile.sends !== "drift") return marked
    const next = this.apply(live)
    const isSame = next.ok && !hasDrifted(this.read(live), next.object)
    return isSame && this.before(live).length === 0 ? "no value drifts" : undefined
  }

  /** Returns the steps before the apply. The last one may be refused. A tool that looks for drift starts with a dry run of its apply. */
  before(live: MapValue): StepDone[] {
    if (this.profile.sends === "drift" && !this.apply(live).ok) return []
    return this.play(this.profile.before ?? [], "before", live)
  }

  /** Returns the steps after the apply. Tools only warn about a refusal. */
  after(live: MapValue): StepDone[] {
    return this.play(this.profile.after ?? [], "after", live)
  }

  /** Applies the configuration once. */
  apply(live: MapValue | undefined): DryRunOutcome {
    const { dryRun, config, manager, force } = this
    return dryRun.apply(live && dryRun.live(live), config, { manager, force })
  }

  private play(steps: readonly ApplierStep[], when: StepDone["when"], live: MapValue): StepDone[] {
    const done: StepDone[] = []
    let object = this.read(live)
    const { manager, config } = this
    const { managerPrefix } = this.profile
    for (const step of steps) {
      const request = requestOfStep(step, object, { manager, managerPrefix, config })
      if (request === undefined) continue
      const played = this.send(step.step, when, object, request)
      if (played.after === object && played.failure === undefined) continue
      done.push(played)
      if (played.failure !== undefined) return done
      object = played.after
      if (step.step !== "upgrade-managers" || step.reapplies !== true) continue
      const again = stepDone("apply-again", when, object, this.apply(object))
      if (again.after !== object || again.failure !== undefined) done.push(again)
      object = again.after
    }
    return done
  }

  private send(step: StepDone["step"], when: StepDone["when"], live: MapValue, request: StepRequest): StepDone {
    const { dryRun } = this
    const address = { name: metaText(live, "name"), namespace: metaText(live, "namespace") }
    const outcome =
      "apply" in request
        ? dryRun.apply(dryRun.live(live), request.apply, { manager: request.manager, force: false })
        : dryRun.patch(dryRun.live(live), address, given => patchedTo(withPatch(given, request.patch), given), this)
    return stepDone(step, when, live, outcome)
  }

  /** Returns the object as the tool gets it from the server: at the version of the configuration. */
  private read(live: MapValue): MapValue {
    const { read } = this.dryRun.live(live)
    return read instanceof RequestFailure ? live : read
  }
}

/**
 * Applies the configuration as the tool does, with all of its steps, and returns the outcome of its apply with the object after the last step.
 * If the tool sends nothing, the live object is unchanged.
 */
export function applyWithTool(
  dryRun: DryRun,
  live: MapValue | undefined,
  config: MapValue,
  request: ApplierRequest,
): DryRunOutcome {
  const run = new ApplierRun(dryRun, live, config, request)
  if (live !== undefined && run.skipReason(live) !== undefined) return unchanged(live)
  const before = live === undefined ? [] : run.before(live)
  const failure = before.find(step => step.failure !== undefined)?.failure
  if (failure !== undefined) return { ok: false, step: "merge", failure, warnings: [], refusesUnions: false }
  const outcome = run.apply(before[before.length - 1]?.after ?? live)
  if (!outcome.ok) return outcome
  const after = run.after(outcome.object)
  const changed = outcome.changed || before.length + after.length > 0
  return { ...outcome, changed, object: after[after.length - 1]?.after ?? outcome.object }
}

function stepDone(step: StepDone["step"], when: StepDone["when"], before: MapValue, outcome: DryRunOutcome): StepDone {
  if (!outcome.ok) return { step, when, before, after: before, failure: outcome.failure }
  return { step, when, before, after: outcome.changed ? outcome.object : before }
}

/** Returns the name under which the tool applies. Throws a StructuredMergeError if neither the profile nor the live object says it. */
function managerOf({ profile, manager }: ApplierRequest, live: MapValue | undefined): string {
  if (manager !== undefined && manager !== "") return manager
  if (profile.manager !== undefined) return profile.manager
  const { managerPrefix } = profile
  const entries = live === undefined || managerPrefix === undefined ? [] : (readManagedFields(live) ?? [])
  const own = entries.find(
    ({ manager = "", operation }) => operation === "Apply" && manager.startsWith(managerPrefix ?? ""),
  )
  if (own?.manager !== undefined) return own.manager
  const why = managerPrefix === undefined ? "every program has its own name" : `its names begin with ${managerPrefix}`
  throw new StructuredMergeError("bad-request", `${profile.tool} has an unknown manager name: ${why}. Name the manager`)
}

function sendsUpdates({ tool }: ApplierProfile): StructuredMergeError {
  const message = `${tool} does not apply: it replaces objects by updates, which take over every field that they change, and never conflict`
  return new StructuredMergeError("bad-request", message)
}

/** Whether anything differs that Flux calls a drift: everything but status and metadata, and in metadata labels and annotations. */
function hasDrifted(live: MapValue, next: MapValue): boolean {
  const part = (object: MapValue): MapValue => {
    const metadata = metadataOf(object)
    return withKeys(withoutManagedFields(object), {
      status: undefined,
      metadata: { labels: mapAt(metadata, "labels"), annotations: mapAt(metadata, "annotations") },
    })
  }
  return own(live, "metadata") === undefined || !equalValues(part(live), part(next))
}
