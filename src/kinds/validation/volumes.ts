// The volumes of a Pod.
import { checkNoBacksteps } from "./containers.js"
import type { Field } from "./field.js"
import { dnsLabel } from "./names.js"

/** The required fields of each source of a volume, in the order in which an API server checks the sources. */
const needed: Readonly<Record<string, readonly string[]>> = {
  emptyDir: [],
  hostPath: ["path"],
  gitRepo: ["repository"],
  gcePersistentDisk: ["pdName"],
  awsElasticBlockStore: ["volumeID"],
  secret: ["secretName"],
  nfs: ["server", "path"],
  iscsi: ["targetPortal", "iqn"],
  glusterfs: ["endpoints", "path"],
  flocker: [],
  persistentVolumeClaim: ["claimName"],
  rbd: ["monitors", "image"],
  cinder: ["volumeID"],
  cephfs: ["monitors"],
  quobyte: ["registry", "volume"],
  downwardAPI: [],
  fc: [],
  flexVolume: ["driver"],
  configMap: ["name"],
  azureFile: ["secretName", "shareName"],
  vsphereVolume: ["volumePath"],
  photonPersistentDisk: ["pdID"],
  portworxVolume: ["volumeID"],
  azureDisk: ["diskName", "diskURI"],
  storageos: [],
  projected: [],
  scaleIO: ["gateway", "system", "volumeName"],
  csi: ["driver"],
  ephemeral: ["volumeClaimTemplate"],
  image: [],
}

const modeRange = "must be a number between 0 and 0777 (octal), both inclusive"

/** Checks the volumes. Returns the names of valid volumes. */
export function checkVolumes(volumes: Field): ReadonlySet<string> {
  const names = new Set<string>()
  for (const volume of volumes.items()) {
    const before = volume.problems
    checkSource(volume)
    const name = volume.at("name")
    name.requiredAnd(dnsLabel)
    if (names.has(name.text)) name.duplicate()
    if (volume.problems === before) names.add(name.text)
  }
  return names
}

function checkSource(volume: Field): void {
  let hasSource = false
  for (const [kind, fields] of Object.entries(needed)) {
    const source = volume.at(kind)
    if (!source.isSet) continue
    if (hasSource) source.forbidden("may not specify more than 1 volume type")
    else checkFields(source, fields)
    hasSource = true
  }
  if (!hasSource) volume.required("must specify a volume type")
}

function checkFields(source: Field, fields: readonly string[]): void {
  for (const name of fields) {
    const field = source.at(name)
    if (field.text === "" && field.size === 0) field.required()
  }
  const mode = source.at("defaultMode")
  if (mode.number > 0o777 || mode.number < 0) mode.invalid(modeRange)
  for (const item of source.at("items").items()) checkItem(item)
  if (source.path.endsWith(".hostPath")) checkNoBacksteps(source.at("path"))
}

function checkItem(item: Field): void {
  const path = item.at("path")
  if (item.at("fieldRef").isSet || item.at("resourceFieldRef").isSet) return
  if (item.at("key").text === "") item.at("key").required()
  if (path.text === "") path.required()
  if (path.text.startsWith("/")) path.invalid("must be a relative path")
  checkNoBacksteps(path)
  const mode = item.at("mode")
  if (mode.number > 0o777 || mode.number < 0) mode.invalid(modeRange)
}
