import { describe, expect, it } from "vitest"
import { decodeFields, encodeFields } from "../../../src/fieldpath/fieldsv1/object.js"
import { formatFieldsV1, parseFieldsV1 } from "../../../src/fieldpath/fieldsv1/text.js"
import { readEntries, readManagedFields } from "../../../src/managedfields/entries/entry.js"
import { decodeManagedFields, encodeManagedFields, withoutTimes } from "../../../src/managedfields/entries/managed.js"
import type { Value } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { configMap, entry, managedBy, messageOf } from "../notation.js"

describe("fieldsV1", () => {
  it.each([
    "{}",
    '{"f:a":{}}',
    '{"f:a":{".":{},"f:b":{}},"f:c":{}}',
    '{"f:a":{"k:{\\"name\\":\\"x\\",\\"port\\":80}":{".":{},"f:name":{}}}}',
    '{"f:a":{"v:1":{},"v:1.5":{},"v:\\"a\\"":{},"v:true":{}}}',
    '{"f:a":{"i:0":{},"i:10":{}}}',
    '{"f:":{},"f:<&>":{},"f:__proto__":{"f:constructor":{}},"f:ü":{}}',
    '{"f:a":{},"k:{\\"a\\":1}":{},"v:null":{},"i:-1":{}}',
  ])("is read and written again: %s", text => {
    const { set, canonical } = decodeFields(JSON.parse(text) as Value)
    expect(formatFieldsV1(set)).toBe(text)
    expect(JSON.stringify(encodeFields(set))).toBe(text)
    expect(canonical).toBe(true)
  })

  it.each([
    ["keys out of order", '{"f:b":{},"f:a":{}}'],
    ['a "." that is not the first key', '{"f:a":{"f:b":{},".":{}}}'],
    ['a "." with something in it', '{"f:a":{".":{"f:x":{}},"f:b":{}}}'],
    ['a "." alone', '{"f:a":{".":{}}}'],
    ["a kind of key that is unknown", '{"f:a":{},"x:b":{"f:c":{}}}'],
    ["a key with spaces", '{"f:a":{"k:{ \\"b\\": 1}":{}}}'],
    ["two spellings of one key, in the order of bytes", '{"k:{ \\"b\\":1}":{"f:x":{}},"k:{\\"b\\":1}":{"f:y":{}}}'],
    ["keys of one item in another order", '{"f:a":{"k:{\\"c\\":1,\\"b\\":1}":{}}}'],
    ["null", '{"f:a":null}'],
    ["a number that equals others", '{"f:a":{"v:9007199254740992":{}}}'],
  ])("is not canonical with %s, but read like the text", (_, text) => {
    const { set, canonical } = decodeFields(JSON.parse(text) as Value)
    expect(canonical).toBe(false)
    expect(formatFieldsV1(set)).toBe(formatFieldsV1(parseFieldsV1(text)))
  })

  it("may nest deeply", () => {
    const deep = `${'{"f:a":'.repeat(400)}{}${"}".repeat(400)}`
    expect(formatFieldsV1(decodeFields(JSON.parse(deep) as Value).set)).toBe(deep)
  })

  it.each<[Value | undefined, string]>([
    [
      { "f:a": 1 },
      'ReadMapCB: expect { or n, but found 1, error found in #8 byte of ...|{"f:a":1}|..., bigger context ...|{"f:a":1}|...',
    ],
    [
      "f:a",
      'ReadMapCB: expect { or n, but found ", error found in #1 byte of ...|"f:a"|..., bigger context ...|"f:a"|...',
    ],
    [[], "ReadMapCB: expect { or n, but found [, error found in #1 byte of ...|[]|..., bigger context ...|[]|..."],
    [
      undefined,
      "ReadMapCB: expect { or n, but found \u0000, error found in #0 byte of ...||..., bigger context ...||...",
    ],
    [
      { "f:a": {}, "k:x": {} },
      'parsing key as path element: ReadObjectCB: expect { or n, but found x, error found in #1 byte of ...|x|..., bigger context ...|x|..., error found in #10 byte of ...|:{},"k:x":{}}|..., bigger context ...|{"f:a":{},"k:x":{}}|...',
    ],
  ])("is malformed: %j", (fields, message) => {
    expect(messageOf(() => decodeFields(fields))).toBe(message)
  })
})

