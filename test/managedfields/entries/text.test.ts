/** Tests the small modules: times, versions and kinds, identifiers of managers. */
import { describe, expect, it } from "vitest"
import { formatManager, managerId, parseManagerId } from "../../../src/managedfields/entries/manager-id.js"
import { compareTimes, formatTime, normalizeTime } from "../../../src/managedfields/entries/time.js"
import { formatApiVersion, formatKind, kindOf, parseKind, sameKind } from "../../../src/schema/group-version-kind.js"
import type { MapValue } from "../../../src/value/value.js"

describe("normalizeTime", () => {
  it.each([
    ["2024-05-01T12:00:00Z", "2024-05-01T12:00:00Z"],
    ["2024-05-01T12:00:00.987Z", "2024-05-01T12:00:00Z"],
    ["2024-05-01T12:00:00,5Z", "2024-05-01T12:00:00Z"],
    ["2024-05-01T1:00:00Z", "2024-05-01T01:00:00Z"],
    ["2024-05-01T01:00:00+02:30", "2024-04-30T22:30:00Z"],
    ["2024-12-31T23:00:00-02:00", "2025-01-01T01:00:00Z"],
    ["0999-01-01T00:00:00Z", "0999-01-01T00:00:00Z"],
  ])("reads %s", (text, time) => {
    expect(normalizeTime(text)).toBe(time)
  })

  it.each([
    "",
    "2024-05-01",
    "2024-05-01 12:00:00Z",
    "2024-05-01T12:00:00",
    "2024-5-1T12:00:00Z",
    "2024-02-30T12:00:00Z",
    "2024-13-01T12:00:00Z",
    "2024-05-01T24:00:00Z",
    "2024-05-01T12:60:00Z",
    "2024-05-01T12:00:00+25:00",
    "2024-05-01T12:00:00+01:60",
    "2024-05-01T12:00:00z",
  ])("refuses %j", text => {
    expect(normalizeTime(text)).toBeUndefined()
  })
})

describe("times", () => {
  it("are cut to the second", () => {
    expect(formatTime(new Date("2024-05-01T12:00:00.999Z"))).toBe("2024-05-01T12:00:00Z")
  })

  it("are ordered, with absent ones at the start of 1970", () => {
    const inOrder = ["1969-12-31T23:59:59Z", undefined, "1970-01-01T00:00:01Z", "2024-05-01T12:00:00Z"]
    expect(inOrder.toReversed().sort(compareTimesOfObjects)).toEqual([...inOrder.filter(Boolean), undefined])
    expect(compareTimes(undefined, "1970-01-01T00:00:00Z")).toBe(0)
    expect(inOrder.slice(1).map((time, i) => compareTimes(inOrder[i], time))).toEqual([-1, -1, -1])
  })
})

// Arrays sort undefined last, whatever the comparison returns.
function compareTimesOfObjects(a: string | undefined, b: string | undefined): number {
  return compareTimes(a, b)
}

describe("kinds", () => {
  it.each([
    ["v1", "Pod", "/v1, Kind=Pod", "v1"],
    ["apps/v1", "Deployment", "apps/v1, Kind=Deployment", "apps/v1"],
    ["/v1", "Pod", "/v1, Kind=Pod", "v1"],
    ["a/b/c", "Pod", "/, Kind=", ""],
    ["", "Pod", "/, Kind=Pod", ""],
  ])("%j %j", (apiVersion, kind, text, again) => {
    const parsed = parseKind(apiVersion, kind)
    expect(formatKind(parsed)).toBe(text)
    expect(formatApiVersion(parsed)).toBe(again)
    expect(sameKind(parsed, kindOf({ apiVersion, kind }))).toBe(true)
  })

  it("are empty for objects without them", () => {
    expect(formatKind(kindOf({ apiVersion: 1, kind: null }))).toBe("/, Kind=")
  })
})

describe("managerId", () => {
  it.each([
    [{ manager: "a", operation: "Update", apiVersion: "v1" }, '{"manager":"a","operation":"Update","apiVersion":"v1"}'],
    [{ manager: "a", operation: "Apply", apiVersion: "v1" }, '{"manager":"a","operation":"Apply"}'],
    [
      {
        subresource: "scale",
        manager: "a",
        operation: "Apply",
        apiVersion: "v1",
        time: "2024-05-01T12:00:00Z",
        fieldsType: "FieldsV1",
        fieldsV1: {},
      },
      '{"manager":"a","operation":"Apply","subresource":"scale"}',
    ],
    [{ operation: "Update", apiVersion: "v1" }, '{"operation":"Update","apiVersion":"v1"}'],
    [{ manager: '<"&\b>', operation: "Apply" }, '{"manager":"\\u003c\\"\\u0026\\b\\u003e","operation":"Apply"}'],
    [{}, "{}"],
  ])("of %j", (entry, id) => {
    expect(managerId(entry)).toBe(id)
  })

  it("is parsed again", () => {
    const entry = { manager: "a<", operation: "Update", apiVersion: "v1", subresource: "status" }
    expect(parseManagerId(managerId(entry))).toEqual(entry)
  })

  it.each(["a", "", "[]", '"a"', "1", '{"manager":1}', '{"time":"x"}'])("is not parsed from %j", text => {
    expect(parseManagerId(text)).toBeUndefined()
  })
})

describe("formatManager", () => {
  const time = "2001-02-03T04:05:06Z"
  it.each<[string | MapValue, string]>([
    ["nobody \u0001", '"nobody \\x01"'],
    ["null", '""'],
    [{ manager: "a", operation: "Apply" }, '"a"'],
    [{ manager: "a", operation: "Apply", time }, '"a"'],
    [{ manager: "a", operation: "Apply", subresource: "status" }, '"a" with subresource "status"'],
    [{ manager: "a", operation: "Update", apiVersion: "v1" }, '"a" using v1'],
    [{ manager: "a", operation: "Update", apiVersion: "v1", time }, `"a" using v1 at ${time}`],
    [
      { manager: "a", operation: "Update", apiVersion: "v1", time: "2001-02-03T05:05:06+01:00" },
      `"a" using v1 at ${time}`,
    ],
    [
      { manager: 'a"', operation: "Update", apiVersion: "v1", subresource: "scale" },
      '"a\\"" with subresource "scale" using v1',
    ],
  ])("of %j", (id, text) => {
    expect(formatManager(typeof id === "string" ? id : JSON.stringify(id))).toBe(text)
  })
})
