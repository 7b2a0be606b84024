// Ingresses.
import type { Field } from "./field.js"
import { dnsLabel, dnsSubdomain, portName, wildcardSubdomain } from "./names.js"
import { checkAddress, checkHostname, isAddress } from "./services.js"

export function checkIngress(ingress: Field): void {
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
      if (isAddress(host.text)) host.invalid("must be a DNS name, not an IP address")
      checkHost(host)
    }
    const http = rule.at("http")
    if (!http.isSet) continue
    if (http.at("paths").size === 0) http.at("paths").required()
    for (const path of http.at("paths").items()) checkPath(path)
  }
  for (const tls of spec.at("tls").items()) {
    for (const host of tls.at("hosts").items()) checkHost(host)
    if (tls.at("secretName").text !== "") tls.at("secretName").check(dnsSubdomain)
  }
  const name = spec.at("ingressClassName")
  if (name.isSet) name.check(dnsSubdomain)
}

function checkHost(host: Field): void {
  host.check(host.text.includes("*") ? wildcardSubdomain : dnsSubdomain)
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
    for (const key of ["kind", "name"]) if (resource.at(key).text === "") resource.at(key).required()
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

/** Checks the status of an Ingress. */
export function checkIngressStatus(ingress: Field): void {
  for (const point of ingress.at("status", "loadBalancer", "ingress").items()) {
    if (point.at("ip").text !== "") checkAddress(point.at("ip"))
    checkHostname(point.at("hostname"))
  }
}
