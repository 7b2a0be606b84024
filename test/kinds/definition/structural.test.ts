/** Which schemas of definitions are structural, with the messages of apiextensions-apiserver. */
import { describe, expect, it } from "vitest"
import { checkDefinition } from "../../../src/kinds/definition/problems.js"
import type { MapValue } from "../../../src/value/value.js"
import { definitionOf } from "../../support/definition.js"

function problemsOf(properties: MapValue): string[] {
  const root = "spec.validation.openAPIV3Schema."
  const { errors } = checkDefinition(definitionOf("Widget", { group: "example.org", schema: { properties } }))
  return errors.map(({ field, message }) => `${field.replace(root, "")}: ${message}`)
}

const embedded = { type: "object", "x-kubernetes-embedded-resource": true }
const preserving = { "x-kubernetes-preserve-unknown-fields": true }

describe("a schema", () => {
  it.each<[MapValue, string[]]>([
    [{ a: { ...embedded, ...preserving } }, []],
    [{ a: { ...embedded, properties: { x: { type: "string" } } } }, []],
    [
      { a: embedded },
      [
        "properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ],
    ],
    [
      { a: { ...embedded, ...preserving, type: "string" } },
      ['properties[a].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true'],
    ],
    [
      { a: { "x-kubernetes-embedded-resource": true, ...preserving } },
      ["properties[a].type: Required value: must be object if x-kubernetes-embedded-resource is true"],
    ],
    [
      { a: { ...embedded, ...preserving, properties: { kind: { type: "integer" }, apiVersion: { type: "string" } } } },
      ['properties[a].properties[kind].type: Invalid value: "integer": must be string'],
    ],
    [
      { a: { ...embedded, ...preserving, properties: { metadata: { type: "array", items: { type: "string" } } } } },
      ['properties[a].properties[metadata].type: Invalid value: "array": must be object'],
    ],
    [{ a: { type: "object", additionalProperties: { type: "string" } } }, []],
    [
      { a: { type: "object", additionalProperties: {} } },
      ["properties[a].additionalProperties.type: Required value: must not be empty for specified object fields"],
    ],
    [{ a: { type: "array" } }, ["properties[a].items: Required value: must be specified"]],
    [
      { a: { type: "array", items: {} } },
      ["properties[a].items.type: Required value: must not be empty for specified array items"],
    ],
    [{ a: { "x-kubernetes-int-or-string": true } }, []],
    [
      { a: { "x-kubernetes-int-or-string": true, ...preserving } },
      [
        "properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true",
      ],
    ],
    [
      { a: { type: "string", anyOf: [{ type: "string" }] } },
      ["properties[a].anyOf[0].type: Forbidden: must be empty to be structural"],
    ],
    // Defaults are checked only if everything has a type.
    [
      { a: { type: "integer", default: "x" } },
      ['properties[a].default: Invalid value: "string":  in body must be of type integer: "string"'],
    ],
    [
      { a: { type: "integer", default: "x" }, b: {} },
      ["properties[b].type: Required value: must not be empty for specified object fields"],
    ],
  ])("%j", (properties, problems) => {
    expect(problemsOf(properties)).toEqual(problems)
  })
})
