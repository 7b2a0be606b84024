import { describe, expect, it } from "vitest"
import { differInTimesOnly } from "../../../src/managedfields/entries/times-only.js"
import type { MapValue } from "../../../src/value/value.js"
import { configMap, entriesOf, fieldManager, times } from "../notation.js"

const stored = (object: MapValue, ...entries: MapValue[]): MapValue => ({
  ...object,
  metadata: { name: "web", managedFields: entries },
})
const entry = (manager: string, time: string, fieldsV1: MapValue = { "f:data": {} }): MapValue => {
  return { manager, operation: "Apply", apiVersion: "v1", time, fieldsType: "FieldsV1", fieldsV1 }
}
const early = "2024-05-01T12:00:00Z"
const late = "2024-05-01T13:00:00Z"
const x = { apiVersion: "v1", kind: "ConfigMap", data: { x: "1" } }

describe("objects that differ in times only", () => {
  const before = stored(x, entry("a", early), entry("b", early))

  it.each([
    ["the time of one entry", stored(x, entry("a", early), entry("b", late)), true],
    ["nothing", stored(x, entry("a", early), entry("b", early)), false],
    ["a time and a value", stored({ ...x, data: { x: "2" } }, entry("a", early), entry("b", late)), false],
    ["a time and a field owned", stored(x, entry("a", early), entry("b", late, { "f:immutable": {} })), false],
    ["a time and the number of entries", stored(x, entry("a", late)), false],
    ["a time that moves its entry", stored(x, entry("b", early), entry("a", late)), false],
    ["a time, and a null for nothing", stored({ ...x, binaryData: null }, entry("a", early), entry("b", late)), false],
  ])("%s", (_, after, expected) => expect(differInTimesOnly(before, after)).toBe(expected))

  it("an object without entries never differs in times only", () => expect(differInTimesOnly(x, { ...x })).toBe(false))
})

describe("FieldManager", () => {
  /** Defaulting that undoes the effect of an apply, as the server's own types do with values that they write in another form. */
  const undoing = { defaults: (object: MapValue) => ({ ...object, data: { x: "1" } }) }
  const config = configMap({ x: "one" })
  const live = fieldManager(undoing).apply(undefined, config, { manager: "a" }).object

  it("returns the live object if only a time would change", () => {
    const again = fieldManager({ ...undoing, clock: () => new Date(late) }).apply(live, config, { manager: "a" })
    expect(again.object).toBe(live)
    expect(again.changed).toBe(false)
  })

  it("writes the time if an owner also changes", () => {
    const forced = fieldManager({ ...undoing, clock: () => new Date(late) })
    const { object, changed } = forced.apply(live, configMap({ x: "1", y: "2" }), { manager: "b", force: true })
    expect([changed, entriesOf(object).map(({ manager, time }) => `${manager} ${time}`)]).toEqual([
      true,
      ["a 2024-05-01T12:00:00Z", "b 2024-05-01T13:00:00Z"],
    ])
  })

  it("ignores times that an update has for other managers", () => {
    const entries = entriesOf(live).map(given => ({ ...given, time: late }))
    const next = { ...live, metadata: { ...live.metadata, managedFields: entries } }
    expect(fieldManager().update(live, next, { manager: "a" }).object).toBe(live)
    expect(times(fieldManager({ keepTimes: false }).update(live, next, { manager: "a" }).object)).toEqual([
      "a Apply 13:00",
    ])
  })

  it("leaves times to the storage if it is for one endpoint, as in an API server", () => {
    const kind = { apiVersion: "v1", kind: "ConfigMap" }
    const endpoint = fieldManager({ ...undoing, kind, clock: () => new Date(late) })
    expect(endpoint.apply(live, config, { manager: "a" }).changed).toBe(true)
    const withStorage = fieldManager({ ...undoing, kind, keepTimes: true, clock: () => new Date(late) })
    expect(withStorage.apply(live, config, { manager: "a" }).changed).toBe(false)
  })

  it("compares the result of `prepare`", () => {
    const requests: unknown[] = []
    const prepared = fieldManager({
      clock: () => new Date(late),
      prepare(object, before, request) {
        requests.push(request)
        return before === undefined ? object : { ...object, data: before.data ?? {} }
      },
    })
    const first = prepared.apply(undefined, config, { manager: "a" }).object
    const next = { ...first, data: { x: "two" } }
    expect(prepared.update(first, next, { manager: "c" }).changed).toBe(true) // c owns a field now
    const request = { apiVersion: "v1", kind: "ConfigMap", subresource: "" }
    expect(requests).toEqual([request, request])
    const again = prepared.update(first, { ...next, data: { x: "one" } }, { manager: "a" })
    expect(again.changed).toBe(false)
  })
})
