// Addresses, networks and URLs in CEL expressions.
import { isIPv4, isIPv6 } from "../../value/ip.js"
import { quoteGo } from "../../value/quote.js"
import { hasFormat } from "../structural/formats.js"
import type { Environment } from "./library.js"

/** An IP address, as a number of 32 or 128 bits. */
class Address {
  readonly bits: bigint
  readonly size: 32 | 128

  constructor(bits: bigint, size: 32 | 128) {
    this.bits = bits
    this.size = size
  }

  toString(): string {
    return this.size === 32 ? dotted(this.bits) : colons(this.bits)
  }
}

/** A network: an address, and the number of its leading bits that count. */
class Network {
  readonly address: Address
  readonly length: number

  constructor(address: Address, length: number) {
    this.address = address
    this.length = length
  }

  /** The address with all bits that do not count set to zero. */
  get start(): Address {
    const rest = BigInt(this.address.size - this.length)
    return new Address((this.address.bits >> rest) << rest, this.address.size)
  }

  has({ bits, size }: Address): boolean {
    const rest = BigInt(this.address.size - this.length)
    return size === this.address.size && bits >> rest === this.address.bits >> rest
  }

  toString(): string {
    return `${this.address}/${this.length}`
  }
}

function dotted(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map(shift => (bits >> shift) & 255n).join(".")
}

function colons(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bits >> BigInt(112 - 16 * i)) & 65535n).toString(16)).join(":")
  const runs = [...groups.matchAll(/\b0(?::0)+\b/g)].map(([run]) => run)
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), "")
  if (longest === "") return groups
  const at = groups.indexOf(longest)
  return `${groups.slice(0, at).replace(/:$/, "")}::${groups.slice(at + longest.length).replace(/^:/, "")}`
}

/** Reads an address. Returns undefined for other texts, for leading zeros, and for IPv4 addresses written as IPv6. */
function readAddress(text: string): Address | undefined {
  if (!text.includes(":")) {
    if (!isIPv4(text)) return undefined
    const bits = text.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n)
    return new Address(bits, 32)
  }
  if (text.includes(".") || !isIPv6(text)) return undefined
  const [front = "", back] = text.split("::")
  const groups = (part: string) => (part === "" ? [] : part.split(":"))
  const first = groups(front)
  const last = groups(back ?? "")
  const middle = Array.from({ length: 8 - first.length - last.length }, () => "0")
  const bits = [...first, ...middle, ...last].reduce((sum, group) => sum * 65536n + BigInt(`0x${group}`), 0n)
  return bits >> 32n === 0xffffn ? undefined : new Address(bits, 128)
}

function readNetwork(text: string): Network | undefined {
  const [, start = "", length = ""] = /^([^/]*)\/(0|[1-9]\d*)$/.exec(text) ?? []
  const address = length === "" ? undefined : readAddress(start)
  return address === undefined || Number(length) > address.size ? undefined : new Network(address, Number(length))
}

function address(text: string): Address {
  const parsed = readAddress(text)
  if (parsed === undefined)
    throw new RangeError(`IP Address ${quoteGo(text)} parse error during conversion from string`)
  return parsed
}

function network(text: string): Network {
  const found = readNetwork(text)
  if (found === undefined) throw new RangeError(`CIDR ${quoteGo(text)} parse error during conversion from string`)
  return found
}

const within = (text: string) => {
  const found = network(text)
  return (one: Address) => found.has(one)
}
const ranges = {
  loopback: [within("127.0.0.0/8"), within("::1/128")],
  linkLocal: [within("169.254.0.0/16"), within("fe80::/10")],
  linkLocalMulticast: [within("224.0.0.0/24"), within("ff02::/16")],
  multicast: [within("224.0.0.0/4"), within("ff00::/8")],
}
const isIn = (range: keyof typeof ranges) => (one: Address) => ranges[range].some(has => has(one))

/** Registers addresses, networks and URLs, and their functions. */
export function registerNetwork(environment: Environment): void {
  registerAddresses(environment)
  registerNetworks(environment)
  registerUrls(environment)
}

