import { describe, expect, it } from "vitest"
import { ValidationError } from "../../src/errors.js"
import { plainMessage, plainProblem } from "../../src/io/plain-message.js"
import { parseYamlWithPositions } from "../../src/io/yaml.js"
import { parseTypes } from "../../src/typed/parser.js"
import { TypedValue } from "../../src/typed/typed-value.js"
import { own } from "../../src/value/object.js"
import type { MapValue } from "../../src/value/value.js"

const schema = parseTypes({
  types: [
    {
      name: "t",
      map: {
        fields: [
          { name: "text", type: { scalar: "string" } },
          { name: "number", type: { scalar: "numeric" } },
          { name: "flag", type: { scalar: "boolean" } },
          { name: "any", type: { scalar: "untyped" } },
          { name: "map", type: { map: { elementType: { scalar: "string" } } } },
          { name: "list", type: { list: { elementType: { scalar: "string" }, elementRelationship: "atomic" } } },
        ],
      },
    },
  ],
})

/** Returns the plain message about the field of a document with one field. */
function plain(text: string): string {
  const [document] = parseYamlWithPositions(text)
  const value = document?.value as MapValue
  const [key = ""] = Object.keys(value)
  const range = document?.placeOf([key])?.value
  try {
    TypedValue.of(value, schema.type("t"))
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const written = { value: text.slice(range?.start.offset, range?.end.offset) }
    return plainMessage(error.issues[0]?.message ?? "", own(value, key), written)
  }
  return ""
}

describe("plainMessage", () => {
  it.each([
    ["text: on", "`on` means true in YAML 1.1; quote it"],
    ["text: No", "`No` means false in YAML 1.1; quote it"],
    ["text: true", "must be text, not the boolean true; quote it"],
    ["text: 8080", "must be text, not the number 8080; quote it"],
    ["text: 010", "`010` means 8 in YAML 1.1; quote it"],
    ["text: 1.50", "`1.50` means 1.5 in YAML 1.1; quote it"],
    ["text: {a: b}", "must be text, not a map"],
    ["text: [a]", "must be text, not a list"],
    ['number: "3"', 'must be a number, not the text "3"; remove the quotes'],
    ["number: many", 'must be a number, not the text "many"'],
    ["number: yes", "must be a number, not the boolean true"],
    ['flag: "true"', 'must be true or false, not the text "true"; remove the quotes'],
    ["flag: 1", "must be true or false, not the number 1"],
    ["map: a", 'must be a map, not the text "a"'],
    ["map: [a]", "must be a map, not a list"],
    ["list: {a: b}", "must be a list, not a map"],
    ["any: {a: b}", "must be a single value, not a map"],
  ])("puts the problem of %s in plain words", (text, message) => {
    expect(plain(text)).toBe(message)
  })

  it("names the keys that an item lacks", () => {
    const one = `element 0: associative list with keys has an element that omits key field "name" (and doesn't have default value)`
    expect(plainMessage(one, {})).toBe("element 0: each item of this list needs name")
  })

  it("keeps other messages, and messages about values that are not known", () => {
    expect(plainMessage("field not declared in schema", 1)).toBe("field not declared in schema")
    expect(plainMessage("expected map, got &{1}", undefined)).toBe("expected map, got &{1}")
  })

  it("knows keys that YAML 1.1 reads as something else", () => {
    const problem = { path: ".data.true", message: "field not declared in schema" }
    expect(plainProblem(problem, "true", 1, { key: "on" })).toEqual({
      path: ".data.on",
      message: "field not declared in schema; the key `on` means true in YAML 1.1, unless it is quoted",
    })
    expect(plainProblem(problem, "true", 1, { key: "true" })).toEqual(problem)
    expect(plainProblem(problem, "true", 1, { key: '"true"' })).toEqual(problem)
    expect(plainProblem(problem, 0, 1)).toEqual(problem)
  })
})
