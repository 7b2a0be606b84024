// StatefulSets and DaemonSets: Pods of the revisions of a template, which ControllerRevisions keep.

import { metadataOf, metaText } from "../../../schema/metadata.js"
import { mapAt, mapsAt, textAt, withKeys } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import type { MapValue } from "../../../value/value.js"
import {
  annotationsOf,
  controllerReference,
  countPods,
  hasEnded,
  hashOf,
  isActive,
  isDeleted,
  isReady,
  labelsOf,
  numberAt,
  podOf,
  shareOf,
  specOf,
  statusOf,
  statusUpdate,
  withoutZeros,
} from "./common.js"
import { isEligible } from "./nodes.js"
import type { ClusterView, Step } from "./request.js"

const hashLabel = "controller-revision-hash"
const revisionsKey = "apps/controllerrevisions"

/** The current revision of a template. `create` has the request that stores it. */
interface Revision {
  readonly hash: string
  readonly name: string
  /** How many names of revisions are taken. */
  readonly collisions: number
  readonly create: readonly Step[]
}

/** Returns the revision of the template, which becomes the newest one if it is not. */
function revisionOf(object: MapValue, cluster: ClusterView, label: string): Revision {
  const template = mapAt(specOf(object), "template")
  const data: MapValue = { spec: { template: { $patch: "replace", ...template } } }
  const [namespace, owner] = [metaText(object, "namespace"), metaText(object, "name")]
  const revisions = cluster.ownedBy(object, revisionsKey)
  const newest = Math.max(0, ...revisions.map(each => numberAt(each, "revision")))
  let collisions = numberAt(statusOf(object), "collisionCount")
  for (;;) {
    const hash = hashOf(data, collisions)
    const name = `${owner}-${hash}`
    const known = revisions.find(each => metaText(each, "name") === name)
    if (known !== undefined) {
      const update = { verb: "update", object: withKeys(known, { revision: newest + 1 }) } as const
      return { hash, name, collisions, create: numberAt(known, "revision") === newest ? [] : [update] }
    }
    if (cluster.get(revisionsKey, namespace, name) === undefined) {
      const annotations = annotationsOf(object)
      const metadata = {
        ...{ name, namespace, labels: { ...labelsOf(template), [label]: hash } },
        ...(Object.keys(annotations).length > 0 && { annotations }),
        ownerReferences: [controllerReference(object)],
      }
      const revision = { apiVersion: "apps/v1", kind: "ControllerRevision", metadata, data, revision: newest + 1 }
      return { hash, name, collisions, create: [{ verb: "create", object: revision }] }
    }
    // Another workload of this name has the same template.
    collisions++
  }
}

const revisionLabel = (pod: MapValue): string => textAt(labelsOf(pod), hashLabel)

