// Plays a tool's steps before and after its apply on the write path of a server.
import { StructuredMergeError } from "../../errors.js"
import { uniteSets } from "../../fieldpath/builder.js"
import { RequestFailure } from "../../kinds/refusal/failure.js"
import { readManagedFields, withoutManagedFields } from "../../managedfields/entries/entry.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { equalValues } from "../../value/equal.js"
import { mapAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { type DryRun, type DryRunOutcome, unchanged } from "../../write/dry-run.js"
import { patchedTo, withPatch } from "../../write/patch.js"
import { markOf, sentConfiguration, skipReason } from "./configuration.js"
import { ignoredPointers, withLiveValues, withoutFields, withoutForeign } from "./ignored.js"
import type { ApplierOrigin } from "./origin.js"
import type { ApplierProfile, ApplierStep } from "./profile.js"
import { requestOfStep, type StepRequest, setOf } from "./steps.js"

/** The request of a tool. */
export interface ApplierRequest {
  readonly profile: ApplierProfile
  /** The name of the manager, if it is not the profile's. */
  readonly manager?: string | undefined
  /** Whether a user asks the tool to force the apply. */
  readonly force?: boolean | undefined
  readonly origin?: ApplierOrigin | undefined
}

/** A step that has changed the object, or that a server refuses. */
export interface StepDone {
  /** The step. `apply-again` repeats the apply after a step that made fields removable; `recreate` deletes the object. */
  readonly step: ApplierStep["step"] | "apply-again" | "recreate"
  readonly when: "before" | "after"
  readonly before: MapValue
  /** The object after the step; undefined if it was deleted. The object before it if a server refuses the step. */
  readonly after: MapValue | undefined
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
  /** The fields that the tool leaves to others, as JSON pointers. */
  private readonly ignored: readonly string[]
  private readonly recreates: boolean

  constructor(dryRun: DryRun, live: MapValue | undefined, config: MapValue, request: ApplierRequest) {
    const { profile, force = false, origin } = request
    if (profile.writes === "update") throw sendsUpdates(profile)
    this.profile = profile
    this.dryRun = dryRun
    this.manager = managerOf(request, live)
    this.force = profile.force === "always" || (profile.force === "on-request" && force)
    const sent = sentConfiguration(config, live, profile, dryRun, origin)
    this.ignored = profile.ignored === undefined ? [] : ignoredPointers(sent, origin?.ignores)
    this.recreates = origin?.recreates === true || isMarked(profile.recreates, sent, live)
    const keepsLive = profile.ignored === "live-value" && live !== undefined && this.ignored.length > 0
    this.config = keepsLive ? withLiveValues(sent, this.read(live), this.ignored) : sent
  }

  /** Returns the reason why the tool sends nothing for this object; undefined if it does. */
  skipReason(live: MapValue | undefined): string | undefined {
    const marked = skipReason(this.config, live, this.profile.skips ?? [])
    if (marked !== undefined || live === undefined || this.profile.sends !== "drift") return marked
    const next = this.apply(live)
    const part = (object: MapValue) => withoutFields(object, this.ignored)
    const isSame = next.ok && !hasDrifted(part(this.read(live)), part(next.object))
    return isSame && this.before(live).length === 0 ? "no value drifts" : undefined
  }

  /** Returns the steps before the apply. The last one may be refused. A tool that looks for drift starts with a dry run of its apply. */
  before(live: MapValue): StepDone[] {
    if (this.profile.sends === "drift") {
      const first = this.apply(live)
      if (!first.ok) return this.recreates && isInvalid(first.failure) ? [deleted(live)] : []
    }
    return this.play(this.profile.before ?? [], "before", live)
  }

  /** Returns the steps after the apply. Tools only warn about a refusal. */
  after(live: MapValue): StepDone[] {
    return this.play(this.profile.after ?? [], "after", live)
  }

  /** Returns the configuration of the apply, which comes after these steps to the live object. */
  configAfter(before: readonly StepDone[], live: MapValue | undefined): MapValue {
    const { config, ignored, manager } = this
    const there = objectAfter(before, live)
    if (this.profile.ignored !== "unless-applied" || ignored.length === 0 || there === undefined) return config
    const next = this.apply(live)
    if (!next.ok) return config
    const others = (readManagedFields(there) ?? []).filter(
      entry => entry.operation === "Apply" && entry.manager !== manager && (entry.subresource ?? "") === "",
    )
    const appliedByOthers = uniteSets(others.map(setOf))
    return withoutForeign(config, { live: this.read(there), next: next.object, appliedByOthers }, ignored)
  }

  /** Applies the configuration once. */
  apply(live: MapValue | undefined, config = this.config): DryRunOutcome {
    const { dryRun, manager, force } = this
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

  private send(step: StepDone["step"], when: StepDone["when"], live: MapValue, request: StepRequest): PlayedStep {
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
  const outcome = run.apply(objectAfter(before, live), run.configAfter(before, live))
  if (!outcome.ok) return outcome
  const after = run.after(outcome.object)
  const changed = outcome.changed || before.length + after.length > 0
  return { ...outcome, changed, object: objectAfter(after, outcome.object) ?? outcome.object }
}

/** Returns the object after these steps. */
export function objectAfter(steps: readonly StepDone[], live: MapValue | undefined): MapValue | undefined {
  const last = steps[steps.length - 1]
  return last === undefined ? live : last.after
}

/** A step that did not delete the object. */
interface PlayedStep extends StepDone {
  readonly after: MapValue
}

function deleted(live: MapValue): StepDone {
  return { step: "recreate", when: "before", before: live, after: undefined }
}

/** Whether Flux assumes that the refusal is about an immutable field. */
function isInvalid({ code, message }: RequestFailure): boolean {
  return code === 409 || code === 422 || /immutable/i.test(message)
}

function isMarked(
  marks: Readonly<Record<string, string>> | undefined,
  config: MapValue,
  live: MapValue | undefined,
): boolean {
  if (marks === undefined) return false
  return markOf(config, marks) !== undefined || (live !== undefined && markOf(live, marks) !== undefined)
}

function stepDone(
  step: StepDone["step"],
  when: StepDone["when"],
  before: MapValue,
  outcome: DryRunOutcome,
): PlayedStep {
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

/** Whether the objects differ in a part that Flux checks for drift: labels, annotations, and everything outside metadata and status. */
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
