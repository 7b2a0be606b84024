// PersistentVolumeClaims: each gets a volume, and keeps it while a Pod uses it.

import { metadataOf, metaText, withMetadata } from "../../../schema/metadata.js"
import { listAt, mapAt, mapsAt, textAt, withKeys } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { compareQuantities } from "../../../value/quantity.js"
import type { MapValue } from "../../../value/value.js"
import { selectsObject } from "../../../write/admission/match.js"
import { annotationsOf, hasEnded, isDeleted, specOf, statusOf, statusUpdate } from "./common.js"
import type { ClusterView, Step } from "./request.js"

const boundByController = { "pv.kubernetes.io/bound-by-controller": "yes" }
const bindCompleted = { "pv.kubernetes.io/bind-completed": "yes" }

/** Binds a claim to a volume. */
export function bindClaim(claim: MapValue, cluster: ClusterView): readonly Step[] {
  if (isDeleted(claim)) return []
  const spec = specOf(claim)
  const volume = volumeFor(claim, cluster)
  if (volume === undefined) return []
  const isMine = textAt(mapAt(specOf(volume), "claimRef"), "uid") === metaText(claim, "uid")
  if (!isMine) {
    const annotated = withMetadata(volume, { annotations: { ...annotationsOf(volume), ...boundByController } })
    const claimRef = { ...mapAt(specOf(volume), "claimRef"), ...referenceTo(claim) }
    return [{ verb: "update", object: withKeys(annotated, { spec: withKeys(specOf(volume), { claimRef }) }) }]
  }
  if (textAt(statusOf(volume), "phase") !== "Bound")
    return statusUpdate(volume, withKeys(statusOf(volume), { phase: "Bound" }))
  const name = metaText(volume, "name")
  if (textAt(spec, "volumeName") !== name || textAt(annotationsOf(claim), "pv.kubernetes.io/bind-completed") === "") {
    const chosen = textAt(spec, "volumeName") === name ? {} : boundByController
    const annotated = withMetadata(claim, { annotations: { ...annotationsOf(claim), ...bindCompleted, ...chosen } })
    return [{ verb: "update", object: withKeys(annotated, { spec: withKeys(spec, { volumeName: name }) }) }]
  }
  if (textAt(statusOf(claim), "phase") === "Bound") return []
  const { accessModes, capacity } = specOf(volume)
  return statusUpdate(claim, withKeys(statusOf(claim), { phase: "Bound", accessModes, capacity }))
}

/** Makes a volume for a claim that names a class, or has the default one. */
export function provision(claim: MapValue, cluster: ClusterView): readonly Step[] {
  const spec = specOf(claim)
  const className = own(spec, "storageClassName")
  if (
    isDeleted(claim) ||
    textAt(spec, "volumeName") !== "" ||
    className === "" ||
    volumeFor(claim, cluster) !== undefined
  )
    return []
  const name = `pvc-${metaText(claim, "uid")}`
  const storageClass =
    typeof className === "string" ? cluster.get("storage.k8s.io/storageclasses", "", className) : undefined
  const provisioner = textAt(storageClass ?? {}, "provisioner") || "test.local/provisioner"
  const volume: MapValue = {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": provisioner } },
    spec: {
      accessModes: listAt(spec, "accessModes"),
      capacity: { storage: own(mapAt(mapAt(spec, "resources"), "requests"), "storage") ?? "1Gi" },
      claimRef: referenceTo(claim),
      csi: { driver: provisioner, volumeHandle: name },
      persistentVolumeReclaimPolicy: textAt(storageClass ?? {}, "reclaimPolicy") || "Delete",
      ...(typeof className === "string" && { storageClassName: className }),
      volumeMode: textAt(spec, "volumeMode") || "Filesystem",
    },
  }
  return [{ verb: "create", object: volume }]
}

function referenceTo(claim: MapValue): MapValue {
  const { namespace, name, uid, resourceVersion } = metadataOf(claim)
  const kind = { apiVersion: "v1", kind: "PersistentVolumeClaim" }
  return {
    ...kind,
    namespace: namespace ?? null,
    name: name ?? null,
    uid: uid ?? null,
    resourceVersion: resourceVersion ?? null,
  }
}

