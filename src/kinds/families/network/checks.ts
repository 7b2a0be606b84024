// Checks of network policies, classes of Ingresses, and the addresses of Services.
import { checkDomainPath, checkNetwork, isWithin } from "../../validation/addresses.js"
import type { Field } from "../../validation/field.js"
import { checkSelector } from "../../validation/labels.js"
import { dnsLabel, dnsSubdomain, pathSegment, portName } from "../../validation/names.js"

export function checkPolicy(policy: Field, before: Field | undefined): void {
  const spec = policy.at("spec")
  const known = new Set(before === undefined ? [] : networksOf(before.at("spec")))
  checkSelector(spec.at("podSelector"))
  for (const [direction, peers] of directions) {
    for (const rule of spec.at(direction).items()) {
      for (const port of rule.at("ports").items()) checkPolicyPort(port)
      for (const peer of rule.at(peers).items()) checkPeer(peer, known)
    }
  }
  const types = spec.at("policyTypes")
  if (types.size > 2) types.invalid("may not specify more than two policyTypes")
  else for (const type of types.items()) type.oneOf(["Ingress", "Egress"])
}

/** The fields for the rules of each direction, and for the peers in a rule. */
const directions = [
  ["ingress", "from"],
  ["egress", "to"],
] as const

function networksOf(spec: Field): string[] {
  const peers = directions.flatMap(([direction, peers]) =>
    spec
      .at(direction)
      .items()
      .flatMap(rule => rule.at(peers).items()),
  )
  const blocks = peers.map(peer => peer.at("ipBlock"))
  return blocks.flatMap(block => [
    block.at("cidr").text,
    ...block
      .at("except")
      .items()
      .map(({ text }) => text),
  ])
}

function checkPolicyPort(port: Field): void {
  const [number, end] = [port.at("port"), port.at("endPort")]
  port.at("protocol").oneOf(["TCP", "UDP", "SCTP"])
  if (!number.isSet) {
    if (end.isSet) end.invalid("may not be specified when `port` is not specified")
  } else if (typeof number.value === "string") {
    if (end.isSet) end.invalid("may not be specified when `port` is non-numeric")
    number.check(portName)
  } else {
    number.between(1, 65535)
    if (!end.isSet) return
    if (end.number < number.number) end.invalid("must be greater than or equal to `port`")
    end.between(1, 65535)
  }
}

function checkPeer(peer: Field, known: ReadonlySet<string>): void {
  const block = peer.at("ipBlock")
  const selectors = ["podSelector", "namespaceSelector"].map(key => peer.at(key)).filter(({ isSet }) => isSet)
  for (const selector of selectors) checkSelector(selector)
  if (block.isSet) checkBlock(block, known)
  if (!block.isSet && selectors.length === 0) peer.required("must specify a peer")
  else if (block.isSet && selectors.length > 0) peer.forbidden("may not specify both ipBlock and another peer")
}

/** Checks a block of addresses. An update may keep those that were there before. */
function checkBlock(block: Field, known: ReadonlySet<string>): void {
  const network = block.at("cidr")
  const isValid = (field: Field) => known.has(field.text) || checkNetwork(field)
  if (network.text === "" || !isValid(network)) return
  for (const except of block.at("except").items()) {
    if (isValid(except) && !isWithin(except.text, network.text)) except.invalid("must be a strict subset of `cidr`")
  }
}

export function checkIngressClass(object: Field, before: Field | undefined): void {
  const spec = object.at("spec")
  const controller = spec.at("controller")
  if (before !== undefined) controller.immutable(before.at("spec", "controller"), controller.text)
  if (controller.text.length > 250) controller.tooLong(250)
  checkDomainPath(controller)
  const parameters = spec.at("parameters")
  if (!parameters.isSet) return
  if (parameters.at("apiGroup").isSet) parameters.at("apiGroup").check(dnsSubdomain)
  for (const key of ["kind", "name"]) parameters.at(key).checkIfGiven(pathSegment)
  const [scope, namespace] = [parameters.at("scope"), parameters.at("namespace")]
  scope.oneOf(["Cluster", "Namespace"])
  if (scope.text === "Cluster" && namespace.isSet) namespace.forbidden("`parameters.scope` is set to 'Cluster'")
  if (scope.text !== "Namespace") return
  if (namespace.isSet) namespace.check(dnsLabel)
  else namespace.required("`parameters.scope` is set to 'Namespace'")
}

/** Checks which object an address belongs to. */
export function checkAddressParent(address: Field, before: Field | undefined): void {
  if (before !== undefined) return
  const parent = address.at("spec", "parentRef")
  parent.at("group").checkIfGiven(dnsSubdomain)
  for (const key of ["resource", "name", "namespace"]) parent.at(key).checkIfGiven(pathSegment)
}

export function checkServiceNetworks(object: Field, before: Field | undefined): void {
  const networks = object.at("spec", "cidrs")
  const old = before?.at("spec", "cidrs")
  if (old === undefined) checkNetworks(networks)
  else if (networks.size === old.size || (old.size === 1 && networks.size === 2)) {
    for (const [index, network] of old.items().entries()) networks.items()[index]?.immutable(network)
    if (networks.size > old.size) checkNetworks(networks)
  } else networks.invalid("field is immutable")
}

function checkNetworks(networks: Field): void {
  if (networks.size === 0) networks.required("at least one CIDR required")
  else if (networks.size > 2) networks.invalid("may only hold up to 2 values", { CIDRs: networks.value ?? null })
  else {
    for (const network of networks.items()) checkNetwork(network)
    const [first, second] = networks.items().map(({ text }) => text.includes(":"))
    if (networks.size === 2 && first === second) {
      networks.invalid("may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64")
    }
  }
}
