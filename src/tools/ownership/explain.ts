// Explain: the cause of each conflict of an apply, and the ways out of it.

import type { Status } from "../../managedfields/chain/status.js"
import { typesUnder } from "../../managedfields/types/object-types.js"
import { unionFieldPath } from "../../union/report.js"
import { aList, anObject, type Expected, either, optional, requireOptions } from "../../value/argument.js"
import { formatPointer } from "../../value/pointer.js"
import type { Value } from "../../value/value.js"
import {
  type AsApplier,
  namesApplier,
  type PlannedApplier,
  plannedApplier,
  type ToolWayOut,
  toolWays,
  tryApplyAs,
} from "./appliers.js"
import { type PlannedUnion, plannedUnion } from "./causes.js"
import { unionFields } from "./config-changes.js"
import { type ConflictOwner, type FieldInConflict, fieldsInConflict } from "./conflicts.js"
import { type DefaultedKey, defaultedKeys } from "./fields.js"
import { type Finding, findingsAbout, forceRefused } from "./finding.js"
import { type Place, placeOf } from "./place.js"
import { type PlannedRefusal, plannedRefusal, refusedAs } from "./refusal.js"
import {
  findingsAboutKind,
  isRefused,
  type OwnershipRequest,
  type RequestedApply,
  requestedApply,
  type Trial,
  tryApply,
} from "./request.js"
import { Scene } from "./scene.js"
import { findInSource, type SourceObject, type SourcePlace, type SourceText } from "./source.js"
import { byId } from "./transfers.js"
import { WayFinder, type WaysOut } from "./ways-out.js"
import { wedgedBy } from "./wedged.js"

/** The request of `explain` and `resolve`. Both are about conflicts, so they ignore `force`. */
export interface ExplainRequest extends OwnershipRequest {
  /** The texts that the configuration was read from. Lines and edits refer to them. */
  readonly source?: SourceText | readonly SourceText[] | undefined
}

/** The reason why a union makes the engine change a field, which the configuration may not even have. */
export interface ExplainedUnion extends PlannedUnion {
  /** The field of the configuration that caused the change. */
  readonly because?: Place
}

/** A field that others own and the apply would change. */
export interface ExplainedConflict extends Place {
  /** All owners that would lose the field. */
  readonly owners: readonly ConflictOwner[]
  /** The live value, in the owner's version; absent if the live object has none. Shared with the live object. */
  readonly live?: Value
  /** The value after the apply; absent if the apply would remove the field. Shared with the configuration. */
  readonly configured?: Value
  /** Set if the engine, because of a union, changes the field rather than the configuration itself. */
  readonly union?: ExplainedUnion
  /**
   * A JSON pointer to the field in the live object; absent if the live object doesn't have it. Its indexes are valid until the lists
   * change.
   */
  readonly livePointer?: string
  /** A JSON pointer to the field in the configuration; absent if the configuration doesn't have it. */
  readonly configuredPointer?: string
  /** The keys on the path that have their default value, so that items may omit them; absent if no key has. */
  readonly defaultedKeys?: readonly DefaultedKey[]
  /**
   * The place in the text of the field, or of the field that implied it; absent without a text, or if the text does not have the field.
   */
  readonly source?: SourcePlace
  /** The ways to solve the conflict: the three that Kubernetes has. */
  readonly ways: WaysOut
  /** The ways out that the tool has, in its words; absent unless the request names a tool. */
  readonly toolWays?: readonly ToolWayOut[]
}

/** The conflicts of an apply. Plain data throughout. */
export interface Explanation extends RequestedApply {
  /** Distinguishes the results of this entry point. */
  readonly type: "explanation"
  /** The version of this format, as in `ownership.schema.json`. */
  readonly version: 1
  /** In the order of paths; empty without conflicts. */
  readonly conflicts: readonly ExplainedConflict[]
  /** The response of an API server that refuses the apply for another reason than conflicts. */
  readonly status?: Status
  /** The reason for that refusal. */
  readonly refusal?: PlannedRefusal
  /** Reasons to doubt the answer. */
  readonly findings: readonly Finding[]
  /**
   * The tool that applies, and its steps before the apply; absent unless the request names a tool. If it forces its applies, `conflicts` are
   * the fields that it takes from others: none if a server refuses the forced apply.
   */
  readonly as?: PlannedApplier
}

/**
 * Explains each conflict that applying `config` to `live` would cause: both values, all owners, the place in the text, and the ways out. A
 * way out is called safe only after it was tried. Conflicts and other refusals are part of the result, as in `plan`. Throws what `plan`
 * throws, and a ParseError for a source that is not YAML. Takes a few additional applies, and more if conflicts depend on each other, as
 * conflicts over one union do.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 * import { FieldManager } from "structured-merge-diff/managedfields"
 * import { explain } from "structured-merge-diff/ownership"
 * import { parseManifests } from "structured-merge-diff/io"
 *
 * const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } }
 * const manager = new FieldManager({ types: kubernetesTypes })
 * const live = manager.update(undefined, { ...web, spec: { replicas: 7 } }, { manager: "autoscaler" }).object
 *
 * const text = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n"
 * const [config = {}] = parseManifests(text)
 * const { conflicts } = explain(live, config, { types: kubernetesTypes, manager: "gitops", source: { text } })
 * for (const { path, live, configured, source, ways } of conflicts) {
 *   console.log(`${source?.line}:${source?.column} ${path}: ${live} is there, ${configured} is configured`)
 *   console.log(ways.relinquish.applicability, JSON.stringify(ways.relinquish.patch))
 * }
 * // 6:3 .spec.replicas: 7 is there, 3 is configured
 * // safe [{"op":"remove","path":"/spec"}]
 * ```
 */
