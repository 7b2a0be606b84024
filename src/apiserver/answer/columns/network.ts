// The columns of what leads to Pods.

import { listAt, mapAt, metadataOf, metaText } from "../../../requests/metadata.js"
import { textAt } from "../../../schema/group-version-kind.js"
import { compareStrings } from "../../../value/compare.js"
import { own } from "../../../value/object.js"
import type { MapValue } from "../../../value/value.js"
import {
  ageColumn,
  atMost,
  type Column,
  countAt,
  joined,
  mapsAt,
  nameColumn,
  selectorColumn,
  shown,
  specOf,
  statusOf,
  text,
  wide,
} from "./column.js"

/** The addresses of a load balancer. */
function balancers(object: MapValue): string[] {
  const ingress = mapsAt(mapAt(statusOf(object), "loadBalancer"), "ingress")
  const found = ingress.map(each => textAt(each, "ip") || textAt(each, "hostname")).filter(each => each !== "")
  return [...new Set(found)].sort(compareStrings)
}

function externalAddress(service: MapValue): string {
  const given = listAt(specOf(service), "externalIPs").map(String)
  switch (textAt(specOf(service), "type")) {
    case "ClusterIP":
    case "NodePort":
      return joined(given)
    case "LoadBalancer":
      return joined([...balancers(service), ...given], "<pending>")
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

/** The hosts of the rules of an Ingress: the first three, and how many rules more there are. */
function hosts(ingress: MapValue): string {
  const rules = mapsAt(specOf(ingress), "rules")
  const named = rules.filter(rule => textAt(rule, "host") !== "").map(rule => textAt(rule, "host"))
  const full = rules.findIndex(
    (_, index) => rules.slice(0, index).filter(rule => textAt(rule, "host") !== "").length === 3,
  )
  if (named.length === 0) return "*"
  return full < 0 ? named.join() : `${named.slice(0, 3).join()} + ${rules.length - 3} more...`
}

function parameters(ingressClass: MapValue): string {
  const given = mapAt(specOf(ingressClass), "parameters")
  if (own(specOf(ingressClass), "parameters") === undefined) return "<none>"
  const group = textAt(given, "apiGroup")
  return `${textAt(given, "kind")}${group === "" ? "" : `.${group}`}/${textAt(given, "name")}`
}

/** Every address with every port, or alone where there are no ports. */
function endpoints(object: MapValue): string[] {
  return mapsAt(object, "subsets").flatMap(subset => {
    const addresses = mapsAt(subset, "addresses").map(address => textAt(address, "ip"))
    const ports = mapsAt(subset, "ports").map(port => countAt(port, "port"))
    const host = (address: string) => (address.includes(":") ? `[${address}]` : address)
    return ports.length === 0 ? addresses : ports.flatMap(port => addresses.map(each => `${host(each)}:${port}`))
  })
}

function isDefault(object: MapValue): boolean {
  const annotations = mapAt(metadataOf(object), "annotations")
  return textAt(annotations, "ingressclass.kubernetes.io/is-default-class") === "true"
}

/** By group and kind. */
export const networkColumns: Readonly<Record<string, readonly Column[]>> = {
  "/Service": [
    nameColumn,
    text("Type", object => textAt(specOf(object), "type")),
    text("Cluster-IP", object => listAt(specOf(object), "clusterIPs")[0] ?? "<none>"),
    text("External-IP", externalAddress),
    text("Port(s)", object => joined(mapsAt(specOf(object), "ports").map(servicePort))),
    ageColumn,
    wide(selectorColumn("Selector", object => mapAt(specOf(object), "selector"))),
  ],
  "networking.k8s.io/Ingress": [
    nameColumn,
    text("Class", object => shown(specOf(object), "ingressClassName")),
    text("Hosts", hosts),
    text("Address", object => balancers(object).join()),
    text("Ports", object => (listAt(specOf(object), "tls").length > 0 ? "80, 443" : "80")),
    ageColumn,
  ],
  "networking.k8s.io/IngressClass": [
    { ...nameColumn, cell: object => `${metaText(object, "name")}${isDefault(object) ? " (default)" : ""}` },
    text("Controller", object => textAt(specOf(object), "controller")),
    text("Parameters", parameters),
    ageColumn,
  ],
  "networking.k8s.io/NetworkPolicy": [
    nameColumn,
    selectorColumn("Pod-Selector", object => mapAt(specOf(object), "podSelector")),
    ageColumn,
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
