import { describe, expect, it } from "vitest"
import { hasFormat, isKnownFormat } from "../../../src/kinds/structural/formats.js"

describe("hasFormat", () => {
  // The answers of k8s.io/kube-openapi/pkg/validation/strfmt.
  it.each<[format: string, valid: string[], invalid: string[]]>([
    [
      "bsonobjectid",
      ["507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011"],
      ["507f1f77bcf86cd79943901", "507f1f77bcf86cd79943901g"],
    ],
    [
      "uri",
      [
        "http://a/b",
        "/a",
        "*",
        "http://a:80/",
        "http://[::1]:80/",
        "/%41",
        "mailto:a@b",
        "//a/b",
        "http://u@h/",
        "a:b",
      ],
      ["a", "", "http://a:x/", "http://[::1]x/", "http://a/%zz", "http://a b/", "http://a/\u0001", "1a:b"],
    ],
    ["email", ["a@b", "a@b.c", "A <a@b>", '"a b"@c', "<a@b>", "a.b@c", " a@b "], ["a", "@b", "a b@c", "a..b@c"]],
    ["hostname", ["a", "a-", "a".repeat(63), "A", "1", "é"], ["a.b", "a_b", "-a", "a.", "a".repeat(64), ".a"]],
    ["ipv4", ["1.2.3.4", "010.0.0.1", "::ffff:1.2.3.4"], ["1.2.3", "256.0.0.1", "::1"]],
    [
      "ipv6",
      ["::1", "1::2", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"],
      ["1.2.3.4", "g::1", "1:2:3:4:5:6:7:8:9", "::1%eth0", "::ffff:010.2.3.4"],
    ],
    [
      "cidr",
      ["10.0.0.0/8", "::/128", "010.0.0.0/8", "10.0.0.0/08"],
      ["10.0.0.0/33", "10.0.0.0", "::/129", "10.0.0.0/", "10.0.0.0/-1"],
    ],
    [
      "mac",
      [
        "00:00:5e:00:53:01",
        "00-00-5e-00-53-01",
        "0000.5e00.5301",
        "02:00:5e:10:00:00:00:01",
        "0200.5e10.0000.0001",
        "00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01",
        "0000.0000.fe80.0000.0000.0000.0200.5e10.0000.0001",
      ],
      ["00:00:5e:00:53", "00:00:5e-00:53:01", "0000.5e00.530", "0.0.5301", "00:00:5E:00:53:0G", "0000.5e00"],
    ],
    [
      "uuid",
      [
        "a8098c1a-f86e-11da-bd1a-00112444be1e",
        "a8098c1af86e11dabd1a00112444be1e",
        "A8098C1A-F86E-11DA-BD1A-00112444BE1E",
      ],
      ["a8098c1a-f86e-11da-bd1a-00112444be1", "a8098c1a-f86e-11da-bd1a-00112444be1g", ""],
    ],
    ["uuid3", ["bcd02e22-68f0-3046-a512-327cca9def8f"], ["a8098c1a-f86e-11da-bd1a-00112444be1e"]],
    [
      "uuid4",
      ["025b0d74-00a2-4048-bf57-227c5111bb34"],
      ["025b0d74-00a2-4048-7f57-227c5111bb34", "a8098c1a-f86e-11da-bd1a-00112444be1e"],
    ],
    ["uuid5", ["886313e1-3b8a-5372-9b90-0c9aee199e5d"], ["886313e1-3b8a-5372-cb90-0c9aee199e5d"]],
    ["isbn", ["0321751043", "978-0321751041", "080442957X"], ["0321751044", "9780321751042", "x"]],
    ["isbn10", ["0321751043", "0 3217 5104-3"], ["978-0321751041"]],
    ["isbn13", ["978-0321751041", "978 0321751041"], ["0321751043"]],
    [
      "creditcard",
      [
        "4111-1111-1111-1111",
        "5500000000000004",
        "340000000000009",
        "6011000000000004",
        "30000000000004",
        "3530111333300000",
      ],
      ["4111-1111-1111-1112", "4"],
    ],
    ["ssn", ["111-11-1111", "111 11 1111"], ["11111-1111", "111111111", "111-11-11111", "a11-11-1111"]],
    ["hexcolor", ["#fff", "fff", "#FFFFFF"], ["#ffff", "#ggg"]],
    [
      "rgbcolor",
      ["rgb(0,0,0)", "rgb( 1 , 2 , 3 )", "rgb(255,255,255)", "rgb(199,10,9)"],
      ["rgb(256,0,0)", "rgb(01,0,0)", "RGB(0,0,0)"],
    ],
    ["byte", ["YQ==", "YWI=", "YWJj"], ["YQ=", "", "a", "YQ==YQ=="]],
    [
      "date",
      ["2020-02-29", "2000-02-29"],
      ["2021-02-29", "1900-02-29", "2020-13-01", "2020-00-10", "2020-01-32", "2020-1-1", "2020-04-31", "2020-01-00"],
    ],
    [
      "duration",
      ["1h", "1 h", "1.5h", "0", "1d", "1 week", "3 us", "1nanos", "-1h", "1 µs", "1h1m", "1hours", ".5s", "+1s"],
      ["1", "1 foo", "1 hrs", "1 ds", "", "h"],
    ],
    [
      "datetime",
      [
        "2020-01-01T00:00:00Z",
        "2020-01-01T00:00:00z",
        "2020-01-01t00:00:00+01:00",
        "2020-01-01T00:00:00.123Z",
        "2020-01-01T00:00:00x1Z",
      ],
      [
        "2020-01-01T24:00:00Z",
        "2020-01-01T23:60:00Z",
        "2020-01-01T23:59:60Z",
        "2020-01-01T00:00:00",
        "2020-01-01",
        "2020-02-30T00:00:00Z",
        "2020-01-01T00:00:00.Z",
      ],
    ],
    ["k8s-short-name", ["a", "a".repeat(63)], ["A", "a.b", "a".repeat(64), "-a"]],
    ["k8s-long-name", ["a.b", "a".repeat(253)], ["A.b", "a".repeat(254), "a..b"]],
  ])("%s", (format, valid, invalid) => {
    expect(isKnownFormat(format)).toBe(true)
    expect(valid.filter(text => !hasFormat(text, format))).toEqual([])
    expect(invalid.filter(text => hasFormat(text, format))).toEqual([])
  })

  it("accepts every text for a password, and for formats that are not checked", () => {
    expect(hasFormat("", "password")).toBe(true)
    expect(hasFormat("x", "int32")).toBe(true)
    expect(isKnownFormat("int32")).toBe(false)
    expect(isKnownFormat("constructor")).toBe(false)
  })

  it("ignores dashes in the name of a format", () => {
    expect(hasFormat("x", "i-p-v4")).toBe(false)
    expect(isKnownFormat("date-time")).toBe(true)
  })
})