/** Decides on the next step of a StatefulSet. */
export function statefulSet(object: MapValue, cluster: ClusterView): readonly Step[] {
  if (isDeleted(object)) return []
  const { now } = cluster
  const [spec, old] = [specOf(object), statusOf(object)]
  const update = revisionOf(object, cluster, "controller.kubernetes.io/hash")
  if (update.create.length > 0) return update.create
  const first = numberAt(mapAt(spec, "ordinals"), "start")
  const wanted = numberAt(spec, "replicas", 1)
  const name = metaText(object, "name")
  const pods = cluster.ownedBy(object, "/pods")
  const ordinalOf = (pod: MapValue) => Number(metaText(pod, "name").slice(name.length + 1))
  const byOrdinal = new Map(pods.map(pod => [ordinalOf(pod), pod]))
  const { ready, available, again } = countPods(pods.filter(isActive), numberAt(spec, "minReadySeconds"), now)
  const updated = pods.filter(pod => isActive(pod) && revisionLabel(pod) === update.name)
  const current = textAt(old, "currentRevision") || update.name
  const isDone = updated.length === wanted && ready === wanted && pods.length === wanted
  const status: MapValue = {
    observedGeneration: numberAt(metadataOf(object), "generation"),
    replicas: pods.filter(pod => !hasEnded(pod)).length,
    ...withoutZeros({
      readyReplicas: ready,
      currentReplicas: isDone ? wanted : pods.filter(pod => isActive(pod) && revisionLabel(pod) === current).length,
      updatedReplicas: updated.length,
    }),
    availableReplicas: available,
    currentRevision: isDone ? update.name : current,
    updateRevision: update.name,
    collisionCount: update.collisions,
  }
  const changed = statusUpdate(object, status)
  if (changed.length > 0) return changed
  return [...podSteps(), ...again]

  function podSteps(): readonly Step[] {
    const isParallel = textAt(spec, "podManagementPolicy") === "Parallel"
    const partition = numberAt(mapAt(mapAt(spec, "updateStrategy"), "rollingUpdate"), "partition")
    const steps: Step[] = []
    for (let ordinal = first; ordinal < first + wanted; ordinal++) {
      const pod = byOrdinal.get(ordinal)
      const revision = ordinal < first + partition ? current : update.name
      if (pod === undefined)
        steps.push(...newMember(object, ordinal, templateOf(object, revision, cluster), revision, cluster))
      else if (hasEnded(pod) && !isDeleted(pod)) steps.push({ verb: "delete", object: pod })
      else if (isReady(pod) && !isDeleted(pod)) continue
      if (!isParallel) return steps
    }
    if (steps.length > 0) return steps
    const surplus = pods.filter(pod => ordinalOf(pod) < first || ordinalOf(pod) >= first + wanted)
    const last = surplus.toSorted((a, b) => ordinalOf(b) - ordinalOf(a))
    if (last.length > 0) return deletions(isParallel ? last : last.slice(0, 1))
    if (textAt(mapAt(spec, "updateStrategy"), "type") === "OnDelete") return []
    const outdated = pods.filter(pod => ordinalOf(pod) >= first + partition && revisionLabel(pod) !== update.name)
    const next = outdated.toSorted((a, b) => ordinalOf(b) - ordinalOf(a))[0]
    return next === undefined || pods.some(pod => !isReady(pod) || isDeleted(pod)) ? [] : deletions([next])
  }
}

const deletions = (pods: readonly MapValue[]): readonly Step[] =>
  pods.filter(pod => !isDeleted(pod)).map(pod => ({ verb: "delete", object: pod }))

/** Returns the template of a revision. */
function templateOf(object: MapValue, revision: string, cluster: ClusterView): MapValue {
  const stored = cluster.get(revisionsKey, metaText(object, "namespace"), revision)
  const data = mapAt(mapAt(mapAt(stored ?? {}, "data"), "spec"), "template")
  return stored === undefined ? mapAt(specOf(object), "template") : withKeys(data, { $patch: undefined })
}

/** Creates a Pod with its place in the order, after the claims that it needs. */
function newMember(
  object: MapValue,
  ordinal: number,
  template: MapValue,
  revision: string,
  cluster: ClusterView,
): readonly Step[] {
  const [namespace, set] = [metaText(object, "namespace"), metaText(object, "name")]
  const name = `${set}-${ordinal}`
  const spec = specOf(object)
  const claims = mapsAt(spec, "volumeClaimTemplates")
  const claimName = (claim: MapValue) => `${metaText(claim, "name")}-${name}`
  const missing = claims.filter(
    claim => cluster.get("/persistentvolumeclaims", namespace, claimName(claim)) === undefined,
  )
  const volumes = claims.map(claim => ({
    name: metaText(claim, "name"),
    persistentVolumeClaim: { claimName: claimName(claim) },
  }))
  const names = new Set(volumes.map(each => each.name))
  const others = mapsAt(specOf(template), "volumes").filter(each => !names.has(textAt(each, "name")))
  const all = [...volumes, ...others]
  const labels = {
    ...labelsOf(template),
    "apps.kubernetes.io/pod-index": String(ordinal),
    [hashLabel]: revision,
    "statefulset.kubernetes.io/pod-name": name,
  }
  const serviceName = textAt(spec, "serviceName")
  const pod = podOf(object, template, {
    metadata: { name, labels },
    spec: {
      hostname: name,
      ...(serviceName !== "" && { subdomain: serviceName }),
      ...(all.length > 0 && { volumes: all }),
    },
  })
  return [
    ...missing.map(claim => {
      const labels = { ...labelsOf(claim), ...mapAt(mapAt(spec, "selector"), "matchLabels") }
      const metadata = { ...metadataOf(claim), name: claimName(claim), namespace, labels }
      return {
        verb: "create",
        object: { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata, spec: specOf(claim) },
      } as const
    }),
    { verb: "create", object: pod },
  ]
}

