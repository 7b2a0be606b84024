// IP addresses, the names of hosts, and paths that begin with them.
import { type AddressSpelling, isIP } from "../../value/ip.js"
import type { Field } from "./field.js"
import { dnsSubdomain } from "./names.js"

/** Checks an IP address. */
export function checkAddress(address: Field): void {
  if (!isIP(address.text)) {
    address.invalid("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)", address.text)
  }
}

/** Checks the DNS name of a point of entry, if it has one. */
export function checkHostname(hostname: Field): void {
  if (hostname.text === "") return
  hostname.check(dnsSubdomain)
  if (isIP(hostname.text)) hostname.invalid("must be a DNS name, not an IP address")
}

/** A network: the bits of its address, and how many of them count. */
interface Network {
  readonly bits: string
  readonly length: number
}

/** Reads a network such as `10.0.0.0/8`. Returns undefined for other texts. */
function readNetwork(text: string, spelling?: AddressSpelling): Network | undefined {
  const [, address = "", digits = ""] = /^([^/]*)\/(0|[1-9]\d{0,2})$/.exec(text) ?? []
  const length = Number(digits)
  if (digits === "" || !isIP(address, spelling) || (address.includes(":") && address.includes("."))) return undefined
  const bits = bitsOf(address)
  return length <= bits.length ? { bits, length } : undefined
}

function bitsOf(address: string): string {
  if (!address.includes(":")) {
    return address
      .split(".")
      .map(part => Number(part).toString(2).padStart(8, "0"))
      .join("")
  }
  const [front = "", back = ""] = address.split("::")
  const bits = (groups: string) =>
    groups === ""
      ? ""
      : groups
          .split(":")
          .map(group => Number.parseInt(group, 16).toString(2).padStart(16, "0"))
          .join("")
  return bits(front) + bits(back).padStart(128 - bits(front).length, "0")
}

/** Checks a network. Returns whether it is one. */
export function checkNetwork(network: Field): boolean {
  const isNetwork = readNetwork(network.text) !== undefined
  if (!isNetwork) network.invalid("must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)", network.text)
  return isNetwork
}

/** Whether the network is another, smaller part of the other one. Both may be spelled as older servers allowed: `010.0.0.0/8`. */
export function isWithin(text: string, other: string): boolean {
  const [inner, outer] = [text, other].map(network => readNetwork(network, { leadingZeros: true }))
  if (inner === undefined || outer === undefined || inner.bits.length !== outer.bits.length) return false
  return outer.length < inner.length && inner.bits.startsWith(outer.bits.slice(0, outer.length))
}

const pathCharacters = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+"
const isPath = new RegExp(`^${pathCharacters}$`)

/** Checks a path that begins with a domain: `acme.io/foo`. */
export function checkDomainPath(field: Field): void {
  if (field.text === "") {
    field.required()
    return
  }
  const [, host = "", path = ""] = /^([^/]+)\/(.+)$/s.exec(field.text) ?? []
  if (host === "") field.invalid('must be a domain-prefixed path (such as "acme.io/foo")')
  else {
    field.holding(host).check(dnsSubdomain)
    if (!isPath.test(path)) field.invalid(`Invalid path (regex used for validation is '${pathCharacters}')`, path)
  }
}