export function explain(
  live: object | undefined,
  config: object,
  request: ExplainRequest | AsApplier<ExplainRequest>,
): Explanation {
  requireSource(request)
  if (!namesApplier(request)) return explanationOf(tryApply(live, config, { ...request, force: false }), request)
  const tried = tryApplyAs(live, config, { ...request, force: false })
  const as = plannedApplier(tried, [])
  const trial = as.force ? withForce(tried.trial) : tried.trial
  const explanation = explanationOf(trial, { ...trial.request, source: request.source })
  if (as.skipped !== undefined) return { ...nothingRefused(explanation), as }
  const { result } = trial
  const neverWorks = explanation.conflicts.length > 0 && isRefused(result) && tried.profile.force === "on-request"
  return {
    ...explanation,
    conflicts: explanation.conflicts.map(conflict => ({
      ...conflict,
      toolWays: waysOf(conflict, toolWays(tried.profile, trial.config, conflict)),
    })),
    findings: [...explanation.findings, ...(neverWorks ? [forceRefused(result.failure)] : [])],
    as,
  }
}

/** Returns the trial of a forced apply. If a server refuses that too, it takes no fields, so there are no conflicts. */
function withForce(trial: Trial): Trial {
  return isRefused(trial.result) ? { ...trial, refusal: null, conflicts: [] } : trial
}

/** Returns the explanation of an apply that is not sent. */
function nothingRefused({ status: _, refusal: __, findings, ...rest }: Explanation): Explanation {
  return { ...rest, conflicts: [], findings: findings.filter(({ code }) => code !== "refused") }
}

/** Returns the ways of a tool without those by force, if a server refuses a forced apply too. */
function waysOf({ ways }: ExplainedConflict, all: readonly ToolWayOut[]): readonly ToolWayOut[] {
  return ways.overwrite.applicability === "impossible" ? all.filter(({ way }) => way !== "overwrite") : all
}

function explanationOf(trial: Trial, request: ExplainRequest): Explanation {
  return {
    type: "explanation",
    version: 1,
    ...requestedApply(trial.config, request),
    conflicts: explainConflicts(trial, request, sceneOf(trial)),
    ...(trial.refusal === null && plannedRefusal(trial.result, trial, request.source)),
    findings: [
      ...findingsAbout(trial.given, trial.facts.sets),
      ...findingsAboutKind(trial),
      ...refusedAs(trial),
      ...wedgedBy(trial),
    ],
  }
}

/** Returns the scene of an apply that was tried: its configuration is the one to edit. */
export function sceneOf({ config, live, shares, applier, request }: Trial): Scene {
  const types = typesUnder(request.types, request.unions)
  return new Scene({ config, live, shares: Array.from(byId(shares).values()), applier, types })
}

/**
 * Explains the conflicts of a trial. `scene` has the configuration as the texts have it; the ways out are changes to that configuration. If
 * `together` is false, each way is tried in an apply of its own.
 */
export function explainConflicts(
  trial: Trial,
  request: ExplainRequest,
  scene: Scene,
  together = true,
): ExplainedConflict[] {
  if (trial.conflicts.length === 0) return []
  const source = findInSource(request.source, scene.config)
  const finder = new WayFinder(trial, scene, source, request.source !== undefined, together)
  const fields = fieldsInConflict(trial)
  const ways = finder.waysOut(fields)
  return fields.map((field, i) => explainField(field, scene, source, ways[i] as WaysOut))
}

function explainField(
  field: FieldInConflict,
  scene: Scene,
  source: SourceObject | undefined,
  ways: WaysOut,
): ExplainedConflict {
  const { path, owners, live, configured, union } = field
  const implied = union === undefined ? undefined : becauseOf(field, scene)
  const inConfig = scene.configured.stepsTo(path)
  const steps = inConfig ?? (implied && scene.configured.stepsTo(implied))
  const place = steps && source?.placeOf(steps)
  const inLive = scene.stepsInLive(path)
  const defaulted = defaultedKeys(scene.type, path)
  return {
    ...placeOf(path),
    owners,
    ...(live !== undefined && { live }),
    ...(configured !== undefined && { configured }),
    ...(union !== undefined && { union: { ...plannedUnion(union), ...(implied && { because: placeOf(implied) }) } }),
    ...(inLive !== undefined && { livePointer: formatPointer(inLive) }),
    ...(inConfig !== undefined && { configuredPointer: formatPointer(inConfig) }),
    ...(defaulted.length > 0 && { defaultedKeys: defaulted }),
    ...(place !== undefined && { source: place }),
    ways,
  }
}

/**
 * Returns the field of the configuration that makes the engine change another field. It is the member, the discriminator that selects
 * another member, or, in a union without a discriminator, the other member.
 */
function becauseOf({ union }: FieldInConflict, scene: Scene) {
  if (union === undefined) return undefined
  const { change, effect, member } = union
  const { discriminator } = change
  const names = effect === "implied" ? [member] : [discriminator?.because, discriminator?.field]
  for (const name of names) {
    if (name === undefined) continue
    const path = unionFieldPath(change, name)
    if (scene.configured.valueAt(path) !== undefined) return path
  }
  return unionFields(scene, change.path, member)[0]
}

/** Throws a TypeError unless the source of the request is absent, a text, or a list of texts. */
export function requireSource(request: Pick<ExplainRequest, "source">): void {
  requireOptions("request", request, { source: optional(either(aText, aListOfTexts)) })
}

const aText: Expected = {
  name: "an object with a text",
  fits: value => anObject.fits(value) && typeof (value as Partial<SourceText>).text === "string",
}
const aListOfTexts: Expected = {
  name: "a list of them",
  fits: value => aList.fits(value) && (value as readonly unknown[]).every(aText.fits),
}
