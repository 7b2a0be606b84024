// Volumes, claims to volumes, and the drivers that provide them.

import { formatTime } from "../../managedfields/entries/time.js"
import { metadataOf, withMetadata } from "../../schema/metadata.js"
import { listAt, mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { own } from "../../value/object.js"
import type { MapValue, Value } from "../../value/value.js"
import {
  ageColumn,
  field,
  flag,
  integer,
  joined,
  type KindColumns,
  nameColumn,
  shown,
  text,
  wide,
} from "../kind/column.js"
import type { Family } from "../kind/kind.js"
import { isDeleted, phaseOf, specOf, statusOf, withPhase } from "../kind/spec-and-status.js"
import {
  checkAttachment,
  checkAttributesClass,
  checkCapacity,
  checkDriver,
  checkNodeDrivers,
  checkStorageClass,
} from "./storage/checks.js"
import { checkClaim, checkVolume } from "./storage/volumes.js"

const core = "io.k8s.api.core.v1."

export const storage: Family = {
  "/PersistentVolume": {
    defaults: {
      [`${core}PersistentVolume`]: [
        { in: "spec", fill: { persistentVolumeReclaimPolicy: "Retain" }, set: { volumeMode: "Filesystem" } },
        { in: "status", fill: { phase: "Pending" } },
      ],
    },
    keepsCreatedStatus: true,
    validate: { "": checkVolume },
    created: (volume, now) => withPhaseSince(withFinalizer(volume, "kubernetes.io/pv-protection"), "Pending", now),
    returnedWhenDeleted: true,
  },
  "/PersistentVolumeClaim": {
    defaults: {
      [`${core}PersistentVolumeClaimSpec`]: [{ set: { volumeMode: "Filesystem" } }],
      [`${core}PersistentVolumeClaim`]: [{ in: "status", fill: { phase: "Pending" } }],
    },
    created: claim => withPhase(withFinalizer(withDataSources(claim), "kubernetes.io/pvc-protection"), "Pending"),
    updated: withDataSources,
    validate: { "": checkClaim },
    returnedWhenDeleted: true,
  },
  "storage.k8s.io/StorageClass": {
    defaults: {
      "io.k8s.api.storage.v1.StorageClass": [{ set: { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" } }],
    },
    validate: { "": checkStorageClass },
    returnedWhenDeleted: true,
  },
  "storage.k8s.io/VolumeAttachment": {
    needsResourceVersion: true,
    validate: { "": checkAttachment },
    returnedWhenDeleted: true,
  },
  "storage.k8s.io/VolumeAttributesClass": {
    created: attributes => withFinalizer(attributes, "kubernetes.io/vac-protection"),
    validate: { "": checkAttributesClass },
    returnedWhenDeleted: true,
  },
  "storage.k8s.io/CSIDriver": {
    defaults: {
      "io.k8s.api.storage.v1.CSIDriver": [
        {
          in: "spec",
          set: {
            attachRequired: true,
            podInfoOnMount: false,
            storageCapacity: false,
            fsGroupPolicy: "ReadWriteOnceWithFSType",
            requiresRepublish: false,
            seLinuxMount: false,
            preventPodSchedulingIfMissing: false,
          },
          fill: { volumeLifecycleModes: ["Persistent"] },
        },
      ],
    },
    needsResourceVersion: true,
    validate: { "": checkDriver },
    returnedWhenDeleted: true,
  },
  "storage.k8s.io/CSINode": {
    needsResourceVersion: true,
    validate: { "": checkNodeDrivers },
    returnedWhenDeleted: true,
  },
  "storage.k8s.io/CSIStorageCapacity": { needsResourceVersion: true, validate: { "": checkCapacity } },
}

export function storageColumns(): KindColumns {
  return {
    "/PersistentVolume": [
      nameColumn,
      text("Capacity", object => shown(mapAt(specOf(object), "capacity"), "storage", "0")),
      text("Access Modes", object => accessModes(listAt(specOf(object), "accessModes"))),
      text("Reclaim Policy", object => textAt(specOf(object), "persistentVolumeReclaimPolicy")),
      text("Status", object => (isDeleted(object) ? "Terminating" : phaseOf(object))),
      text("Claim", claimOf),
      text("StorageClass", storageClass),
      text("VolumeAttributesClass", object => shown(specOf(object), "volumeAttributesClassName", "<unset>")),
      text("Reason", object => textAt(statusOf(object), "reason")),
      ageColumn,
      wide(text("VolumeMode", object => shown(specOf(object), "volumeMode", "<unset>"))),
    ],
    "/PersistentVolumeClaim": [
      nameColumn,
      text("Status", object => (isDeleted(object) ? "Terminating" : phaseOf(object))),
      text("Volume", object => textAt(specOf(object), "volumeName")),
      text("Capacity", object => ifBound(object, () => shown(mapAt(statusOf(object), "capacity"), "storage", "0"))),
      text("Access Modes", object => ifBound(object, () => accessModes(listAt(statusOf(object), "accessModes")))),
      text("StorageClass", storageClass),
      text("VolumeAttributesClass", object => shown(specOf(object), "volumeAttributesClassName", "<unset>")),
      ageColumn,
      wide(text("VolumeMode", object => shown(specOf(object), "volumeMode", "<unset>"))),
    ],
    "storage.k8s.io/StorageClass": [
      nameColumn,
      text("Provisioner", object => textAt(object, "provisioner")),
      text("ReclaimPolicy", object => shown(object, "reclaimPolicy", "Delete")),
      text("VolumeBindingMode", object => shown(object, "volumeBindingMode", "Immediate")),
      text("AllowVolumeExpansion", object => object.allowVolumeExpansion === true),
      ageColumn,
    ],
    "storage.k8s.io/VolumeAttachment": [
      nameColumn,
      { ...text("Attacher", object => textAt(specOf(object), "attacher")), format: "name" },
      text("PV", object => textAt(mapAt(specOf(object), "source"), "persistentVolumeName")),
      text("Node", object => textAt(specOf(object), "nodeName")),
      flag("Attached", object => statusOf(object).attached === true),
      ageColumn,
    ],
    "storage.k8s.io/VolumeAttributesClass": [nameColumn, field("DriverName", "driverName"), ageColumn],
    "storage.k8s.io/CSIDriver": [
      nameColumn,
      flag("AttachRequired", object => specOf(object).attachRequired !== false),
      flag("PodInfoOnMount", object => specOf(object).podInfoOnMount === true),
      flag("StorageCapacity", object => specOf(object).storageCapacity === true),
      text("TokenRequests", object => {
        const audiences = mapsAt(specOf(object), "tokenRequests").map(request => textAt(request, "audience"))
        return audiences.length === 0 ? "<unset>" : audiences.join()
      }),
      flag("RequiresRepublish", object => specOf(object).requiresRepublish === true),
      text("Modes", object => joined(listAt(specOf(object), "volumeLifecycleModes"))),
      ageColumn,
    ],
    "storage.k8s.io/CSINode": [
      nameColumn,
      integer("Drivers", object => listAt(specOf(object), "drivers").length),
      ageColumn,
    ],
  }
}

/** Returns the access modes in their usual order and short form. */
function accessModes(modes: readonly Value[]): string {
  const short = { ReadWriteOnce: "RWO", ReadOnlyMany: "ROX", ReadWriteMany: "RWX", ReadWriteOncePod: "RWOP" }
  return Object.entries(short)
    .filter(([mode]) => modes.includes(mode))
    .map(([, letters]) => letters)
    .join()
}

/** Returns the storage class of a volume or a claim. The older annotation takes precedence over the field. */
function storageClass(object: MapValue): string {
  const annotations = mapAt(metadataOf(object), "annotations")
  return textAt(annotations, "volume.beta.kubernetes.io/storage-class") || textAt(specOf(object), "storageClassName")
}

function claimOf(volume: MapValue): string {
  const reference = own(specOf(volume), "claimRef") as MapValue | undefined
  return reference === undefined ? "" : `${textAt(reference, "namespace")}/${textAt(reference, "name")}`
}

/** Returns a cell that is empty until the claim has a volume. */
function ifBound(volumeClaim: MapValue, cell: () => string): string {
  return textAt(specOf(volumeClaim), "volumeName") === "" ? "" : cell()
}

function withPhaseSince(volume: MapValue, phase: string, now: Date): MapValue {
  const status = { ...mapAt(volume, "status"), phase, lastPhaseTransitionTime: formatTime(now) }
  return withKeys(volume, { status })
}

/** Gives a claim whose spec names its data source in one of two fields the other one too. */
function withDataSources(claim: MapValue): MapValue {
  const spec = specOf(claim)
  const { dataSource, dataSourceRef } = spec
  const isLocal = textAt(mapAt(spec, "dataSourceRef"), "namespace") === ""
  if (dataSource !== undefined && dataSourceRef === undefined) {
    return withKeys(claim, { spec: withKeys(spec, { dataSourceRef: dataSource }) })
  }
  if (dataSource !== undefined || dataSourceRef === undefined || !isLocal) return claim
  return withKeys(claim, { spec: withKeys(spec, { dataSource: dataSourceRef }) })
}

function withFinalizer(object: MapValue, finalizer: string): MapValue {
  const finalizers = listAt(metadataOf(object), "finalizers")
  return finalizers.includes(finalizer) ? object : withMetadata(object, { finalizers: [...finalizers, finalizer] })
}
