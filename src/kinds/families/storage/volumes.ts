// Checks of volumes and of claims to volumes.
import { compareQuantities } from "../../../value/quantity.js"
import type { Field } from "../../validation/field.js"
import { checkSelector } from "../../validation/labels.js"
import { dnsLabel, dnsSubdomain } from "../../validation/names.js"
import { checkNoBacksteps } from "../../validation/paths.js"
import { structDiff } from "../../validation/struct-layout.js"
import { checkDriver, checkOneSource, requiredFields, requireFields } from "../../validation/volumes.js"

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"]
const volumeModes = ["Block", "Filesystem"]

/** The sources of a volume, in the order in which an API server checks them. */
const sources = [
  ...["hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte"],
  ...["cephfs", "iscsi", "cinder", "fc", "flexVolume", "azureFile", "vsphereVolume", "photonPersistentDisk"],
  ...["portworxVolume", "azureDisk", "scaleIO", "local", "storageos", "csi"],
]
const needed: typeof requiredFields = { ...requiredFields, local: ["path"], csi: ["driver", "volumeHandle"] }

export function checkVolume(volume: Field, before: Field | undefined): void {
  const spec = volume.at("spec")
  checkVolumeSpec(spec, false)
  if (before !== undefined)
    volume.at("volumeMode").holding(spec.at("volumeMode").value).immutable(before.at("spec", "volumeMode"))
}

/** Checks the spec of a volume. Few fields are allowed in a spec that is `inline` in another object. */
export function checkVolumeSpec(spec: Field, inline: boolean): void {
  const never = "may not be specified in the context of inline volumes"
  const [capacity, name, mode] = [spec.at("capacity"), spec.at("storageClassName"), spec.at("volumeMode")]
  if (inline) {
    if (spec.at("claimRef").isSet) spec.at("claimRef").forbidden(never)
    if (capacity.size > 0) capacity.forbidden(never)
    if (!spec.at("csi").isSet) spec.at("csi").required("has to be specified in the context of inline volumes")
  }
  if (spec.at("accessModes").size === 0) spec.at("accessModes").required()
  checkAccessModes(spec.at("accessModes"))
  if (!inline) checkVolumeCapacity(capacity)
  const policy = spec.at("persistentVolumeReclaimPolicy")
  if (policy.text !== "" && !inline) policy.oneOf(["Delete", "Recycle", "Retain"])
  else if (policy.text !== "" && policy.text !== "Retain") {
    policy.forbidden("may only be Retain in the context of inline volumes")
  }
  if (inline && spec.at("nodeAffinity").isSet) spec.at("nodeAffinity").forbidden(never)
  checkVolumeSource(spec)
  if (inline && name.text !== "") name.forbidden(never)
  else name.checkIfGiven(dnsSubdomain)
  if (mode.isSet && !inline) mode.oneOf(volumeModes)
  checkAttributes(spec)
}

function checkAccessModes(field: Field): void {
  const modes = field.items().map(({ text }) => text)
  for (const mode of modes) field.holding(mode).oneOf(accessModes)
  const known = modes.filter(mode => accessModes.includes(mode))
  if (known.includes("ReadWriteOncePod") && known.some(mode => mode !== "ReadWriteOncePod")) {
    field.forbidden("may not use ReadWriteOncePod with other access modes")
  }
}

function checkVolumeCapacity(capacity: Field): void {
  if (capacity.size === 0) capacity.required()
  if (!capacity.at("storage").isSet || capacity.size > 1)
    capacity.holding(capacity.value ?? null).notSupported(["storage"])
  for (const [, amount] of capacity.entries()) checkPositive(amount)
}

function checkPositive(amount: Field): void {
  if (compareQuantities(amount.value ?? null, 0) <= 0) amount.invalid("must be greater than zero")
}