describe("readManagedFields", () => {
  it("returns entries in the usual form unchanged", () => {
    const given = entry("a Apply/status v1", { "f:data": {} }, "2024-05-01T12:00:00Z")
    expect(readManagedFields(managedBy(configMap({}), given))?.[0]).toBe(given)
  })

  it.each(["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])("accepts the time %s", time => {
    expect(readEntries([{ manager: "a", time }])).toEqual([{ manager: "a", time }])
  })

  it("leaves out unknown keys, even if nothing else changes", () => {
    const given = entry("a Apply v1", { "f:data": {} }, "2024-05-01T12:00:00Z")
    expect(readEntries([{ ...given, note: "x" }])).toEqual([given])
  })

  it("leaves out unknown and empty keys, and normalizes times", () => {
    const written = {
      note: "x",
      subresource: "",
      fieldsV1: null,
      fieldsType: null,
      time: "2024-05-01T12:00:00.5+01:00",
      manager: "a",
    }
    expect(readEntries([written])).toEqual([{ manager: "a", time: "2024-05-01T11:00:00Z" }])
  })

  it.each<[string, Value]>([
    ["an entry is no map", ["a"]],
    ["an entry is null", [null]],
    ["a name is not a string", [{ manager: 1 }]],
    ["a time is none", [{ time: "yesterday" }]],
    ["a time is after the year 9999", [{ time: "9999-12-31T23:59:59-01:00" }]],
    ["a time is before the year 0", [{ time: "0000-01-01T00:00:00+01:00" }]],
    ["a time is of the year 10000", [{ time: "+010000-01-01T00:00:00Z" }]],
    ["a time is empty", [{ time: "" }]],
    ["a time is a number", [{ time: 1 }]],
    ["they are no list", { manager: "a" }],
    ["they are null", null],
  ])("finds none if %s", (_, managedFields) => {
    expect(readManagedFields(configMap({}, { managedFields }))).toBeUndefined()
  })

  it("finds none in an object without metadata", () => {
    expect(readManagedFields({})).toBeUndefined()
    expect(readManagedFields({ metadata: null })).toBeUndefined()
    expect(readManagedFields({ metadata: "x" })).toBeUndefined()
  })
})

describe("decodeManagedFields", () => {
  it("distinguishes managers by name, operation, version of an update, and subresource", () => {
    const ids = ["a Apply v1", "a Apply/status v1", "a Update v1", "a Update v2", "a Update/status v1", "b Update v1"]
    expect(decodeManagedFields(ids.map(id => entry(id, {}))).fields.size).toBe(ids.length)
  })

  it("uses the last of several entries of a manager", () => {
    const { fields, times } = decodeManagedFields([
      entry("a Apply v1", { "f:x": {} }, "2024-05-01T12:00:00Z"),
      entry("a Apply v2", { "f:y": {} }),
    ])
    const [only] = fields.values()
    expect([only?.apiVersion, only?.set.toString(), fields.size, times.size]).toEqual(["v2", ".y", 1, 0])
  })

  it("treats absent fields as an empty set", () => {
    const { fieldsV1: _, ...bare } = entry("a Apply v1", {})
    const [only] = decodeManagedFields([bare]).fields.values()
    expect(only?.set.isEmpty()).toBe(true)
  })

  it.each([
    [{ operation: "" }, "operation must be `Apply` or `Update`"],
    [{ operation: "apply" }, "operation must be `Apply` or `Update`"],
    [{ apiVersion: "" }, "apiVersion must not be empty"],
    [{ fieldsType: "" }, "missing fieldsType in managed fields entry 1"],
    [{ fieldsType: 'Fields"V2' }, 'invalid fieldsType "Fields\\"V2" in managed fields entry 1'],
    [
      { fieldsV1: { "f:<": 1 }, time: "2024-05-01T12:00:00Z", subresource: "status" },
      'error decoding versioned set from {a Update v1 2024-05-01 12:00:00 +0000 UTC FieldsV1 {"f:\\u003c":1} status}: error decoding set: ReadMapCB: expect { or n, but found 1, error found in #10 byte of ...|:\\u003c":1}|..., bigger context ...|{"f:\\u003c":1}|...',
    ],
    [
      { fieldsV1: 0, manager: "" },
      "error decoding versioned set from { Update v1 <nil> FieldsV1 0 }: error decoding set: ReadMapCB: expect { or n, but found 0, error found in #1 byte of ...|0|..., bigger context ...|0|...",
    ],
    [
      { fieldsV1: 0 },
      "error decoding versioned set from {a Update v1 <nil> FieldsV1 0 }: error decoding set: ReadMapCB: expect { or n, but found 0, error found in #1 byte of ...|0|..., bigger context ...|0|...",
    ],
  ])("refuses an entry with %j", (change, message) => {
    const entries = [entry("b Apply v1", {}), { ...entry("a Update v1", {}), ...change }]
    expect(messageOf(() => decodeManagedFields(entries))).toBe(message)
  })
})

