// An apply as a tool makes it: with the steps that the tool takes before and after, by its profile.
import { lastingFacts, ObjectFacts } from "../../managedfields/chain/object-facts.js"
import { objectOf } from "../../managedfields/request.js"
import { anObject, aString, either, optional, requireOptions } from "../../value/argument.js"
import type { MapValue } from "../../value/value.js"
import { fillPlaceholders } from "../appliers/configuration.js"
import type { ApplierOrigin } from "../appliers/origin.js"
import type { ApplierAlias, ApplierName, ApplierProfile, ApplierStep, ToolWay } from "../appliers/profile.js"
import { applierProfile } from "../appliers/read-profile.js"
import { ApplierRun, objectAfter, type StepDone } from "../appliers/run.js"
import { type FieldChange, fieldChanges, ownerChanges } from "./field-changes.js"
import { objectName, requireSameObject } from "./object-name.js"
import { dryRunOf, isRefused, type OwnershipRequest, type Trial, tryApply } from "./request.js"
import type { OwnershipChange } from "./transfers.js"

/** The part of a request that says which tool applies. */
export interface ToolOptions {
  /** The tool: the name of a built-in profile, or a profile of your own. */
  readonly as: ApplierName | ApplierAlias | ApplierProfile
  /** The name of the manager, if it is not the one of the profile. */
  readonly manager?: string | undefined
  /** The release, Application or Kustomization that the configuration belongs to, for the labels and annotations that the tool adds. */
  readonly origin?: ApplierOrigin | undefined
}

/** A request that a tool makes: `as` takes the place of the manager. */
export type AsApplier<Request extends OwnershipRequest> = Omit<Request, "manager"> & ToolOptions

/** A step that a tool takes before or after its apply, and that changes the object. */
export interface PlannedStep {
  /** The step; `apply-again` repeats the apply, and `recreate` deletes the object, which the apply then creates. */
  readonly step: ApplierStep["step"] | "apply-again" | "recreate"
  /** Whether it comes before or after the apply. */
  readonly when: "before" | "after"
  /** The fields that it changes. */
  readonly changes: readonly FieldChange[]
  /** The fields that managers gain and lose by it. */
  readonly ownership: readonly OwnershipChange[]
  /** The reason why a server refuses the step; absent if it accepts it. */
  readonly message?: string
}

/** The tool of a plan. */
export interface PlannedApplier {
  /** The name of the profile. */
  readonly name: string
  /** The name of the tool. */
  readonly tool: string
  /** Whether its apply is forced. */
  readonly force: boolean
  /** The steps that change something, in their order. */
  readonly steps: readonly PlannedStep[]
  /** The reason why the tool sends nothing for this object; absent if it does. */
  readonly skipped?: string
}

/** An apply of a tool that was tried. */
export interface ApplierTrial {
  readonly trial: Trial
  readonly run: ApplierRun | undefined
  /** The live object before the first step. */
  readonly live: MapValue | undefined
  readonly profile: ApplierProfile
  readonly skipped: string | undefined
  readonly before: readonly StepDone[]
}

/** Whether the request names a tool. */
export function namesApplier<Request extends OwnershipRequest>(
  request: Request | AsApplier<Request>,
): request is AsApplier<Request> {
  requireOptions("request", request)
  return "as" in request && request.as !== undefined
}

/** Tries the apply of a tool, after its steps before. Throws as `tryApply` does, and for profiles and names that are not valid. */
export function tryApplyAs(
  live: object | undefined,
  config: object,
  request: AsApplier<OwnershipRequest>,
): ApplierTrial {
  const aName = optional(aString)
  requireOptions("request", request, { as: either(aString, anObject), manager: aName, origin: optional(anObject) })
  const { as, manager, origin, force, ...rest } = request
  const profile = applierProfile(as)
  const [given, next] = [live === undefined ? undefined : objectOf(live), objectOf(config)]
  if (given !== undefined) requireSameObject(given, next, request.kind)
  const facts = request.immutable === true ? lastingFacts : new ObjectFacts()
  const dryRun = dryRunOf(rest, next, facts)
  const tool = { profile, manager, force, origin }
  if (dryRun === undefined) {
    const name = manager || profile.manager || profile.name
    const trial = tryApply(given, next, { ...rest, manager: name, force }, facts)
    return { trial, run: undefined, live: given, profile, skipped: undefined, before: [] }
  }
  const run = new ApplierRun(dryRun, given, next, tool)
  const skipped = run.skipReason(given)
  const before = given === undefined || skipped !== undefined ? [] : run.before(given)
  const prepared = objectAfter(before, given)
  const trial = tryApply(
    prepared,
    run.configAfter(before, given),
    { ...rest, manager: run.manager, force: run.force },
    facts,
  )
  return { trial: refusedBefore(trial, before), run, live: given, profile, skipped, before }
}

/** Returns the trial, refused if a server refuses a step before the apply. */
function refusedBefore(trial: Trial, before: readonly StepDone[]): Trial {
  const failure = before.find(step => step.failure !== undefined)?.failure
  if (failure === undefined) return trial
  const result = { step: "merge", failure, warnings: [], refusesUnions: false } as const
  return { ...trial, refusal: null, conflicts: [], result }
}

/** Returns the tool as data. `after` is the steps after the apply. */
export function plannedApplier(tried: ApplierTrial, after: readonly StepDone[]): PlannedApplier {
  const { profile, run, trial, skipped, before } = tried
  const steps = [...before, ...after].map(step => plannedStep(step, trial))
  const { name, tool } = profile
  const force = run?.force ?? profile.force === "always"
  return { name, tool, force, steps, ...(skipped !== undefined && { skipped }) }
}

function plannedStep({ step, when, before, after, failure }: StepDone, { request }: Trial): PlannedStep {
  return {
    step,
    when,
    changes: fieldChanges(request.types, before, after),
    ownership: ownerChanges(before, after),
    ...(failure !== undefined && { message: failure.message }),
  }
}

/** Returns the steps that the tool takes after its apply, which has stored `object`. A refused apply has none. */
export function stepsAfter({ run, trial, skipped }: ApplierTrial, object: MapValue): StepDone[] {
  const isStored = (trial.refusal === null || run?.force === true) && !isRefused(trial.result) && skipped === undefined
  return run === undefined || !isStored ? [] : run.after(object)
}

/** A way out that a tool has, for one field. */
export interface ToolWayOut {
  /** The way. */
  readonly way: ToolWay["way"]
  /** How to take it, in the words of the tool. */
  readonly text: string
}

/** A field in conflict, and where it is. */
interface FieldPlace {
  readonly path: string
  readonly configuredPointer?: string
  readonly livePointer?: string
}

/** Returns the ways out of a conflict that the tool has. */
export function toolWays({ ways = [] }: ApplierProfile, config: MapValue, field: FieldPlace): ToolWayOut[] {
  const { name, kind } = objectName(config)
  const { path, configuredPointer, livePointer } = field
  const pointer = livePointer ?? configuredPointer ?? path
  const values: Readonly<Record<string, string>> = { path, pointer, dots: path.replace(/^\./, ""), name, kind }
  return ways.map(({ way, text }) => ({ way, text: fillPlaceholders(text, key => values[key]) }))
}
