// Services and their endpoints.

import { equalValues } from "../../value/equal.js"
import { listAt, mapAt, mapsAt, textAt, withKeys } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import {
  ageColumn,
  atMost,
  balancers,
  countAt,
  joined,
  type KindColumns,
  nameColumn,
  selectorColumn,
  shown,
  text,
  wide,
} from "../kind/column.js"
import { change, changeItems, type Fields, isAbsent, isEmpty } from "../kind/default-rule.js"
import type { Family } from "../kind/kind.js"
import { specOf } from "../kind/spec-and-status.js"
import { checkAddress, checkHostname } from "../validation/addresses.js"
import type { Field } from "../validation/field.js"
import { checkLabels } from "../validation/labels.js"
import { dnsLabel, dnsSubdomain, labelKey } from "../validation/names.js"
import { checkPort } from "../validation/probes.js"

const core = "io.k8s.api.core.v1."

const externalIPsAreDeprecated = "spec.externalIPs is deprecated and may no longer be implemented in some clusters"

export const services: Family = {
  "/Service": {
    defaults: {
      [`${core}Service`]: [setAddressMode],
      [`${core}ServiceSpec`]: [
        { fill: { sessionAffinity: "None", type: "ClusterIP" } },
        {
          when: { sessionAffinity: "ClientIP" },
          set: { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } } },
        },
        { when: { type: ["NodePort", "LoadBalancer"] }, fill: { externalTrafficPolicy: "Cluster" } },
        { when: { type: ["ClusterIP", "NodePort", "LoadBalancer"] }, set: { internalTrafficPolicy: "Cluster" } },
        { when: { type: "LoadBalancer" }, set: { allocateLoadBalancerNodePorts: true } },
        setTrafficPolicy,
      ],
      [`${core}ServicePort`]: [copyPort],
    },
    createdByPut: true,
    created: service => withKeptAddresses(service, undefined),
    allocate: withAddresses,
    updated: withKeptAddresses,
    checkName: dnsLabel,
    validate: { "": checkService, status: checkServiceStatus },
    warnings: service => (listAt(mapAt(service, "spec"), "externalIPs").length > 0 ? [externalIPsAreDeprecated] : []),
    returnedWhenDeleted: true,
    selectableFields: { "spec.clusterIP": "", "spec.type": "" },
  },
  "/Endpoints": {
    defaults: { [`${core}EndpointPort`]: [{ fill: { protocol: "TCP" } }] },
    createdByPut: true,
    warnings: () => ["v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"],
  },
  "discovery.k8s.io/EndpointSlice": {
    defaults: { "io.k8s.api.discovery.v1.EndpointPort": [{ set: { name: "", protocol: "TCP" } }] },
    countsGeneration: true,
  },
}

export function serviceColumns(): KindColumns {
  return {
    "/Service": [
      nameColumn,
      text("Type", object => textAt(specOf(object), "type")),
      text("Cluster-IP", object => listAt(specOf(object), "clusterIPs")[0] ?? "<none>"),
      text("External-IP", externalAddress),
      text("Port(s)", object => joined(mapsAt(specOf(object), "ports").map(servicePort))),
      ageColumn,
      wide(selectorColumn("Selector", object => mapAt(specOf(object), "selector"))),
    ],
    "/Endpoints": [nameColumn, text("Endpoints", object => atMost(3, endpoints(object), "<none>")), ageColumn],
    "discovery.k8s.io/EndpointSlice": [
      nameColumn,
      text("AddressType", object => textAt(object, "addressType")),
      text("Ports", object => {
        const ports = mapsAt(object, "ports").map(port =>
          shown(port, "port", own(port, "name") === undefined ? "*" : textAt(port, "name")),
        )
        return atMost(3, ports, "<unset>")
      }),
      text("Endpoints", object => {
        const addresses = mapsAt(object, "endpoints").flatMap(each => listAt(each, "addresses").map(String))
        return atMost(3, addresses, "<unset>")
      }),
      ageColumn,
    ],
  }
}

function externalAddress(service: MapValue): string {
  const external = listAt(mapAt(service, "spec"), "externalIPs").map(String)
  switch (textAt(specOf(service), "type")) {
    case "ClusterIP":
    case "NodePort":
      return joined(external)
    case "LoadBalancer":
      return joined([...balancers(service), ...external], "<pending>")
    case "ExternalName":
      return textAt(specOf(service), "externalName")
    default:
      return "<unknown>"
  }
}