describe("encodeManagedFields", () => {
  const inOrder = deepFreeze([
    entry("z Apply v1", { "f:a": {} }),
    entry("a Apply v1", { "f:a": {} }, "2024-05-01T12:00:00Z"),
    entry("a Apply/status v1", { "f:a": {} }, "2024-05-01T12:00:00Z"),
    entry("b Apply v1", { "f:a": {} }, "2024-05-01T12:00:00Z"),
    entry("x Update v1", { "f:a": {} }),
    entry("b Update v1", { "f:a": {} }, "2024-05-01T11:00:00Z"),
    entry("a Update v1", { "f:a": {} }, "2024-05-01T12:00:00Z"),
    entry("a Update/Scale v1", { "f:a": {} }, "2024-05-01T12:00:00Z"),
    entry("a Update/scale v1", { "f:a": {} }, "2024-05-01T12:00:00Z"),
    entry("a Update v2", { "f:a": {} }, "2024-05-01T12:00:00Z"),
    entry("\uffff Update v1", { "f:a": {} }, "2024-05-01T12:00:00Z"),
    entry("\u{1f600} Update v1", { "f:a": {} }, "2024-05-01T12:00:00Z"),
  ])

  it("sorts by operation, time, name, version and subresource", () => {
    for (const given of [inOrder, inOrder.toReversed(), inOrder.toSorted(() => -1)]) {
      expect(encodeManagedFields(decodeManagedFields(given))).toEqual(inOrder)
    }
  })

  it("reuses unchanged entries", () => {
    encodeManagedFields(decodeManagedFields(inOrder)).forEach((encoded, i) => expect(encoded).toBe(inOrder[i]))
  })

  it("reuses the fields of an entry if something else changed", () => {
    const managed = decodeManagedFields(inOrder)
    const [first] = encodeManagedFields({ ...managed, times: new Map() })
    expect(first?.fieldsV1).toBe(inOrder.find(({ manager }) => manager === first?.manager)?.fieldsV1)
    expect(first).not.toHaveProperty("time")
  })

  it("orders entries without times as if they never had any", () => {
    const managed = decodeManagedFields(inOrder)
    expect(withoutTimes(inOrder)).toEqual(encodeManagedFields({ ...managed, times: new Map() }))
  })

  it("encodes everything if there are no decoded entries", () => {
    expect(encodeManagedFields({ ...decodeManagedFields(inOrder), sources: new Map() })).toEqual(inOrder)
  })

  it("returns no entries for no managers", () => {
    expect(encodeManagedFields(decodeManagedFields([]))).toEqual([])
  })
})
