// Deployments: one ReplicaSet for each template of Pods, and rollouts from one to the next.

import { metadataOf, metaText, withMetadata } from "../../../schema/metadata.js"
import { equalIfPresent, equalValues } from "../../../value/equal.js"
import { mapAt, textAt, withKeys } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import type { MapValue } from "../../../value/value.js"
import {
  annotationsOf,
  compareTexts,
  conditionOf,
  controllerReference,
  hashOf,
  isDeleted,
  labelled,
  labelsOf,
  numberAt,
  specOf,
  statusOf,
  statusUpdate,
} from "./common.js"
import {
  bounds,
  hasDeadline,
  isComplete,
  isRolling,
  noDeadline,
  progressUpdate,
  replicasOf,
  statusSteps,
  sum,
} from "./deployment-status.js"
import type { ClusterView, Step } from "./request.js"

const hashLabel = "pod-template-hash"
const prefix = "deployment.kubernetes.io/"
const revisionKey = `${prefix}revision`
const historyKey = `${prefix}revision-history`
const ownAnnotations = new Set([
  ...[revisionKey, historyKey, `${prefix}desired-replicas`, `${prefix}max-replicas`],
  ...["kubectl.kubernetes.io/last-applied-configuration", "deprecated.deployment.rollback.to"],
])

const revisionOf = (set: MapValue): number => Number(textAt(annotationsOf(set), revisionKey) || 0)
/** Decides on the next step of a Deployment. */
export function deployment(object: MapValue, cluster: ClusterView): readonly Step[] {
  const sets = cluster.ownedBy(object, "apps/replicasets")
  const current = sets.find(set => hasTemplate(set, object))
  const others = sets.filter(set => set !== current)
  if (isDeleted(object)) return statusSteps(object, current, sets, cluster)
  if (own(specOf(object), "paused") === true) return pausedSteps(object, current, sets, cluster)
  if (textAt(conditionOf(object, "Progressing") ?? {}, "reason") === "DeploymentPaused") {
    return progressUpdate(object, "Unknown", "DeploymentResumed", "Deployment is resumed", cluster)
  }
  if (current === undefined) return firstOf([() => recreateWait(object, others), () => newSet(object, others, cluster)])
  return firstOf([
    () => revised(object, current, others),
    () => followScale(object, [current, ...others]),
    () => (isRolling(object) ? roll(object, current, others) : recreate(object, current, others)),
    () => cleanUp(object, others),
    () => statusSteps(object, current, sets, cluster),
  ])
}

/** Returns the first steps that are any. `undefined` ends the search without steps. */
function firstOf(choices: readonly (() => readonly Step[] | undefined)[]): readonly Step[] {
  for (const choice of choices) {
    const steps = choice()
    if (steps === undefined) return []
    if (steps.length > 0) return steps
  }
  return []
}

function hasTemplate(set: MapValue, object: MapValue): boolean {
  const template = mapAt(specOf(set), "template")
  const labels = withKeys(labelsOf(template), { [hashLabel]: undefined })
  const wanted = mapAt(specOf(object), "template")
  const plain = withMetadata(template, { labels: Object.keys(labels).length > 0 ? labels : undefined })
  const metadata = (of: MapValue) => withKeys(metadataOf(of), { creationTimestamp: undefined })
  return equalValues(specOf(plain), specOf(wanted)) && equalValues(metadata(plain), metadata(wanted))
}

const sizes = (object: MapValue): MapValue => ({
  [`${prefix}desired-replicas`]: String(replicasOf(object)),
  [`${prefix}max-replicas`]: String(replicasOf(object) + bounds(object).surge),
})

/** Annotations that a ReplicaSet takes over from its Deployment. */
function inherited(object: MapValue): MapValue {
  return Object.fromEntries(Object.entries(annotationsOf(object)).filter(([key]) => !ownAnnotations.has(key)))
}