function servicePort(port: MapValue): string {
  const node = countAt(port, "nodePort")
  return `${countAt(port, "port")}${node > 0 ? `:${node}` : ""}/${textAt(port, "protocol")}`
}

/** Combines every address with every port. Without ports, returns only the addresses. */
function endpoints(object: MapValue): string[] {
  return mapsAt(object, "subsets").flatMap(subset => {
    const addresses = mapsAt(subset, "addresses").map(address => textAt(address, "ip"))
    const ports = mapsAt(subset, "ports").map(port => countAt(port, "port"))
    const host = (address: string) => (address.includes(":") ? `[${address}]` : address)
    return ports.length === 0 ? addresses : ports.flatMap(port => addresses.map(each => `${host(each)}:${port}`))
  })
}

/** Sets the mode of the addresses of a load balancer: they are its own. */
function setAddressMode(out: Fields): void {
  if (own(mapAt(out, "spec"), "type") !== "LoadBalancer") return
  change(out, "status", status => {
    change(status, "loadBalancer", balancer => {
      changeItems(balancer, "ingress", point => {
        if (!isEmpty(own(point, "ip")) && isAbsent(own(point, "ipMode"))) put(point, "ipMode", "VIP")
      })
    })
  })
}

/** Drops the configuration of session affinity if that is off, and sets the policy of a ClusterIP Service with external addresses. */
function setTrafficPolicy(out: Fields): void {
  if (own(out, "sessionAffinity") === "None") delete out.sessionAffinityConfig
  if (own(out, "type") !== "ClusterIP" || isEmpty(own(out, "externalIPs"))) return
  if (isEmpty(own(out, "externalTrafficPolicy"))) put(out, "externalTrafficPolicy", "Cluster")
}

function copyPort(out: Fields): void {
  const port = own(out, "port")
  if (port !== undefined && isEmpty(own(out, "targetPort"))) put(out, "targetPort", port)
}

// Cluster addresses and node ports are allocated in ascending order.

const nodePortTypes: readonly unknown[] = ["NodePort", "LoadBalancer"]
const [leastPort, mostPort] = [30_000, 32_767]

const needsAddress = ({ type }: MapValue): boolean => type !== "ExternalName"
const needsPorts = ({ type }: MapValue): boolean => nodePortTypes.includes(type)

/**
 * Keeps addresses and ports that the request omits, and drops those that the Service no longer needs. The cluster has only one IP family.
 */
function withKeptAddresses(service: MapValue, live: MapValue | undefined): MapValue {
  let spec = mapAt(service, "spec")
  if (live !== undefined) {
    const before = mapAt(live, "spec")
    spec = withoutUnneeded(kept(spec, before), before)
  }
  const address = own(spec, "clusterIP")
  const hasList = listAt(spec, "clusterIPs").length > 0
  if (typeof address === "string" && address !== "" && !hasList) spec = withKeys(spec, { clusterIPs: [address] })
  const hadAddress = live !== undefined && needsAddress(mapAt(live, "spec"))
  if (needsAddress(spec) && !hadAddress) {
    spec = withKeys(spec, {
      ipFamilies: own(spec, "ipFamilies") ?? ["IPv4"],
      ipFamilyPolicy: own(spec, "ipFamilyPolicy") ?? "SingleStack",
    })
  }
  return withSpec(service, spec)
}

function kept(spec: MapValue, before: MapValue): MapValue {
  let next = spec
  if (needsAddress(spec) && needsAddress(before)) {
    const address = own(spec, "clusterIP") ?? own(before, "clusterIP")
    const isSame = address === own(before, "clusterIP")
    next = withKeys(next, {
      clusterIP: address,
      clusterIPs: own(spec, "clusterIPs") ?? (isSame ? own(before, "clusterIPs") : undefined),
      ipFamilies: own(spec, "ipFamilies") ?? own(before, "ipFamilies"),
      ipFamilyPolicy: own(spec, "ipFamilyPolicy") ?? own(before, "ipFamilyPolicy"),
    })
  }
  if (!needsPorts(spec) || !needsPorts(before)) return next
  const known = listAt(before, "ports").filter(isMap)
  return withPorts(next, port => {
    const same = known.find(each => each.port === port.port && each.protocol === port.protocol)
    return own(port, "nodePort") ?? (same && own(same, "nodePort"))
  })
}

