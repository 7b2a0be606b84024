// Checks of devices, and of claims to devices. Their expressions are not compiled. Declared rules check sizes and most formats.
import { isMap } from "../../../value/value.js"
import type { Field } from "../../validation/field.js"
import { checkAnnotations, checkLabels, checkNodeSelector } from "../../validation/labels.js"
import { dnsLabel, dnsSubdomain, labelKey, labelValue } from "../../validation/names.js"
import { goStruct } from "../../validation/struct-layout.js"
import { checkDriverName } from "../storage/checks.js"

export function checkClaim(claim: Field, before: Field | undefined): void {
  if (before === undefined) checkDevices(claim.at("spec", "devices"))
}

export function checkClaimTemplate(template: Field, before: Field | undefined): void {
  const spec = template.at("spec")
  const metadata = spec.at("metadata")
  checkAnnotations(metadata.at("annotations"))
  checkLabels(metadata.at("labels"))
  for (const [key] of metadata.entries()) {
    if (key !== "labels" && key !== "annotations") metadata.at(key).forbidden("cannot be set")
  }
  checkDevices(spec.at("spec", "devices"))
  if (before !== undefined) {
    spec.immutable(before.at("spec"), goStruct(spec.value, "ResourceClaimTemplateSpec"))
  }
}

/** The names of requests, each with those of its alternatives. */
type Requests = ReadonlyMap<string, ReadonlySet<string>>

const oneRequest = "exactly one of `exactly` or `firstAvailable` is required"
const oneAttribute = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'

function checkDevices(devices: Field): void {
  const requestName = (request: Field) => request.at("name").text
  const all = devices.at("requests").items()
  const requests: Requests = new Map(
    all.map(request => [requestName(request), new Set(request.at("firstAvailable").items().map(requestName))]),
  )
  for (const request of all) checkRequest(request)
  for (const constraint of devices.at("constraints").items()) {
    for (const name of constraint.at("requests").items()) checkRequestName(name, requests)
    const isSet = ["matchAttribute", "distinctAttribute"].some(key => constraint.at(key).isSet)
    if (!isSet) constraint.required(oneAttribute)
  }
  for (const config of devices.at("config").items()) {
    for (const name of config.at("requests").items()) checkRequestName(name, requests)
    checkConfig(config.at("opaque"))
  }
}

function checkRequest(request: Field): void {
  const [exactly, alternatives] = [request.at("exactly"), request.at("firstAvailable")]
  request.at("name").check(dnsLabel)
  if (alternatives.size > 0 && exactly.isSet) {
    request.holding(null).invalid(`${oneRequest}, but multiple fields are set`)
  } else if (exactly.isSet) {
    exactly.at("deviceClassName").requiredAnd(dnsSubdomain)
    checkDeviceRequest(exactly)
  } else if (alternatives.size === 0) request.required(oneRequest)
  else {
    for (const alternative of alternatives.items()) {
      alternative.at("name").check(dnsLabel)
      checkDeviceRequest(alternative)
    }
  }
}

function checkDeviceRequest(request: Field): void {
  checkSelectors(request.at("selectors"))
  const [mode, count] = [request.at("allocationMode").text, request.at("count")]
  if (mode === "All" && count.number !== 0) count.invalid("must not be specified when allocationMode is 'All'")
  if (mode === "ExactCount" && count.number <= 0) count.invalid("must be greater than zero", count.number)
  for (const toleration of request.at("tolerations").items()) {
    const [operator, value] = [toleration.at("operator").text, toleration.at("value")]
    if (operator === "Exists" && value.text !== "") value.invalid("must be empty for operator `Exists`")
    if (operator === "Equal") value.check(labelValue)
  }
}

const wrongRequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"

function checkRequestName(name: Field, requests: Requests): void {
  const parts = name.text.split("/")
  const [request = "", alternative] = parts
  for (const part of parts.length > 2 ? [] : parts) name.holding(part).check(dnsLabel)
  const isKnown = requests.has(request) && (alternative === undefined || requests.get(request)?.has(alternative))
  if (!isKnown || parts.length > 2) name.invalid(wrongRequest)
}

function checkConfig(opaque: Field): void {
  if (!opaque.isSet) {
    opaque.required()
    return
  }
  const parameters = opaque.at("parameters")
  if (!parameters.isSet) parameters.required()
  else if (!isMap(parameters.value)) parameters.invalid("must be a valid JSON object", "<value omitted>")
}

