// IP addresses and the names of hosts.
import type { Field } from "./field.js"
import { dnsSubdomain } from "./names.js"

/** Checks an IP address. */
export function checkAddress(address: Field): void {
  if (!isAddress(address.text)) {
    address.invalid("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)", address.text)
  }
}

/** Whether the text is an IP address. */
export function isAddress(text: string): boolean {
  if (text.includes(":")) return URL.canParse(`http://[${text}]/`)
  const parts = text.split(".")
  return parts.length === 4 && parts.every(part => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

/** Checks the DNS name of a point of entry, if it has one. */
export function checkHostname(hostname: Field): void {
  if (hostname.text === "") return
  hostname.check(dnsSubdomain)
  if (isAddress(hostname.text)) hostname.invalid("must be a DNS name, not an IP address")
}