function checkVolumeSource(spec: Field): void {
  checkOneSource(spec, sources, (source, kind) => {
    checkDriver(source, kind)
    requireFields(source, needed[kind] ?? [])
    if (["hostPath", "local"].includes(kind)) checkNoBacksteps(source.at("path"))
    if (kind === "local" && !spec.at("nodeAffinity").isSet) {
      spec.at("nodeAffinity").required("Local volume requires node affinity")
    }
  })
}

function checkAttributes(spec: Field): void {
  const name = spec.at("volumeAttributesClassName")
  if (!name.isSet) return
  name.requiredAnd(dnsSubdomain, "an empty string is disallowed")
  if (!spec.at("csi").isSet) spec.at("csi").required("has to be specified when using volumeAttributesClassName")
}

export function checkClaim(claim: Field, before: Field | undefined): void {
  checkClaimSpec(claim.at("spec"))
  if (before !== undefined) checkClaimUpdate(claim, before)
}

const unchangeable =
  "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"

/** Checks the change of a claim. A claim without a volume may get one; a bound claim may ask for more. */
function checkClaimUpdate(claim: Field, before: Field): void {
  const [spec, old] = [claim.at("spec"), before.at("spec")]
  const kept = (name: string) => ({ [name]: old.at(name).value ?? null })
  const isBound = claim.at("status", "phase").text === "Bound"
  const next = {
    ...spec.map,
    ...(isBound && { ...kept("resources"), ...kept("volumeAttributesClassName") }),
    ...(old.at("volumeName").text === "" && kept("volumeName")),
  }
  const difference = structDiff(old.value, next, "PersistentVolumeClaimSpec")
  if (difference !== "") spec.forbidden(`${unchangeable}\n${difference}`)
  const amount = spec.at("resources", "requests", "storage")
  const shrinks = compareQuantities(amount.value ?? 0, old.at("resources", "requests", "storage").value ?? 0) < 0
  if (shrinks && compareQuantities(amount.value ?? 0, claim.at("status", "capacity", "storage").value ?? 0) <= 0) {
    amount.forbidden("field can not be less than status.capacity")
  }
  claim.at("volumeMode").holding(spec.at("volumeMode").value).immutable(old.at("volumeMode"))
}

/** Checks the spec of a claim. */
export function checkClaimSpec(spec: Field): void {
  const modes = spec.at("accessModes")
  if (modes.size === 0) modes.required("at least 1 access mode is required")
  checkSelector(spec.at("selector"))
  checkAccessModes(modes)
  const amount = spec
    .at("resources")
    .key("storage")
    .holding(spec.at("resources", "requests", "storage").value)
  if (!amount.isSet) amount.required()
  else checkPositive(amount)
  spec.at("storageClassName").checkIfGiven(dnsSubdomain)
  spec.at("volumeMode").oneOfIfSet(volumeModes)
  const [source, reference] = [spec.at("dataSource"), spec.at("dataSourceRef")]
  for (const field of [source, reference]) checkDataSource(field)
  const isSame = ["apiGroup", "kind", "name"].every(key => source.at(key).text === reference.at(key).text)
  const isBoth = source.isSet && reference.isSet
  if (isBoth && reference.at("namespace").text !== "") {
    spec.invalid("may not be specified when dataSourceRef.namespace is specified", {})
  } else if (isBoth && !isSame) spec.invalid("must match dataSourceRef", {})
  spec.at("volumeAttributesClassName").checkIfGiven(dnsSubdomain)
}

function checkDataSource(source: Field): void {
  if (!source.isSet) return
  const [kind, group] = [source.at("kind"), source.at("apiGroup")]
  source.at("name").requireText()
  kind.requireText()
  if (group.text === "" && kind.text !== "PersistentVolumeClaim") {
    source.invalid("must be 'PersistentVolumeClaim' when referencing the default apiGroup", kind.text)
  }
  group.checkIfGiven(dnsSubdomain)
  source.at("namespace").checkIfGiven(dnsLabel)
}
