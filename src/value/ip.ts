// IP addresses as text.

/** How an address may be spelled. */
export interface AddressSpelling {
  /** Whether the parts of an IPv4 address may have leading zeros, as older parsers allow: `010.0.0.1`. The default is false. */
  readonly leadingZeros?: boolean
}

/** Whether the text is an IPv4 or IPv6 address. IPv6 addresses have no zone. */
export function isIP(text: string, spelling?: AddressSpelling): boolean {
  return text.includes(":") ? isIPv6(text, spelling) : isIPv4(text, spelling)
}

/** Whether the text is an IPv4 address: four decimal numbers up to 255. */
export function isIPv4(text: string, { leadingZeros = false }: AddressSpelling = {}): boolean {
  const parts = text.split(".")
  const part = leadingZeros ? /^\d+$/ : /^(?:0|[1-9]\d{0,2})$/
  return parts.length === 4 && parts.every(number => part.test(number) && Number(number) <= 255)
}

/** Whether the text is an IPv6 address. It may end with an IPv4 address, as `::ffff:10.0.0.1` does. */
export function isIPv6(text: string, spelling?: AddressSpelling): boolean {
  const tail = text.slice(text.lastIndexOf(":") + 1)
  // The IPv4 address at the end stands for two groups.
  const groups = tail.includes(".") ? (isIPv4(tail, spelling) ? `${text.slice(0, -tail.length)}0:0` : "") : text
  const halves = groups.split("::")
  if (groups === "" || halves.length > 2) return false
  const parts = halves.flatMap(half => (half === "" ? [] : half.split(":")))
  if (!parts.every(part => /^[0-9a-fA-F]{1,4}$/.test(part))) return false
  return halves.length === 2 ? parts.length < 8 : parts.length === 8
}
