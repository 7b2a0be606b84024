// IP addresses and the names of hosts.
import { isIP } from "../../value/ip.js"
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
