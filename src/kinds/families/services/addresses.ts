// The cluster addresses and node ports of Services. They are allocated in ascending order.

import { equalValues } from "../../../value/equal.js"
import { listAt, mapAt, withKeys } from "../../../value/fields.js"
import { own } from "../../../value/object.js"
import { isMap, type MapValue, type Value } from "../../../value/value.js"

const nodePortTypes: readonly unknown[] = ["NodePort", "LoadBalancer"]
const [leastPort, mostPort] = [30_000, 32_767]

const needsAddress = ({ type }: MapValue): boolean => type !== "ExternalName"
const needsPorts = ({ type }: MapValue): boolean => nodePortTypes.includes(type)

/**
 * Keeps addresses and ports that the request omits, and drops those that the Service no longer needs. The cluster has only one IP family.
 */
export function withKeptAddresses(service: MapValue, live: MapValue | undefined): MapValue {
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
export function withAddresses(service: MapValue, others: readonly MapValue[]): MapValue {
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
