import { describe, expect, it } from "vitest"
import { ParseError } from "../../../src/errors.js"
import { decodeFields, encodeFields } from "../../../src/fieldpath/fieldsv1/object.js"
import { formatFieldsV1, parseFieldsV1 } from "../../../src/fieldpath/fieldsv1/text.js"
import { FieldSet } from "../../../src/fieldpath/set.js"
import { writeJson } from "../../../src/json/json.js"
import type { Value } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { inheritedKeys, json } from "../../value/samples.js"

// FieldsV1 as JSON, the FieldsV1 that is written for its set, and whether reading it found the usual form.
const readings: [text: string, written: string, canonical: boolean][] = [
  ["{}", "{}", true],
  ['{"f:a":{}}', '{"f:a":{}}', true],
  ['{"f:a":{},"f:b":{".":{},"f:c":{}}}', '{"f:a":{},"f:b":{".":{},"f:c":{}}}', true],
  ['{"f:l":{"k:{\\"k\\":\\"x\\"}":{".":{},"f:v":{}}}}', '{"f:l":{"k:{\\"k\\":\\"x\\"}":{".":{},"f:v":{}}}}', true],
  ['{"v:1":{},"v:\\"a\\"":{},"i:0":{}}', '{"v:1":{},"v:\\"a\\"":{},"i:0":{}}', true],
  ['{".":{},"f:a":{}}', '{"f:a":{}}', false],
  ['{".":{}}', "{}", false],
  ['{"f:b":{},"f:a":{}}', '{"f:a":{},"f:b":{}}', false],
  ['{"f:a":{".":{}}}', '{"f:a":{}}', false],
  ['{"f:a":{"f:b":{},".":{}}}', '{"f:a":{".":{},"f:b":{}}}', false],
  ['{"f:a":{".":{"x":1},"f:b":{}}}', '{"f:a":{".":{},"f:b":{}}}', false],
  ['{"f:a":{".":null,"f:b":{}}}', '{"f:a":{".":{},"f:b":{}}}', false],
  ['{"f:a":null}', '{"f:a":{}}', false],
  ['{"x:a":{"f:b":{}},"f:a":{}}', '{"f:a":{}}', false],
  ['{"f:a":{"x:b":{}}}', '{"f:a":{}}', false],
  ['{"v:1.0":{}}', '{"v:1":{}}', false],
  ['{"v:1.0":{},"v:1":{}}', '{"v:1":{}}', false],
  ['{"v:1":{"f:a":{}},"v:1.0":{"f:b":{}}}', '{"v:1":{"f:b":{}}}', false],
  ['{"v:-0":{},"v:0":{}}', '{"v:-0":{}}', false],
  ['{"v:9007199254740993":{}}', '{"v:9007199254740992":{}}', false],
  ["null", "{}", false],
]

describe("decodeFields", () => {
  it.each(readings)("reads %s", (text, written, canonical) => {
    for (const _ of ["new", "known"]) {
      const decoded = decodeFields(json(text))
      expect([formatFieldsV1(decoded.set), decoded.canonical]).toEqual([written, canonical])
      expect(decoded.set.equals(parseFieldsV1(text))).toBe(true)
    }
  })

  it.each([
    ['{"v:1.0":{"f:b":{}},"v:1":{"f:a":{}}}', '{"v:1":{"f:b":{}}}'],
    ['{"v:0":{},"v:-0":{}}', '{"v:-0":{}}'],
    ['{"f:a":{"k:{\\"b\\":1}":{"f:x":{}},"k:{ \\"b\\":1}":{"f:y":{}}}}', '{"f:a":{"k:{\\"b\\":1}":{"f:x":{}}}}'],
  ])("reads %s in the order of bytes, since the keys of an object have no order", (text, written) => {
    expect(formatFieldsV1(decodeFields(json(text)).set)).toBe(written)
    expect(formatFieldsV1(parseFieldsV1(text))).not.toBe(written)
  })

  it.each(inheritedKeys)("treats f:%s as an ordinary key", name => {
    expect(formatFieldsV1(decodeFields(json(`{"f:${name}":{"f:${name}":{}}}`)).set)).toBe(
      `{"f:${name}":{"f:${name}":{}}}`,
    )
    expect(() => decodeFields(json(`{"${name}":{}}`))).toThrow(ParseError)
  })

  it.each<[value: Value | undefined, message: RegExp]>([
    [undefined, /^ReadMapCB: expect { or n, but found \0/],
    [[], /^ReadMapCB: expect { or n, but found \[/],
    ["x", /^ReadMapCB: expect { or n, but found "/],
    [{ "f:a": 1 }, /^ReadMapCB: expect { or n, but found 1/],
    [{ "f:a": { "f:b": [] } }, /^ReadMapCB: expect { or n, but found \[/],
    [{ "f:a": {}, ab: {} }, /^parsing key as path element: missing colon: ab/],
    [{ "v:nope": {} }, /^parsing key as path element: skipFourBytes: expect null/],
  ])("refuses %j as the reader of texts does", (value, message) => {
    expect(() => decodeFields(deepFreeze(value))).toThrow(message)
    expect(() => decodeFields(deepFreeze(value))).toThrow(ParseError)
  })

  it("reads fields that nest as deep as values may", () => {
    const nested = (depth: number): Value => json(`${'{"f:a":'.repeat(depth)}{}${"}".repeat(depth)}`)
    for (const depth of [199, 200, 201, 1_000]) {
      expect(writeJson(encodeFields(decodeFields(nested(depth)).set))).toBe(writeJson(nested(depth)))
    }
    expect(() => decodeFields(nested(1_001))).toThrow("nests deeper than 1000 levels")
  })
})

describe("encodeFields", () => {
  it.each(readings)("writes the set of the text %s", (text, written) => {
    expect(writeJson(encodeFields(parseFieldsV1(text)))).toBe(written)
  })

  it("writes no fields for the empty set", () => {
    expect(encodeFields(FieldSet.empty)).toEqual({})
  })

  it("encodes canonical fields again with the same keys in the same order", () => {
    for (const [text] of readings.filter(([, , canonical]) => canonical)) {
      expect(writeJson(encodeFields(decodeFields(json(text)).set))).toBe(text)
    }
  })
})
