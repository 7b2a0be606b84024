// Checks of Endpoints and EndpointSlices.
import { isIP, isIPv4 } from "../../../value/ip.js"
import { checkAddress } from "../../validation/addresses.js"
import type { Field } from "../../validation/field.js"
import { checkLabels } from "../../validation/labels.js"
import { dnsLabel, dnsSubdomain, labelKey, labelValue } from "../../validation/names.js"
import { protocols } from "../../validation/probes.js"

export function checkEndpoints(endpoints: Field, before: Field | undefined): void {
  const subsets = endpoints.at("subsets")
  if (before !== undefined && subsets.equals(before.at("subsets"))) return
  for (const subset of subsets.items()) {
    const [ready, others, ports] = [subset.at("addresses"), subset.at("notReadyAddresses"), subset.at("ports")]
    if (ready.size + others.size === 0) subset.required("must specify `addresses` or `notReadyAddresses`")
    for (const address of [...ready.items(), ...others.items()]) {
      checkAddress(address.at("ip"))
      address.at("hostname").checkIfGiven(dnsLabel)
      if (address.at("nodeName").isSet) address.at("nodeName").check(dnsSubdomain)
      checkReachable(address.at("ip"))
    }
    for (const port of ports.items()) checkPort(port, ports.size > 1)
  }
}

/** Checks that an address can be one of a Pod or a host. */
function checkReachable(address: Field): void {
  const { text } = address
  if (!isIP(text)) address.invalid("must be a valid IP address", text)
  else if (/^(0\.0\.0\.0|::|0(:0){7})$/.test(text)) address.invalid(`may not be unspecified (${text})`)
  else if (/^(127\.|::1$)/.test(text)) address.invalid("may not be in the loopback range (127.0.0.0/8, ::1/128)")
  else if (/^(169\.254\.|fe[89ab])/i.test(text)) {
    address.invalid("may not be in the link-local range (169.254.0.0/16, fe80::/10)")
  } else if (/^(224\.0\.0\.|ff02:)/i.test(text)) {
    address.invalid("may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)")
  }
}

function checkPort(port: Field, isNamed: boolean): void {
  const name = port.at("name")
  if (isNamed && name.text === "") name.required()
  else name.checkIfGiven(dnsLabel)
  port.at("port").holding(port.at("port").number).between(1, 65535)
  port.at("protocol").requiredOneOf(protocols)
  if (port.at("appProtocol").isSet) port.at("appProtocol").check(labelKey)
}

export function checkEndpointSlice(slice: Field, before: Field | undefined): void {
  checkSlicePorts(slice.at("ports"))
  const endpoints = slice.at("endpoints")
  if (before !== undefined && endpoints.equals(before.at("endpoints"))) return
  if (endpoints.tooMany(1000)) return
  for (const endpoint of endpoints.items()) checkEndpoint(endpoint, slice.at("addressType").text)
}

function checkSlicePorts(ports: Field): void {
  if (ports.tooMany(20000)) return
  const names = new Set<string>()
  for (const port of ports.items()) {
    port.at("name").checkIfGiven(dnsLabel)
    port.at("name").holding(port.at("name").text).unique(names)
    port.at("protocol").oneOf(protocols)
    if (port.at("appProtocol").isSet) port.at("appProtocol").check(labelKey)
  }
}

function checkEndpoint(endpoint: Field, type: string): void {
  const addresses = endpoint.at("addresses")
  for (const address of addresses.items()) {
    if (type === "FQDN") checkDomain(address)
    else if (type === "IPv4" || type === "IPv6") checkEndpointAddress(address, addresses, type)
  }
  if (endpoint.at("nodeName").isSet) endpoint.at("nodeName").check(dnsSubdomain)
  const topology = endpoint.at("deprecatedTopology")
  topology.tooMany(16)
  checkLabels(topology)
  if (endpoint.at("hostname").isSet) endpoint.at("hostname").check(dnsLabel)
  checkHints(endpoint.at("hints"))
}

function checkEndpointAddress(address: Field, addresses: Field, type: string): void {
  const before = address.problems
  checkAddress(address)
  if (address.problems > before) return
  if (isIPv4(address.text) !== (type === "IPv4")) addresses.invalid(`must be an ${type} address`, address.text)
  checkReachable(address)
}

function checkDomain(domain: Field): void {
  const name = domain.text.replace(/\.$/, "")
  if (domain.text === "") domain.required()
  else if (dnsSubdomain(name).length > 0) domain.holding(name).checkAsOne(dnsSubdomain, ",")
  else if (!name.includes(".")) domain.invalid("should be a domain with at least two segments separated by dots", name)
}

function checkHints(hints: Field): void {
  for (const [key, check] of [
    ["forZones", labelValue],
    ["forNodes", dnsSubdomain],
  ] as const) {
    if (hints.at(key).tooMany(8)) return
    const names = new Set<string>()
    for (const hint of hints.at(key).items()) {
      hint.at("name").unique(names)
      hint.at("name").check(check)
    }
  }
}
