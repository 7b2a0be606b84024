// Checks Services, in the order of an API server's checks.

import { checkAddress, checkHostname } from "../../validation/addresses.js"
import type { Field } from "../../validation/field.js"
import { checkLabels } from "../../validation/labels.js"
import { dnsLabel, dnsSubdomain, labelKey } from "../../validation/names.js"
import { checkPort, protocols } from "../../validation/probes.js"

const loadBalancerOnly = "may only be used when `type` is 'LoadBalancer'"
/** Checks a Service that is created, or that replaces `before`. */
export function checkService(service: Field, before: Field | undefined): void {
  const spec = service.at("spec")
  const { text: type } = spec.at("type")
  if (before !== undefined) checkAddressChange(spec, before.at("spec"))
  if (before !== undefined) checkClassChange(spec, before.at("spec"))
  checkType(spec, type)
  checkPorts(spec)
  checkLabels(spec.at("selector"))
  checkAffinity(spec)
  if (type !== "ExternalName") checkAddresses(spec)
  for (const address of spec.at("externalIPs").items()) checkAddress(address)
  spec.at("type").requiredOneOf(["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"])
  checkDuplicatePorts(spec, type)
  checkLoadBalancer(spec, type)
  checkPolicies(spec, type)
}

function isHeadless(spec: Field): boolean {
  return spec.at("clusterIP").text === "None"
}

/** Checks that the first address of a Service stays, unless its old or new type is ExternalName. */
function checkAddressChange(spec: Field, before: Field): void {
  if ([spec, before].some(each => each.at("type").text === "ExternalName")) return
  const addresses = spec.at("clusterIPs")
  const [old] = before.at("clusterIPs").items()
  const [now] = addresses.items()
  if (old === undefined || (isHeadless(spec) && isHeadless(before))) return
  const first = spec.at("clusterIPs[0]").holding(addresses.value)
  if (now === undefined) first.invalid("primary clusterIP can not be unset")
  else if (now.text !== old.text) first.invalid("may not change once set")
}

function checkClassChange(spec: Field, before: Field): void {
  const name = spec.at("loadBalancerClass")
  const both = [spec, before].every(each => each.at("type").text === "LoadBalancer")
  if (both && name.text !== before.at("loadBalancerClass").text) name.invalid("may not change once set")
}

function checkType(spec: Field, type: string): void {
  const ports = spec.at("ports")
  if (ports.size === 0 && !isHeadless(spec) && type !== "ExternalName") ports.required()
  if (["LoadBalancer", "NodePort"].includes(type) && isHeadless(spec)) {
    spec.at("clusterIPs[0]").holding("None").invalid(`may not be set to 'None' for ${type} services`)
  }
  if (type !== "ExternalName") return
  for (const name of ["clusterIPs", "ipFamilies", "ipFamilyPolicy"]) {
    if (spec.at(name).isSet) spec.at(name).forbidden("may not be set for ExternalName services")
  }
  const target = spec.at("externalName")
  target.holding(target.text.replace(/\.$/, "")).requiredAnd(dnsSubdomain)
}

function checkPorts(spec: Field): void {
  const ports = spec.at("ports")
  const names = new Set<string>()
  for (const port of ports.items()) {
    const name = port.at("name")
    if (name.text !== "") {
      name.check(dnsLabel)
      name.unique(names)
    } else if (ports.size > 1) name.required()
    port.at("port").between(1, 65535)
    port.at("protocol").requiredOneOf(protocols)
    checkPort(port.at("targetPort"))
    if (port.at("appProtocol").isSet) port.at("appProtocol").check(labelKey)
  }
}

function checkDuplicatePorts(spec: Field, type: string): void {
  const ports = spec.at("ports").items()
  if (type === "ClusterIP") {
    for (const port of ports) {
      const nodePort = port.at("nodePort")
      if (nodePort.number !== 0) nodePort.forbidden("may not be used when `type` is 'ClusterIP'")
    }
  }
  const seen = new Set<string>()
  const duplicate = (port: Field, key: string): boolean => {
    const id = `${key} ${port.at("protocol").text} ${port.at(key).number}`
    const known = seen.has(id)
    seen.add(id)
    return known
  }
  for (const port of ports) {
    if (port.at("nodePort").number !== 0 && duplicate(port, "nodePort")) port.at("nodePort").duplicate()
  }
  for (const port of ports) if (duplicate(port, "port")) port.duplicate(goPort(port))
}