/** Returns the volume that a claim has, or the smallest free one that fits. */
function volumeFor(claim: MapValue, cluster: ClusterView): MapValue | undefined {
  const spec = specOf(claim)
  const volumes = cluster.list("/persistentvolumes").filter(volume => !isDeleted(volume))
  const wanted = textAt(spec, "volumeName")
  const refersTo = (volume: MapValue) => {
    const { namespace, name, uid } = mapAt(specOf(volume), "claimRef")
    const isNamed = namespace === metaText(claim, "namespace") && name === metaText(claim, "name")
    return isNamed && (uid === undefined || uid === metaText(claim, "uid"))
  }
  const mine = volumes.find(volume =>
    wanted === "" ? refersTo(volume) : metaText(volume, "name") === wanted && (isFree(volume) || refersTo(volume)),
  )
  if (mine !== undefined || wanted !== "") return mine
  const storage = (values: MapValue) => own(values, "storage") ?? 0
  const request = storage(mapAt(mapAt(spec, "resources"), "requests"))
  const selector = mapAt(spec, "selector")
  const fits = (volume: MapValue) =>
    isFree(volume) &&
    textAt(specOf(volume), "storageClassName") === textAt(spec, "storageClassName") &&
    compareQuantities(storage(mapAt(specOf(volume), "capacity")), request) >= 0 &&
    listAt(spec, "accessModes").every(mode => listAt(specOf(volume), "accessModes").includes(mode)) &&
    selectsObject(selector, volume)
  const size = (volume: MapValue) => storage(mapAt(specOf(volume), "capacity"))
  return volumes.filter(fits).toSorted((a, b) => compareQuantities(size(a), size(b)))[0]
}

const isFree = (volume: MapValue): boolean => own(specOf(volume), "claimRef") === undefined

/** Lets go of a deleted claim that no Pod uses, and of a volume whose claim is gone. */
export function unprotect(object: MapValue, cluster: ClusterView): readonly Step[] {
  if (!isDeleted(object)) return releaseVolume(object, cluster)
  const isClaim = textAt(object, "kind") === "PersistentVolumeClaim"
  const finalizer = isClaim ? "kubernetes.io/pvc-protection" : "kubernetes.io/pv-protection"
  const finalizers = listAt(metadataOf(object), "finalizers")
  const name = metaText(object, "name")
  const uses = (pod: MapValue) =>
    !hasEnded(pod) &&
    mapsAt(specOf(pod), "volumes").some(volume => textAt(mapAt(volume, "persistentVolumeClaim"), "claimName") === name)
  const isUsed = isClaim
    ? cluster.list("/pods", metaText(object, "namespace")).some(uses)
    : textAt(statusOf(object), "phase") === "Bound"
  if (isUsed || !finalizers.includes(finalizer)) return []
  const left = finalizers.filter(each => each !== finalizer)
  return [{ verb: "update", object: withMetadata(object, { finalizers: left.length > 0 ? left : undefined }) }]
}

/** Ends the binding of a volume to a claim that is gone: the volume is deleted, or kept as its reclaim policy says. */
function releaseVolume(volume: MapValue, cluster: ClusterView): readonly Step[] {
  if (textAt(volume, "kind") !== "PersistentVolume" || isFree(volume)) return []
  const { namespace, name, uid } = mapAt(specOf(volume), "claimRef")
  const claim = cluster.get("/persistentvolumeclaims", String(namespace ?? ""), String(name ?? ""))
  if (uid === undefined || (claim !== undefined && metaText(claim, "uid") === uid)) return []
  if (textAt(statusOf(volume), "phase") !== "Released")
    return statusUpdate(volume, withKeys(statusOf(volume), { phase: "Released" }))
  return textAt(specOf(volume), "persistentVolumeReclaimPolicy") === "Delete"
    ? [{ verb: "delete", object: volume }]
    : []
}
