// Ingresses, network policies and IP addresses.
import { nameInGroup } from "../../schema/group-version-kind.js"

import { metadataOf, metaText } from "../../schema/metadata.js"
import { listAt, mapAt, mapsAt, textAt } from "../../value/fields.js"
import { isIP } from "../../value/ip.js"
import { own, put } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { ageColumn, balancers, type KindColumns, nameColumn, selectorColumn, shown, text } from "../kind/column.js"
import { type Fields, isEmpty } from "../kind/default-rule.js"
import type { Family } from "../kind/kind.js"
import { specOf } from "../kind/spec-and-status.js"
import { checkAddress, checkHostname } from "../validation/addresses.js"
import type { Field } from "../validation/field.js"
import { dnsLabel, dnsSubdomain, pathSegment, portName, wildcardSubdomain } from "../validation/names.js"
import { checkAddressParent, checkIngressClass, checkPolicy, checkServiceNetworks } from "./network/checks.js"

const networking = "io.k8s.api.networking.v1."

export const network: Family = {
  "networking.k8s.io/Ingress": {
    countsGeneration: true,
    validate: { "": checkIngress, status: checkIngressStatus },
  },
  "networking.k8s.io/IngressClass": {
    defaults: { [`${networking}IngressClassParametersReference`]: [{ set: { scope: "Cluster" } }] },
    validate: { "": checkIngressClass },
    countsGeneration: true,
  },
  "networking.k8s.io/NetworkPolicy": {
    defaults: {
      [`${networking}NetworkPolicyPort`]: [{ set: { protocol: "TCP" } }],
      [`${networking}NetworkPolicySpec`]: [setPolicyTypes],
    },
    validate: { "": checkPolicy },
    countsGeneration: true,
  },
  "networking.k8s.io/IPAddress": { checkName: pathSegment, validate: { "": checkAddressParent } },
  "networking.k8s.io/ServiceCIDR": { validate: { "": checkServiceNetworks } },
}

export function networkColumns(): KindColumns {
  return {
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
    "networking.k8s.io/ServiceCIDR": [
      nameColumn,
      text("CIDRs", object => listAt(specOf(object), "cidrs").join()),
      ageColumn,
    ],
    "networking.k8s.io/IPAddress": [nameColumn, text("ParentRef", parentOf), { ...ageColumn, isUndefined: true }],
    "networking.k8s.io/NetworkPolicy": [
      nameColumn,
      selectorColumn("Pod-Selector", object => mapAt(specOf(object), "podSelector")),
      ageColumn,
    ],
  }
}

/** Shows the hosts of the rules of an Ingress: the first three, and the number of further rules. */
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
  const reference = mapAt(specOf(ingressClass), "parameters")
  if (own(specOf(ingressClass), "parameters") === undefined) return "<none>"
  const group = textAt(reference, "apiGroup")
  return `${nameInGroup(textAt(reference, "kind"), group)}/${textAt(reference, "name")}`
}

function isDefault(object: MapValue): boolean {
  const annotations = mapAt(metadataOf(object), "annotations")
  return textAt(annotations, "ingressclass.kubernetes.io/is-default-class") === "true"
}

function setPolicyTypes(out: Fields): void {
  if (!isEmpty(own(out, "policyTypes"))) return
  put(out, "policyTypes", isEmpty(own(out, "egress")) ? ["Ingress"] : ["Ingress", "Egress"])
}

function checkIngress(ingress: Field): void {
  const spec = ingress.at("spec")
  const backend = spec.at("defaultBackend")
  const rules = spec.at("rules")
  if (rules.size === 0 && !backend.isSet) {
    spec.invalid("either `defaultBackend` or `rules` must be specified", rules.value ?? null)
  }
  if (backend.isSet) checkBackend(backend)
  for (const rule of rules.items()) {
    const host = rule.at("host")
    if (host.text !== "") {
      if (isIP(host.text)) host.invalid("must be a DNS name, not an IP address")
      checkHost(host)
    }
    const http = rule.at("http")
    if (!http.isSet) continue
    if (http.at("paths").size === 0) http.at("paths").required()
    for (const path of http.at("paths").items()) checkPath(path)
  }
  for (const tls of spec.at("tls").items()) {
    for (const host of tls.at("hosts").items()) checkHost(host)
    tls.at("secretName").checkIfGiven(dnsSubdomain)
  }
  const name = spec.at("ingressClassName")
  if (name.isSet) name.check(dnsSubdomain)
}

function checkHost(host: Field): void {
  host.check(host.text.includes("*") ? wildcardSubdomain : dnsSubdomain)
}

/** Names the owner of an address: its resource, namespace and name. */
function parentOf(address: MapValue): string {
  const parent = mapAt(specOf(address), "parentRef")
  if (parent.name === undefined) return "<none>"
  const [group, namespace] = [textAt(parent, "group"), textAt(parent, "namespace")]
  const resource = nameInGroup(textAt(parent, "resource"), group)
  return [resource.toLowerCase(), ...(namespace === "" ? [] : [namespace]), textAt(parent, "name")].join("/")
}

const forbiddenParts = ["//", "/./", "/../", "%2f", "%2F"]
const forbiddenEnds = ["/..", "/."]

function checkPath(path: Field): void {
  const type = path.at("pathType")
  if (!type.isSet) {
    type.required("pathType must be specified")
    return
  }
  const url = path.at("path")
  const isOwn = type.text === "ImplementationSpecific"
  type.oneOf(["Exact", "ImplementationSpecific", "Prefix"])
  if (!url.text.startsWith("/") && !(isOwn && url.text === "")) url.invalid("must be an absolute path", url.text)
  if (!isOwn) {
    for (const part of forbiddenParts) if (url.text.includes(part)) url.invalid(`must not contain '${part}'`)
    for (const end of forbiddenEnds) if (url.text.endsWith(end)) url.invalid(`cannot end with '${end}'`)
  }
  checkBackend(path.at("backend"))
}

function checkBackend(backend: Field): void {
  const service = backend.at("service")
  const resource = backend.at("resource")
  if (resource.isSet && service.isSet) {
    backend.invalid("cannot set both resource and service backends", "")
  } else if (resource.isSet) {
    for (const key of ["kind", "name"]) resource.at(key).requireText()
  } else if (service.isSet) checkServiceBackend(backend, service)
  else backend.invalid("resource or service backend is required", "")
}

function checkServiceBackend(backend: Field, service: Field): void {
  service.at("name").requiredAnd(dnsLabel)
  const name = service.at("port", "name")
  const number = service.at("port", "number")
  if (name.text !== "" && number.number !== 0) backend.invalid("cannot set both port name & port number", "")
  else if (name.text !== "") name.check(portName)
  else if (number.number !== 0) number.between(1, 65535)
  else backend.required("port name or number is required")
}

function checkIngressStatus(ingress: Field): void {
  for (const point of ingress.at("status", "loadBalancer", "ingress").items()) {
    if (point.at("ip").text !== "") checkAddress(point.at("ip"))
    checkHostname(point.at("hostname"))
  }
}