function checkSelectors(selectors: Field): void {
  for (const selector of selectors.items()) if (!selector.at("cel").isSet) selector.at("cel").required()
}

export function checkClass(object: Field): void {
  checkSelectors(object.at("spec", "selectors"))
  for (const config of object.at("spec", "config").items()) checkConfig(config.at("opaque"))
}

const oneNode = "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"

export function checkSlice(slice: Field, before: Field | undefined): void {
  const spec = slice.at("spec")
  checkDriverName(spec.at("driver"))
  checkPool(spec.at("pool"))
  if (before !== undefined) {
    spec.at("pool", "name").immutable(before.at("spec", "pool", "name"))
    for (const key of ["driver", "nodeName"]) spec.at(key).immutable(before.at("spec", key))
  }
  const set = nodeChoices(spec, ["allNodes", "perDeviceNodeSelection"])
  if (set.length === 0) spec.required(oneNode)
  else if (set.length > 1) spec.invalid(`${oneNode}, but multiple fields are set`, `{${set.join(", ")}}`)
  const [devices, counters] = [spec.at("devices"), spec.at("sharedCounters")]
  if (counters.isSet && devices.isSet) spec.invalid("only one of `sharedCounters` or `devices` is allowed", "")
  const isPerDevice = spec.at("perDeviceNodeSelection").value === true
  if (devices.tooMany(128)) return
  for (const device of devices.items()) checkDevice(device, isPerDevice)
  const names = new Set<string>()
  for (const device of devices.items()) device.holding(device.at("name").text).unique(names)
}

function checkPool(pool: Field): void {
  const [name, count, generation] = [pool.at("name"), pool.at("resourceSliceCount"), pool.at("generation")]
  if (name.text === "") name.required()
  else for (const part of name.text.split("/")) name.holding(part).check(dnsSubdomain)
  if (count.number <= 0) count.invalid("must be greater than zero", count.number)
  if (generation.number < 0) generation.invalid("must be greater than or equal to zero")
}

/** Checks the fields that choose nodes. Returns the ones that are set. */
function nodeChoices(place: Field, flags: readonly string[]): string[] {
  const set: string[] = []
  const [name, selector] = [place.at("nodeName"), place.at("nodeSelector")]
  if (name.isSet && name.text === "") name.invalid("must be either unset or set to a non-empty string")
  else if (name.isSet) {
    set.push("`nodeName`")
    name.check(dnsSubdomain)
  }
  if (selector.isSet) {
    set.push("`nodeSelector`")
    checkNodeSelector(selector)
  }
  for (const key of flags) {
    if (place.at(key).value === true) set.push(`\`${key}\``)
    else if (place.at(key).isSet) place.at(key).invalid("must be either unset or set to true")
  }
  return set
}

const perDevice = "is set to true in the ResourceSlice spec"

function checkDevice(device: Field, isPerDevice: boolean): void {
  device.at("name").check(dnsLabel)
  for (const taint of device.at("taints").items()) {
    taint.at("key").check(labelKey)
    taint.at("value").checkIfGiven(labelValue)
  }
  if (isPerDevice) {
    const set = nodeChoices(device, ["allNodes"])
    const rule = `exactly one of \`nodeName\`, \`nodeSelector\`, or \`allNodes\` is required when \`perDeviceNodeSelection\` ${perDevice}`
    if (set.length === 0) device.required(rule)
    else if (set.length > 1) device.invalid(rule, `{${set.join(", ")}}`)
  } else if (["nodeName", "nodeSelector", "allNodes"].some(key => device.at(key).isSet)) {
    const names = "`nodeName`, `nodeSelector` and `allNodes`"
    device.holding(null).invalid(`${names} can only be set if \`perDeviceNodeSelection\` ${perDevice}`)
  }
  const [conditions, failures] = [device.at("bindingConditions"), device.at("bindingFailureConditions")]
  if (conditions.size === 0 && failures.size > 0) {
    conditions.holding([]).invalid("bindingConditions are required to use bindingFailureConditions")
  }
  if (failures.size === 0 && conditions.size > 0) {
    failures.holding([]).invalid("bindingFailureConditions are required to use bindingConditions")
  }
}
