// The volumes of a Pod.

import type { Field } from "./field.js"
import { dnsLabel } from "./names.js"
import { checkNoBacksteps } from "./paths.js"

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
  quobyte: ["volume"],
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

/** Checks the volumes. Returns the valid ones by name. */
export function checkVolumes(volumes: Field): ReadonlyMap<string, Field> {
  const names = new Map<string, Field>()
  for (const volume of volumes.items()) {
    const before = volume.problems
    checkSource(volume)
    const name = volume.at("name")
    name.requiredAnd(dnsLabel)
    if (names.has(name.text)) name.duplicate()
    if (volume.problems === before) names.set(name.text, volume)
  }
  return names
}

function checkSource(volume: Field): void {
  checkOneSource(volume, Object.keys(requiredFields), (source, kind) => {
    checkDriver(source, kind)
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

/** Checks the drivers of volumes that need more than certain fields. */
export function checkDriver(source: Field, kind: string): void {
  if (kind === "flocker") checkFlocker(source)
  if (kind === "quobyte") checkRegistry(source.at("registry"))
}

function checkFlocker(source: Field): void {
  const [name, id] = [source.at("datasetName"), source.at("datasetUUID")]
  if (name.text === "" && id.text === "") source.required("one of datasetName and datasetUUID is required")
  if (name.text !== "" && id.text !== "") {
    source.invalid("datasetName and datasetUUID can not be specified simultaneously", "resource")
  }
  if (name.text.includes("/")) name.invalid("must not contain '/'")
}

function checkRegistry(registry: Field): void {
  const rule = "must be a host:port pair or multiple pairs separated by commas"
  if (registry.text === "") {
    registry.required(rule)
    return
  }
  for (const pair of registry.text.split(",")) {
    if (/^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/.test(pair)) continue
    registry.invalid(rule)
  }
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