function newSet(object: MapValue, others: readonly MapValue[], cluster: ClusterView): readonly Step[] {
  const spec = specOf(object)
  const template = mapAt(spec, "template")
  const hash = hashOf(template, numberAt(statusOf(object), "collisionCount"))
  const [name, namespace] = [`${metaText(object, "name")}-${hash}`, metaText(object, "namespace")]
  if (cluster.get("apps/replicasets", namespace, name) !== undefined) {
    const collisionCount = numberAt(statusOf(object), "collisionCount") + 1
    return statusUpdate(object, withKeys(statusOf(object), { collisionCount }))
  }
  const revision = String(Math.max(0, ...others.map(revisionOf)) + 1)
  const marked = labelled(template, hashLabel, hash)
  const selector = mapAt(spec, "selector")
  const set: MapValue = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      ...{ name, namespace, labels: labelsOf(marked), ownerReferences: [controllerReference(object)] },
      annotations: { ...inherited(object), [revisionKey]: revision, ...sizes(object) },
    },
    spec: {
      replicas: newSize(object, 0, sum(others, replicasOf)),
      ...(numberAt(spec, "minReadySeconds") > 0 && { minReadySeconds: numberAt(spec, "minReadySeconds") }),
      selector: withKeys(selector, { matchLabels: { ...mapAt(selector, "matchLabels"), [hashLabel]: hash } }),
      template: marked,
    },
  }
  const failed = (message: string): readonly Step[] =>
    progressUpdate(
      object,
      "False",
      "ReplicaSetCreateError",
      `Failed to create new replica set "${name}": ${message}`,
      cluster,
    )
  return [
    { verb: "create", object: set, otherwise: failed },
    ...progressUpdate(
      withRevision(object, revision),
      "True",
      "NewReplicaSetCreated",
      `Created new replica set "${name}"`,
      cluster,
    ),
  ]
}

function withRevision(object: MapValue, revision: string): MapValue {
  if (textAt(annotationsOf(object), revisionKey) === revision) return object
  return withMetadata(object, { annotations: { ...annotationsOf(object), [revisionKey]: revision } })
}

/** Makes the revision of the current ReplicaSet the greatest, and copies annotations to it. */
function revised(object: MapValue, set: MapValue, others: readonly MapValue[]): readonly Step[] {
  const [before, least] = [revisionOf(set), Math.max(0, ...others.map(revisionOf)) + 1]
  const annotations: Record<string, string | undefined> = { ...(inherited(object) as Record<string, string>) }
  if (before < least) {
    annotations[revisionKey] = String(least)
    const history = textAt(annotationsOf(set), historyKey)
    if (before > 0) annotations[historyKey] = history === "" ? String(before) : `${history},${before}`
  }
  const minReadySeconds = own(specOf(object), "minReadySeconds")
  const changed = withKeys(withMetadata(set, { annotations: withKeys(annotationsOf(set), annotations) }), {
    spec: withKeys(specOf(set), { minReadySeconds }),
  })
  const isSame = equalValues(annotationsOf(set), annotationsOf(changed))
  if (isSame && equalIfPresent(own(specOf(set), "minReadySeconds"), minReadySeconds)) {
    const known = withRevision(object, String(Math.max(before, least)))
    return known === object ? [] : [{ verb: "update", object: known, subresource: "status" }]
  }
  return [{ verb: "update", object: changed }]
}

/** Notes a new number of replicas at the ReplicaSets that have Pods. If it is only one, it is scaled. */
function followScale(object: MapValue, sets: readonly MapValue[]): readonly Step[] {
  const active = sets.filter(set => replicasOf(set) > 0)
  const wanted = String(replicasOf(object))
  const stale = active.filter(set => textAt(annotationsOf(set), `${prefix}desired-replicas`) !== wanted)
  return stale.map(set => resized(object, set, active.length === 1 ? replicasOf(object) : replicasOf(set)))
}

function resized(object: MapValue, set: MapValue, replicas: number): Step {
  const annotated = withMetadata(set, { annotations: { ...annotationsOf(set), ...sizes(object) } })
  return { verb: "update", object: withKeys(annotated, { spec: withKeys(specOf(set), { replicas }) }) }
}