/** Returns the port as messages show it: as a Go struct with only its protocol and number. */
function goPort(port: Field) {
  const zeros = { Name: "", Protocol: port.at("protocol").text, AppProtocol: null, Port: port.at("port").number }
  return { ...zeros, TargetPort: 0, NodePort: 0 }
}

function checkAffinity(spec: Field): void {
  const affinity = spec.at("sessionAffinity")
  affinity.requiredOneOf(["ClientIP", "None"])
  const config = spec.at("sessionAffinityConfig")
  if (affinity.text === "None" && config.isSet) config.forbidden("must not be set when session affinity is None")
  if (affinity.text !== "ClientIP") return
  for (const field of [config, config.at("clientIP"), config.at("clientIP", "timeoutSeconds")]) {
    if (!field.isSet) {
      field.required("when session affinity type is ClientIP")
      return
    }
  }
  const timeout = config.at("clientIP", "timeoutSeconds")
  if (timeout.number <= 0 || timeout.number > 86_400) timeout.invalid("must be greater than 0 and less than 86400")
}

function checkAddresses(spec: Field): void {
  const addresses = spec.at("clusterIPs")
  const items = addresses.items()
  const { text: first } = spec.at("clusterIP")
  if (first !== "" && items.length === 0) addresses.required()
  else if (first !== "" && items[0]?.text !== first) addresses.invalid("first value must match `clusterIP`")
  else if (first === "" && items.length > 0) addresses.invalid("must be empty when `clusterIP` is not specified")
  const families = new Set<string>()
  for (const family of spec.at("ipFamilies").items()) {
    family.oneOf(["IPv4", "IPv6"])
    family.unique(families)
  }
  spec.at("ipFamilyPolicy").oneOfIfSet(["PreferDualStack", "RequireDualStack", "SingleStack"])
  if (items.length > 1 && items[0]?.text === "None") addresses.invalid("'None' must be the first and only value")
  for (const item of items) if (item.text !== "None") checkAddress(item)
  if (items.length > 2) addresses.invalid("may only hold up to 2 values")
}

function checkLoadBalancer(spec: Field, type: string): void {
  const isBalanced = type === "LoadBalancer"
  // Go: the path begins with a capital letter.
  const ranges = spec.at("LoadBalancerSourceRanges").holding(spec.at("loadBalancerSourceRanges").value)
  if (ranges.size > 0 && !isBalanced) ranges.forbidden(loadBalancerOnly)
  const allocate = spec.at("allocateLoadBalancerNodePorts")
  if (allocate.isSet && !isBalanced) allocate.forbidden(loadBalancerOnly)
  const name = spec.at("loadBalancerClass")
  if (!name.isSet) return
  if (isBalanced) name.check(labelKey)
  else name.forbidden(loadBalancerOnly)
}

function checkPolicies(spec: Field, type: string): void {
  const external = spec.at("externalTrafficPolicy")
  const isBalanced = ["LoadBalancer", "NodePort"].includes(type)
  const isExternal = isBalanced || (type === "ClusterIP" && spec.at("externalIPs").size > 0)
  if (isExternal) external.requiredOneOf(["Cluster", "Local"])
  else if (external.text !== "") external.invalid("may only be set for externally-accessible services")
  const health = spec.at("healthCheckNodePort")
  if (health.number !== 0 && !(type === "LoadBalancer" && external.text === "Local")) {
    health.invalid("may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'")
  }
  const internal = spec.at("internalTrafficPolicy")
  if (!internal.isSet && (isBalanced || type === "ClusterIP")) internal.required()
  internal.oneOfIfSet(["Cluster", "Local"])
  spec.at("trafficDistribution").oneOfIfSet(["PreferClose", "PreferSameZone", "PreferSameNode"])
}

/** Checks the status of a Service. Only load balancers have addresses in their status. */
export function checkServiceStatus(service: Field): void {
  const ingress = service.at("status", "loadBalancer", "ingress")
  if (service.at("spec", "type").text !== "LoadBalancer" && ingress.size > 0) {
    ingress.forbidden("may only be used when `spec.type` is 'LoadBalancer'")
    return
  }
  for (const point of ingress.items()) {
    const ip = point.at("ip")
    if (ip.text !== "") checkAddress(ip)
    const mode = point.at("ipMode")
    if (!mode.isSet && ip.text !== "") mode.required("must be specified when `ip` is set")
    else if (mode.isSet && ip.text === "") mode.forbidden("may not be specified when `ip` is not set")
    else mode.oneOfIfSet(["Proxy", "VIP"])
    checkHostname(point.at("hostname"))
  }
}
