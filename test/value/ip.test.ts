import { describe, expect, it } from "vitest"
import { isIP, isIPv4, isIPv6 } from "../../src/value/ip.js"

describe("IP addresses", () => {
  it.each([
    "10.0.0.1",
    "0.0.0.0",
    "255.255.255.255",
    "::",
    "::1",
    "2001:db8::FFFF",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7::",
  ])("include %s", text => expect(isIP(text)).toBe(true))

  it.each(["::ffff:10.0.0.1", "1:2:3:4:5:6:10.0.0.1"])("may end with an IPv4 address: %s", text => {
    expect([isIP(text), isIPv6(text), isIPv4(text)]).toEqual([true, true, false])
  })

  it.each([
    "",
    "10.0.0",
    "10.0.0.256",
    "10.0.0.1.",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7:8:9",
    "12345::",
    "10.0.0.1::",
    "fe80::1%eth0",
  ])("do not include %j", text => expect(isIP(text)).toBe(false))

  it.each(["::1]:80", "::1\n"])("do not include more than an address: %j", text => {
    expect(isIP(text)).toBe(false)
  })

  it("may have leading zeros only if the option allows it", () => {
    for (const text of ["010.0.0.1", "::ffff:010.0.0.1"]) {
      expect([isIP(text), isIP(text, { leadingZeros: true })]).toEqual([false, true])
    }
  })
})
