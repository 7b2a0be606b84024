// The volumes of a Pod.
import { checkNoBacksteps } from "./containers.js"
import type { Field } from "./field.js"
import { dnsLabel } from "./names.js"

/** The required fields of each source of a Pod's volume, in the order in which an API server checks the sources. */
export const requiredFields: Readonly<Record<string, readonly string[]>> = {
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
  checkOneSource(volume, Object.keys(requiredFields), (source, kind) => {
    requireFields(source, requiredFields[kind] ?? [])
    checkMode(source.at("defaultMode"))
    for (const item of source.at("items").items()) checkItem(item)
    if (kind === "hostPath") checkNoBacksteps(source.at("path"))
  })
}

/** Checks that a volume has one source, and checks the first. */
export function checkOneSource(
  volume: Field,
  kinds: readonly string[],
  check: (source: Field, kind: string) => void,
): void {
  const [first, ...others] = kinds.filter(kind => volume.at(kind).isSet)
  if (first === undefined) volume.required("must specify a volume type")
  else check(volume.at(first), first)
  for (const other of others) volume.at(other).forbidden("may not specify more than 1 volume type")
}

/** Checks that the fields are there and not empty. */
export function requireFields(source: Field, names: readonly string[]): void {
  for (const field of names.map(name => source.at(name))) if (field.text === "" && field.size === 0) field.required()
}

function checkItem(item: Field): void {
  const path = item.at("path")
  if (item.at("fieldRef").isSet || item.at("resourceFieldRef").isSet) return
  item.at("key").requireText()
  path.requireText()
  if (path.text.startsWith("/")) path.invalid("must be a relative path")
  checkNoBacksteps(path)
  checkMode(item.at("mode"))
}

function checkMode(mode: Field): void {
  if (mode.number <= 0o777 && mode.number >= 0) return
  mode.invalid("must be a number between 0 and 0777 (octal), both inclusive")
}
