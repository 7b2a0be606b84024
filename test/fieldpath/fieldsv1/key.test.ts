import { describe, expect, it } from "vitest"
import { ParseError } from "../../../src/errors.js"
import { formatElement, type PathElement } from "../../../src/fieldpath/element.js"
import { elementOfBytes, knownKey } from "../../../src/fieldpath/fieldsv1/key.js"

/** Finds the element of a key of JSON between other bytes, which are given with their ASCII text or without it. */
function find(key: string, hash: number, ascii = true): PathElement | undefined {
  const bytes = new TextEncoder().encode(`{"${key}"`)
  return elementOfBytes(bytes, 2, bytes.length - 1, hash, ascii ? `{"${key}"` : null)
}

describe("elementOfBytes", () => {
  it.each([
    ["f:a", ".a"],
    ["f:\\u0041\\n", ".A\n"],
    ['k:{\\"name\\":\\"x\\"}', '[name="x"]'],
    ['k:{\\"n\\":1,\\"name\\":\\"x\\"}', '[n=1,name="x"]'],
    ["v:1.5", "[=1.5]"],
    ["i:3", "[3]"],
  ])("reads %j", (key, shown) => {
    for (const ascii of [true, false, true]) {
      expect(formatElement(find(key, 1, ascii) as PathElement)).toBe(shown)
    }
  })

  it.each(["", "f", "x:a", "v:nope", "v:", "i:x", 'k:{\\"a\\":', "f:\\ud83d", "f:\\ud83d\\ude00", 'v:\\"\\uDE00\\"'])(
    "leaves %j to the careful reader",
    key => {
      expect([find(key, 2), find(key, 2, false)]).toEqual([undefined, undefined])
    },
  )

  it("distinguishes keys with the same hash", () => {
    const keys = ["f:a", "f:b", "f:ab", "f:ba", "v:1.5", "v:1.6", "v:6.1"]
    const shown = [".a", ".b", ".ab", ".ba", "[=1.5]", "[=1.6]", "[=6.1]"]
    for (const _ of [1, 2]) expect(keys.map(key => formatElement(find(key, 3) as PathElement))).toEqual(shown)
  })

  it("returns the same object for the same key, as knownKey does", () => {
    const key = 'k:{\\"port\\":80,\\"protocol\\":\\"TCP\\"}'
    const found = find(key, 4) as PathElement
    for (const again of [find(key, 4), find(key, 4, false), find(key, 5)]) expect(again).toBe(found)
    expect(knownKey('k:{"port":80,"protocol":"TCP"}')?.element).toBe(found)
  })
})

describe("knownKey", () => {
  it.each([
    ["f:a", true],
    ["v:1", true],
    ["v:1.0", false],
    ['k:{"b":1,"a":2}', false],
    ["v:9007199254740992", false],
  ])("knows whether %s is canonical", (text, canonical) => {
    for (const _ of ["new", "known"]) expect(knownKey(text)?.canonical).toBe(canonical)
  })

  it("returns undefined for unknown kinds, and refuses malformed keys", () => {
    expect(knownKey("x:a")).toBeUndefined()
    expect(() => knownKey("v:nope")).toThrow(ParseError)
    expect(() => knownKey(`v:${"9".repeat(400)}`)).toThrow("value out of range")
    expect(() => knownKey(`v:${"9".repeat(250)}e99`)).toThrow("value out of range")
  })
})
