// Checks of storage classes, of volumes that are attached to nodes, and of the drivers that provide volumes.
import { compareQuantities } from "../../../value/quantity.js"
import type { Field } from "../../validation/field.js"
import { checkSelector } from "../../validation/labels.js"
import { dnsSubdomain, labelKey } from "../../validation/names.js"
import { goStruct } from "../../validation/struct-layout.js"
import { checkVolumeSpec } from "./volumes.js"

const reclaimPolicies = ["Delete", "Retain"]

export function checkStorageClass(object: Field, before: Field | undefined): void {
  if (before !== undefined) return
  checkProvisioner(object.at("provisioner"))
  checkParameters(object.at("parameters"))
  if (object.at("reclaimPolicy").text !== "") object.at("reclaimPolicy").oneOf(reclaimPolicies)
  object.at("volumeBindingMode").requiredOneOf(["Immediate", "WaitForFirstConsumer"])
  for (const term of object.at("allowedTopologies").items()) checkTopology(term)
}

function checkProvisioner(provisioner: Field): void {
  if (provisioner.text === "") return
  for (const message of labelKey(provisioner.text.toLowerCase())) provisioner.invalid(message)
}

function checkParameters(parameters: Field): void {
  for (const [key] of parameters.entries()) if (key === "") parameters.invalid("field can not be empty.", "")
}

function checkTopology(term: Field): void {
  const keys = new Set<string>()
  for (const expression of term.at("matchLabelExpressions").items()) {
    const values = expression.at("values")
    if (values.size === 0) values.required()
    const seen = new Set<string>()
    for (const value of values.items()) value.unique(seen)
    expression.at("key").check(labelKey)
    expression.at("key").unique(keys)
  }
}

export function checkAttributesClass(object: Field, before: Field | undefined): void {
  const [driver, parameters] = [object.at("driverName"), object.at("parameters")]
  for (const field of [driver, parameters]) {
    const name = field.path
    if (before !== undefined && !field.equals(before.at(name))) field.forbidden(`updates to ${name} are forbidden.`)
  }
  driver.requireText()
  checkProvisioner(driver)
  checkParameters(parameters)
  if (parameters.size === 0) parameters.required("must contain at least one key/value pair")
}

const oneSource = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"

export function checkAttachment(attachment: Field): void {
  const spec = attachment.at("spec")
  const source = spec.at("source")
  const [inline, name] = [source.at("inlineVolumeSpec"), source.at("persistentVolumeName")]
  if (inline.isSet && name.isSet) source.forbidden(oneSource)
  else if (inline.isSet) checkVolumeSpec(inline, true)
  else if (!name.isSet) source.required(oneSource)
  else name.requireText("must specify non empty persistentVolumeName")
  spec.at("nodeName").check(dnsSubdomain)
  if (name.isSet) name.check(dnsSubdomain)
}

/** Checks the name of a driver. */
export function checkDriverName(name: Field): void {
  if (name.text === "") {
    name.required()
    return
  }
  if (name.text.length > 63) name.tooLong(63)
  for (const message of dnsSubdomain(name.text.toLowerCase())) name.invalid(message)
}

export function checkNodeDrivers(node: Field, before: Field | undefined): void {
  const names = new Set<string>()
  const drivers = node.at("spec", "drivers")
  for (const driver of drivers.items()) {
    checkDriverName(driver.at("name"))
    const id = driver.at("nodeID")
    id.requireText()
    if (id.text.length > 256) id.invalid("must be 256 characters or less")
    driver.at("allocatable", "count").notNegative()
    driver.at("name").unique(names)
    const keys = new Set<string>()
    for (const { text } of driver.at("topologyKeys").items()) {
      const key = driver.holding(text)
      if (text === "") key.required()
      key.unique(keys)
      key.check(labelKey)
    }
  }
  for (const old of before?.at("spec", "drivers").items() ?? []) {
    for (const driver of drivers.items()) {
      const isChanged = ["nodeID", "topologyKeys"].some(key => !driver.at(key).equals(old.at(key)))
      if (driver.at("name").text !== old.at("name").text || !isChanged) continue
      const fixed = { ...driver.map, allocatable: null }
      drivers.invalid("field is immutable", goStruct(fixed, "CSINodeDriver"))
    }
  }
}

const lifecycleModes = ["Persistent", "Ephemeral"]

export function checkDriver(driver: Field, before: Field | undefined): void {
  const spec = driver.at("spec")
  const modes = spec.at("volumeLifecycleModes")
  spec.at("fsGroupPolicy").oneOfIfSet(["File", "None", "ReadWriteOnceWithFSType"])
  checkTokenRequests(spec.at("tokenRequests"))
  for (const { text } of modes.items()) modes.holding(text).oneOf(lifecycleModes)
  const period = spec.at("nodeAllocatableUpdatePeriodSeconds")
  if (period.isSet && period.number < 10) period.invalid("must be greater than or equal to 10 seconds")
  const inSecrets = spec.at("serviceAccountTokenInSecrets")
  if (inSecrets.isSet && spec.at("tokenRequests").size === 0) {
    inSecrets.invalid("serviceAccountTokenInSecrets is set but no tokenRequests are specified")
  }
  if (before === undefined) return
  const required = spec.at("attachedRequired").holding(spec.at("attachRequired").value)
  required.immutable(before.at("spec", "attachRequired"))
  modes.immutable(before.at("spec", "volumeLifecycleModes"))
}

function checkTokenRequests(requests: Field): void {
  const audiences = new Set<string>()
  for (const request of requests.items()) {
    const before = request.problems
    request.at("audience").holding(request.at("audience").text).unique(audiences)
    const seconds = request.at("expirationSeconds")
    if (request.problems > before || !seconds.isSet) continue
    if (seconds.number < 600) seconds.invalid("may not specify a duration less than 10 minutes")
    if (seconds.number > 2 ** 32) seconds.invalid("may not specify a duration larger than 2^32 seconds")
  }
}

export function checkCapacity(object: Field, before: Field | undefined): void {
  const [topology, name, capacity] = [object.at("nodeTopology"), object.at("storageClassName"), object.at("capacity")]
  if (before !== undefined) {
    topology.immutable(before.at("nodeTopology"))
    name.immutable(before.at("storageClassName"))
    return
  }
  checkSelector(topology)
  name.check(dnsSubdomain)
  if (capacity.isSet && compareQuantities(capacity.value ?? null, 0) < 0) {
    capacity.invalid("must be greater than or equal to 0")
  }
}
