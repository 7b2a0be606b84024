// Explain: what each conflict of an apply is about, and the ways out of it.
import { typesUnder } from "../managedfields/types/object-types.js"
import { unionFieldPath } from "../union/report.js"
import { aList, anObject, type Expected, either, optional, requireOptions } from "../value/argument.js"
import type { Value } from "../value/value.js"
import { type PlannedUnion, plannedUnion } from "./causes.js"
import { jsonPointer, unionFields } from "./config-changes.js"
import { type ConflictOwner, type FieldInConflict, fieldsInConflict } from "./conflicts.js"
import { type DefaultedKey, defaultedKeys } from "./fields.js"
import { type Finding, findingsAbout, rulesNotRun } from "./finding.js"
import { type Place, placeOf } from "./place.js"
import { refusedAs } from "./refusal.js"
import { type OwnershipRequest, type RequestedApply, requestedApply, type Trial, tryApply } from "./request.js"
import { Scene } from "./scene.js"
import { findInSource, type SourceObject, type SourcePlace, type SourceText } from "./source.js"
import { byId } from "./transfers.js"
import { WayFinder, type WaysOut } from "./ways-out.js"

/** What `explain` and `resolve` are told. `force` does not count: they are about conflicts. */
export interface ExplainRequest extends OwnershipRequest {
  /** The texts that the configuration was read from, for lines and edits. */
  readonly source?: SourceText | readonly SourceText[] | undefined
}

/** Why a union makes the engine change a field that the configuration may not even have. */
export interface ExplainedUnion extends PlannedUnion {
  /** The field of the configuration that implied it. */
  readonly because?: Place
}

/** A field that others own and the apply would change. */
export interface ExplainedConflict extends Place {
  /** All who own the field and would lose it. */
  readonly owners: readonly ConflictOwner[]
  /** What the live object has there, in the owner's version; absent where it has nothing. Shared with the live object. */
  readonly live?: Value
  /** What the apply would make of it; absent where the field would go. Shared with the configuration. */
  readonly configured?: Value
  /** Set where not the configuration changes the field, but the engine, because of a union. */
  readonly union?: ExplainedUnion
  /**
   * A JSON pointer to it in the live object; absent where that has nothing there. Its indexes hold as long as the lists stay as
   * they are.
   */
  readonly livePointer?: string
  /** The same for the configuration. */
  readonly configuredPointer?: string
  /** The keys of items on the path that stand at their default, so that an item may lack them; absent where there are none. */
  readonly defaultedKeys?: readonly DefaultedKey[]
  /** Where it is written, or what implied it; absent where no text was given, or the text does not have it. */
  readonly source?: SourcePlace
  /** What can be done about it: the three ways of Kubernetes. */
  readonly ways: WaysOut
}

/** What an apply is in conflict about. Plain data throughout. */
export interface Explanation extends RequestedApply {
  /** Tells the results of this entry apart. */
  readonly type: "explanation"
  /** The version of this format: the one of `ownership.schema.json`. */
  readonly version: 1
  /** In the order of paths; empty where the apply is in no conflict. */
  readonly conflicts: readonly ExplainedConflict[]
  /** What makes the answer doubtful. */
  readonly findings: readonly Finding[]
}

/**
 * What applying `config` to `live` would be in conflict about: both values, all owners, where it is written, and the ways out, each
 * tried before it is called safe. A conflict is an answer here; for what is wrong with the request it throws what
 * `FieldManager.apply` throws, and a ParseError for a source that is not YAML. Takes a few further applies; more where conflicts have to do with each other, as those about one union do.
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
export function explain(live: object | undefined, config: object, request: ExplainRequest): Explanation {
  requireSource(request)
  const trial = tryApply(live, config, { ...request, force: false })
  return {
    type: "explanation",
    version: 1,
    ...requestedApply(trial.config, request),
    conflicts: explainConflicts(trial, request, sceneOf(trial)),
    findings: [...findingsAbout(trial.live), ...rulesNotRun(trial.resource), ...refusedAs(trial)],
  }
}

/** The apply that was tried first, whose configuration is to be changed. */
export function sceneOf({ config, live, shares, applier, request }: Trial): Scene {
  const types = typesUnder(request.types, request.unions)
  return new Scene({ config, live, shares: Array.from(byId(shares).values()), applier, types })
}

/**
 * The conflicts of a trial. `scene` has the configuration that the texts have, whose changes the ways out are. With `together` false each way
 * is tried in an apply of its own.
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
    ...(inLive !== undefined && { livePointer: jsonPointer(inLive) }),
    ...(inConfig !== undefined && { configuredPointer: jsonPointer(inConfig) }),
    ...(defaulted.length > 0 && { defaultedKeys: defaulted }),
    ...(place !== undefined && { source: place }),
    ways,
  }
}

/**
 * The field of the configuration that makes the engine change another: the member, the discriminator that selects another, or, in a
 * union that has none, the other member.
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

/** Throws a TypeError unless the source of the request, if there is one, is a text or several. */
export function requireSource(request: ExplainRequest): void {
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