/** The taints that Pods of DaemonSets tolerate. */
const tolerated = [
  ["not-ready", "NoExecute"],
  ["unreachable", "NoExecute"],
  ["disk-pressure", "NoSchedule"],
  ["memory-pressure", "NoSchedule"],
  ["pid-pressure", "NoSchedule"],
  ["unschedulable", "NoSchedule"],
].map(([taint, effect]) => ({ key: `node.kubernetes.io/${taint}`, operator: "Exists", effect: effect as string }))

/** Decides on the next step of a DaemonSet. */
export function daemonSet(object: MapValue, cluster: ClusterView): readonly Step[] {
  if (isDeleted(object)) return []
  const spec = specOf(object)
  const update = revisionOf(object, cluster, hashLabel)
  if (update.create.length > 0) return update.create
  const template = mapAt(spec, "template")
  const generation = textAt(annotationsOf(object), "deprecated.daemonset.template.generation") || "1"
  const pods = cluster.ownedBy(object, "/pods")
  const nodeOf = (pod: MapValue) => textAt(specOf(pod), "nodeName") || wantedNode(pod)
  const nodes = cluster.list("/nodes").filter(node => isEligible(node, specOf(template), tolerated))
  const names = new Set(nodes.map(node => metaText(node, "name")))
  const active = pods.filter(isActive)
  const inPlace = active.filter(pod => names.has(nodeOf(pod)))
  const { ready, available, again } = countPods(inPlace, numberAt(spec, "minReadySeconds"), cluster.now)
  const desired = nodes.length
  const status: MapValue = {
    currentNumberScheduled: new Set(inPlace.map(nodeOf)).size,
    numberMisscheduled: active.length - inPlace.length,
    desiredNumberScheduled: desired,
    numberReady: ready,
    ...withoutZeros({
      observedGeneration: numberAt(metadataOf(object), "generation"),
      updatedNumberScheduled: inPlace.filter(pod => revisionLabel(pod) === update.hash).length,
      numberAvailable: available,
      numberUnavailable: desired - available,
      collisionCount: update.collisions,
    }),
  }
  const changed = statusUpdate(object, status)
  if (changed.length > 0) return changed
  const missing = [...names].filter(name => !pods.some(pod => nodeOf(pod) === name))
  const ended = pods.filter(pod => !isDeleted(pod) && (hasEnded(pod) || !names.has(nodeOf(pod))))
  const steps: Step[] = [
    ...deletions(ended),
    ...missing.map(name => ({ verb: "create", object: newDaemon(name) }) as const),
  ]
  if (steps.length > 0 || textAt(mapAt(spec, "updateStrategy"), "type") === "OnDelete") return [...steps, ...again]
  const rolling = mapAt(mapAt(spec, "updateStrategy"), "rollingUpdate")
  const mayBeDown = Math.max(1, shareOf(own(rolling, "maxUnavailable") ?? 1, desired, Math.ceil))
  const outdated = inPlace.filter(pod => revisionLabel(pod) !== update.hash)
  const down = outdated.filter(pod => !isReady(pod))
  const up = outdated.filter(isReady).slice(0, Math.max(0, mayBeDown - (desired - available)))
  return [...deletions([...down, ...up]), ...again]

  function newDaemon(node: string): MapValue {
    const field = { key: "metadata.name", operator: "In", values: [node] }
    const required = { nodeSelectorTerms: [{ matchFields: [field] }] }
    const affinity = mapAt(specOf(template), "affinity")
    const nodeAffinity = {
      ...mapAt(affinity, "nodeAffinity"),
      requiredDuringSchedulingIgnoredDuringExecution: required,
    }
    const labels = { ...labelsOf(template), [hashLabel]: update.hash, "pod-template-generation": generation }
    const tolerations = [...mapsAt(specOf(template), "tolerations"), ...tolerated]
    return podOf(object, template, {
      metadata: { labels },
      spec: { affinity: { ...affinity, nodeAffinity }, tolerations },
    })
  }
}

/** Returns the node for which a Pod of a DaemonSet was made. */
function wantedNode(pod: MapValue): string {
  const affinity = mapAt(mapAt(specOf(pod), "affinity"), "nodeAffinity")
  const [term = {}] = mapsAt(mapAt(affinity, "requiredDuringSchedulingIgnoredDuringExecution"), "nodeSelectorTerms")
  const [field = {}] = mapsAt(term, "matchFields")
  const [name] = Array.isArray(field.values) ? field.values : []
  return typeof name === "string" ? name : ""
}
