// Services and their endpoints.

import { listAt, mapAt, mapsAt, textAt } from "../../value/fields.js"
import { own, put } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
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
import { dnsLabel } from "../validation/names.js"
import { withAddresses, withKeptAddresses } from "./services/addresses.js"
import { checkService, checkServiceStatus } from "./services/checks.js"
import { checkEndpointSlice, checkEndpoints } from "./services/endpoints.js"

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
    validate: { "": checkEndpoints },
    deprecation: "deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  },
  "discovery.k8s.io/EndpointSlice": {
    defaults: { "io.k8s.api.discovery.v1.EndpointPort": [{ set: { name: "", protocol: "TCP" } }] },
    countsGeneration: true,
    alsoCounts: "labels",
    validate: { "": checkEndpointSlice },
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