function registerAddresses(environment: Environment): void {
  const type = "net.IP"
  class Namespace {}
  environment.registerType(type, Address)
  environment.registerType("IPNamespace", Namespace)
  environment.registerConstant("ip", "IPNamespace", new Namespace())
  environment.registerFunction(`ip(string): ${type}`, address)
  environment.registerFunction("isIP(string): bool", (text: string) => readAddress(text) !== undefined)
  environment.registerFunction("IPNamespace.isCanonical(string): bool", (_: Namespace, text: string) => {
    return String(address(text)) === text
  })
  environment.registerOperator(`${type} == ${type}`, (a: Address, b: Address) => a.bits === b.bits && a.size === b.size)
  environment.registerFunction(`string(${type}): string`, String)
  environment.registerFunction(`${type}.family(): int`, ({ size }: Address) => (size === 32 ? 4n : 6n))
  const isUnspecified = ({ bits }: Address) => bits === 0n
  const isBroadcast = ({ bits, size }: Address) => size === 32 && bits === 2n ** 32n - 1n
  environment.registerFunction(`${type}.isUnspecified(): bool`, isUnspecified)
  environment.registerFunction(`${type}.isLoopback(): bool`, isIn("loopback"))
  environment.registerFunction(`${type}.isLinkLocalUnicast(): bool`, isIn("linkLocal"))
  environment.registerFunction(`${type}.isLinkLocalMulticast(): bool`, isIn("linkLocalMulticast"))
  const others = [isUnspecified, isBroadcast, isIn("loopback"), isIn("multicast"), isIn("linkLocal")]
  environment.registerFunction(`${type}.isGlobalUnicast(): bool`, (one: Address) => !others.some(is => is(one)))
}

function registerNetworks(environment: Environment): void {
  const type = "net.CIDR"
  const contains = (outer: Network, inner: Network) => outer.length <= inner.length && outer.has(inner.start)
  environment.registerType(type, Network)
  environment.registerFunction(`cidr(string): ${type}`, network)
  environment.registerFunction("isCIDR(string): bool", (text: string) => readNetwork(text) !== undefined)
  environment.registerOperator(`${type} == ${type}`, (a: Network, b: Network) => String(a) === String(b))
  environment.registerFunction(`string(${type}): string`, String)
  environment.registerFunction(`${type}.ip(): net.IP`, (one: Network) => one.address)
  environment.registerFunction(`${type}.prefixLength(): int`, (one: Network) => BigInt(one.length))
  environment.registerFunction(`${type}.masked(): ${type}`, (one: Network) => new Network(one.start, one.length))
  environment.registerFunction(`${type}.containsIP(net.IP): bool`, (one: Network, inner: Address) => one.has(inner))
  environment.registerFunction(`${type}.containsIP(string): bool`, (one: Network, inner: string) =>
    one.has(address(inner)),
  )
  environment.registerFunction(`${type}.containsCIDR(${type}): bool`, contains)
  environment.registerFunction(`${type}.containsCIDR(string): bool`, (one: Network, inner: string) => {
    return contains(one, network(inner))
  })
}

/** A URL, split as Go splits it. */
class Url {
  readonly scheme: string
  readonly host: string
  readonly path: string

  constructor(text: string) {
    const [, scheme = "", host = "", path = ""] =
      /^(?:([^:/?#]+):)?(?:\/\/(?:[^/?#]*@)?([^/?#]*))?([^?]*)/.exec(text) ?? []
    this.scheme = scheme.toLowerCase()
    this.host = host
    this.path = path
  }
}

function registerUrls(environment: Environment): void {
  const type = "kubernetes.URL"
  environment.registerType(type, Url)
  environment.registerFunction("isURL(string): bool", (text: string) => hasFormat(text, "uri"))
  environment.registerFunction(`url(string): ${type}`, (text: string) => {
    if (!hasFormat(text, "uri"))
      throw new RangeError(
        `URL parse error during conversion from string: parse ${quoteGo(text)}: invalid URI for request`,
      )
    return new Url(text)
  })
  environment.registerFunction(`${type}.getScheme(): string`, ({ scheme }: Url) => scheme)
  environment.registerFunction(`${type}.getHost(): string`, ({ host }: Url) => host)
  environment.registerFunction(`${type}.getHostname(): string`, ({ host }: Url) => {
    return host.replace(/:\d*$/, "").replace(/^\[|\]$/g, "")
  })
  environment.registerFunction(`${type}.getPort(): string`, ({ host }: Url) => /:(\d*)$/.exec(host)?.[1] ?? "")
  environment.registerFunction(`${type}.getEscapedPath(): string`, ({ path }: Url) => path)
}