/** The size of the new ReplicaSet, which has `size` Pods of `total`. */
function newSize(object: MapValue, size: number, others: number): number {
  const wanted = replicasOf(object)
  if (!isRolling(object)) return wanted
  const room = wanted + bounds(object).surge - others - size
  return room <= 0 ? size : size + Math.min(room, wanted - size)
}

function roll(object: MapValue, set: MapValue, others: readonly MapValue[]): readonly Step[] {
  const [size, wanted] = [replicasOf(set), replicasOf(object)]
  const next = size > wanted ? wanted : newSize(object, size, sum(others, replicasOf))
  if (next !== size) return [resized(object, set, next)]
  const old = others.filter(each => replicasOf(each) > 0)
  if (old.length === 0) return []
  const available = (each: MapValue) => numberAt(statusOf(each), "availableReplicas")
  const least = wanted - bounds(object).unavailable
  // Pods of the new ReplicaSet that are not available yet must not make room for others.
  const removable = sum([set, ...old], replicasOf) - least - (size - available(set))
  if (removable <= 0) return []
  const left = new Map(old.map(each => [each, replicasOf(each)]))
  let unhealthy = removable
  for (const each of old) {
    const count = Math.min(unhealthy, replicasOf(each) - available(each))
    if (count <= 0) continue
    left.set(each, replicasOf(each) - count)
    unhealthy -= count
  }
  let spare = sum([set, ...old], available) - least
  for (const each of old) {
    const count = Math.min(spare, left.get(each) ?? 0)
    if (count <= 0) continue
    left.set(each, (left.get(each) ?? 0) - count)
    spare -= count
  }
  return old.flatMap(each => (left.get(each) === replicasOf(each) ? [] : [resized(object, each, left.get(each) ?? 0)]))
}

function recreate(object: MapValue, set: MapValue, others: readonly MapValue[]): readonly Step[] {
  return replicasOf(set) === replicasOf(object) || others.some(each => replicasOf(each) > 0)
    ? others.filter(each => replicasOf(each) > 0).map(each => resized(object, each, 0))
    : [resized(object, set, replicasOf(object))]
}

/** Ends all old Pods of a Deployment that recreates them. Returns undefined while some are left. */
function recreateWait(object: MapValue, others: readonly MapValue[]): readonly Step[] | undefined {
  if (isRolling(object)) return []
  const old = others.filter(each => replicasOf(each) > 0)
  if (old.length > 0) return old.map(each => resized(object, each, 0))
  const isLeft = (each: MapValue) => ["replicas", "terminatingReplicas"].some(key => numberAt(statusOf(each), key) > 0)
  return others.some(isLeft) ? undefined : []
}

/** Deletes the oldest of too many old ReplicaSets, once the rollout is complete. */
function cleanUp(object: MapValue, others: readonly MapValue[]): readonly Step[] {
  const limit = numberAt(specOf(object), "revisionHistoryLimit", noDeadline)
  if (!isComplete(object, statusOf(object))) return []
  const alive = others.filter(each => !isDeleted(each))
  const oldest = alive.toSorted(
    (a, b) => revisionOf(a) - revisionOf(b) || compareTexts(metaText(a, "name"), metaText(b, "name")),
  )
  const surplus = oldest.slice(0, Math.max(0, alive.length - limit))
  const isEmpty = (each: MapValue) => replicasOf(each) === 0 && numberAt(statusOf(each), "replicas") === 0
  return surplus.filter(isEmpty).map(each => ({ verb: "delete", object: each }))
}

function pausedSteps(
  object: MapValue,
  current: MapValue | undefined,
  sets: readonly MapValue[],
  cluster: ClusterView,
): readonly Step[] {
  const reason = textAt(conditionOf(object, "Progressing") ?? {}, "reason")
  if (hasDeadline(object) && reason !== "DeploymentPaused" && reason !== "ProgressDeadlineExceeded") {
    return progressUpdate(object, "Unknown", "DeploymentPaused", "Deployment is paused", cluster)
  }
  const ordered = current === undefined ? sets : [current, ...sets.filter(set => set !== current)]
  const scaled = ordered.length === 0 ? [] : followScale(object, ordered)
  return scaled.length > 0 ? scaled : statusSteps(object, current, sets, cluster, false)
}