/** Removes fields that the old type of the Service needed and the new one does not, unless the request has changed them. */
function withoutUnneeded(spec: MapValue, before: MapValue): MapValue {
  let next = spec
  const drop = (keys: readonly string[]) => {
    const same = keys.filter(key => equalValues(own(spec, key) ?? null, own(before, key) ?? null))
    next = withKeys(next, Object.fromEntries(same.map(key => [key, undefined])))
  }
  if (needsAddress(before) && !needsAddress(spec)) drop(["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"])
  if (before.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    drop(["allocateLoadBalancerNodePorts", "loadBalancerClass", "healthCheckNodePort"])
  }
  if (isExternal(before) && !isExternal(spec)) drop(["externalTrafficPolicy"])
  const ports = (of: MapValue): Value =>
    listAt(of, "ports").map(port => (isMap(port) ? (own(port, "nodePort") ?? 0) : 0))
  if (needsPorts(before) && !needsPorts(spec) && equalValues(ports(before), ports(spec))) {
    next = withPorts(next, () => undefined)
  }
  return next
}

function isExternal(spec: MapValue): boolean {
  return needsPorts(spec) || (spec.type === "ClusterIP" && listAt(spec, "externalIPs").length > 0)
}

/** Gives the Service an address and ports that no other Service has. */
function withAddresses(service: MapValue, others: readonly MapValue[]): MapValue {
  let spec = mapAt(service, "spec")
  const specs = others.map(other => mapAt(other, "spec"))
  if (needsAddress(spec)) {
    const address = own(spec, "clusterIP") ?? freeAddress(specs)
    spec = withKeys(spec, {
      clusterIP: address,
      clusterIPs: own(spec, "clusterIPs") ?? [address],
    })
  }
  const wantsPorts = needsPorts(spec) && own(spec, "allocateLoadBalancerNodePorts") !== false
  if (wantsPorts) {
    const taken = new Set(
      [spec, ...specs].flatMap(each => listAt(each, "ports")).map(port => isMap(port) && port.nodePort),
    )
    let next = leastPort
    spec = withPorts(spec, port => {
      const requested = own(port, "nodePort")
      if (requested !== undefined) return requested
      while (taken.has(next) && next < mostPort) next++
      taken.add(next)
      return next
    })
  }
  return withSpec(service, spec)
}

/** Returns the lowest free address of 10.96.0.0/12. The first address belongs to the server itself. */
function freeAddress(specs: readonly MapValue[]): string {
  const taken = new Set(specs.map(spec => own(spec, "clusterIP")))
  for (let number = 2; ; number++) {
    const address = `10.${96 + ((number >> 16) & 15)}.${(number >> 8) & 255}.${number & 255}`
    if (!taken.has(address)) return address
  }
}

function withPorts(spec: MapValue, nodePort: (port: MapValue) => Value | undefined): MapValue {
  const before = own(spec, "ports")
  if (before === undefined) return spec
  const ports = listAt(spec, "ports").map(port => (isMap(port) ? withKeys(port, { nodePort: nodePort(port) }) : port))
  return withKeys(spec, { ports: equalValues(ports, before) ? before : ports })
}

function withSpec(service: MapValue, spec: MapValue): MapValue {
  return spec === mapAt(service, "spec") ? service : withKeys(service, { spec })
}

const loadBalancerOnly = "may only be used when `type` is 'LoadBalancer'"
const protocols = ["SCTP", "TCP", "UDP"]

function checkService(service: Field, before: Field | undefined): void {
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
  const policy = spec.at("ipFamilyPolicy")
  if (policy.isSet) policy.oneOf(["PreferDualStack", "RequireDualStack", "SingleStack"])
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
  if (internal.isSet) internal.oneOf(["Cluster", "Local"])
  const distribution = spec.at("trafficDistribution")
  if (distribution.isSet) distribution.oneOf(["PreferClose", "PreferSameNode", "PreferSameZone"])
}

/** Checks the status of a Service. Only load balancers have addresses in their status. */
function checkServiceStatus(service: Field): void {
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
    else if (mode.isSet) mode.oneOf(["Proxy", "VIP"])
    checkHostname(point.at("hostname"))
  }
}
