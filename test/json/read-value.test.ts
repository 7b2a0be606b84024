import { describe, expect, it } from "vitest"
import { ParseError } from "../../src/errors.js"
import { readValue, skipValue } from "../../src/json/read-value.js"
import { JsonReader } from "../../src/json/reader.js"
import type { Value } from "../../src/value/value.js"

/** Reads all of a text, as a whole and through windows of each size up to its length. */
function read<T>(text: string, how: (reader: JsonReader) => T): T[] {
  return Array.from({ length: text.length + 1 }, (_, window) => {
    const reader = new JsonReader(text, { window })
    const result = how(reader)
    reader.expectEnd()
    return result
  })
}

describe("readValue and skipValue", () => {
  it.each<[text: string, value: Value]>([
    ["null", null],
    [" [true, false ] ", [true, false]],
    ["12", 12],
    ["-0.5e3", -500],
    ["9007199254740993", 9007199254740993n],
    ['"a\\n\\u00e9\\ud83d\\ude00z"', "a\né\u{1f600}z"],
    ['{"a": [1, {"b": {}}, []], "c": "d"}', { a: [1, { b: {} }, []], c: "d" }],
  ])("accept %j, however it arrives", (text, value) => {
    expect(read(text, readValue)).toEqual(new Array(text.length + 1).fill(value))
    expect(read(text, skipValue)).toHaveLength(text.length + 1)
  })

  it.each<[text: string, reading: RegExp, skipping: RegExp]>([
    ['{"a" 1}', /^ReadMapCB: expect : after object field, but found "/, /^ReadObject: expect : after .* found 1/],
    ["{a}", /^ReadMapCB: expect " after {, but found a/, /^ReadObjectCB: expect " after {, but found a/],
    ["nope", /^skipFourBytes: expect null/, /^skipThreeBytes: expect ull/],
    ["!", /^Read: unexpected value type: 0/, /^Skip: do not know how to skip: 33/],
    ['"\u0001"', /^ReadString: invalid control character/, /^trySkipString: invalid control character/],
    ["01", /^readFloat64: leading zero/, /^readFloat32: leading zero/],
    ["1.2.3", /^strconv.ParseFloat: parsing "1.2.3": invalid syntax/, /^validateNumber: more than one dot/],
    ["0.1e999", /^strconv.ParseFloat: .* value out of range/, /^strconv.ParseFloat: .* value out of range/],
    ["[-]", /^readFloat64: empty number/, /^readNumberAsString: invalid number/],
    ["[-e]", /^strconv.ParseFloat: parsing "e": invalid syntax/, /^readNumberAsString: invalid number/],
    ["-.", /^readFloat64: leading dot is invalid/, /^number has no digits/],
  ])("refuse %j, each with its own message", (text, reading, skipping) => {
    const message = (how: (reader: JsonReader) => unknown) => {
      try {
        read(text, how)
        return "nothing wrong"
      } catch (error) {
        expect(error).toBeInstanceOf(ParseError)
        return (error as ParseError).message
      }
    }
    expect(message(readValue)).toMatch(reading)
    expect(message(skipValue)).toMatch(skipping)
  })

  it("accept 0.1e40, which is beyond 32 bits, only where its value is kept", () => {
    expect(read("0.1e40", readValue)[0]).toBe(1e39)
    expect(() => skipValue(new JsonReader("0.1e40"))).toThrow(
      'strconv.ParseFloat: parsing "0.1e40": value out of range',
    )
    expect(() => skipValue(new JsonReader("0.1e30"))).not.toThrow()
  })

  it.each(["-05", "-.5", "12", "-3.25"])("skip %s, which comes before something else", number => {
    for (const end of [",", "]", "}", " "]) {
      const reader = new JsonReader(`${number}${end}`)
      skipValue(reader)
      expect(reader.head).toBe(number.length)
    }
  })
})

it.each(["[]", "{}", "[1]", '{"a":1}', '{"a":{},"b":[]}'])("a settled union does not count as unsettled: %s", done => {
  const text = `[${`${done},`.repeat(10_001)}"last"]`
  for (const window of [0, 4096]) {
    expect(readValue(new JsonReader(text, { window }))).toHaveLength(10_002)
    expect(() => skipValue(new JsonReader(text, { window }))).not.toThrow()
  }
})
