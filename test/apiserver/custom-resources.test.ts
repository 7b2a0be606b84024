// Cases of custom resources that the recorded answers in test/vectors do not cover.
import { describe, expect, it } from "vitest"
import { validateEmbedded } from "../../src/kinds/custom/embedded.js"
import { readCustomResource, validateCustomResource } from "../../src/kinds/custom/read.js"
import { joinFieldErrors } from "../../src/kinds/refusal/failure.js"
import { hasFormat, isKnownFormat } from "../../src/kinds/structural/formats.js"
import type { MapValue, Value } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"

const schema: MapValue = deepFreeze({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        replicas: { type: "integer", default: 1 },
        names: { type: "array", items: { type: "string" } },
        nested: { type: "object", properties: { a: { type: "string", nullable: true } } },
      },
    },
  },
})

function widget(spec: MapValue): MapValue {
  return deepFreeze({ apiVersion: "example.org/v1", kind: "Widget", metadata: { name: "a" }, spec })
}

describe("readCustomResource", () => {
  it("returns the object itself if nothing changes", () => {
    const object = widget({ replicas: 2, names: ["a"], nested: { a: null } })
    expect(readCustomResource(object, schema)).toEqual({ object, unknown: [] })
    expect(readCustomResource(object, schema).object).toBe(object)
  })

  it("shares unchanged parts", () => {
    const object = widget({ names: ["a"], nested: { b: 1 } })
    const { object: read, unknown } = readCustomResource(object, schema)
    expect(unknown).toEqual(["spec.nested.b"])
    expect(read.spec).toEqual({ replicas: 1, names: ["a"], nested: {} })
    expect((read.spec as MapValue).names).toBe((object.spec as MapValue).names)
    expect(read.metadata).toBe(object.metadata)
  })
})

describe("validateCustomResource", () => {
  it("words causes as an API server does", () => {
    const errors = validateCustomResource(widget({ replicas: "two", names: [1] }), schema)
    expect(errors).toEqual([
      {
        reason: "FieldValueTypeInvalid",
        field: "spec.names[0]",
        message: 'Invalid value: "integer": spec.names[0] in body must be of type string: "integer"',
      },
      {
        reason: "FieldValueTypeInvalid",
        field: "spec.replicas",
        message: 'Invalid value: "string": spec.replicas in body must be of type integer: "string"',
      },
    ])
    expect(joinFieldErrors(errors.slice(1))).toBe(
      'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
    )
    expect(joinFieldErrors([...errors, ...errors])).toMatch(/^\[spec\.names\[0\]: .*, spec\.replicas: .*"string"\]$/)
  })
})

describe("an embedded resource", () => {
  const template = { type: "object", "x-kubernetes-embedded-resource": true, properties: { a: { type: "string" } } }
  const schemaOf = (part: MapValue): MapValue => ({ type: "object", properties: { spec: part } })

  it.each<readonly [MapValue, Value, readonly string[]]>([
    [template, { apiVersion: "v1", kind: "Pod" }, []],
    [template, { apiVersion: "v1" }, ["spec.kind"]],
    [{ type: "array", items: template }, [{ kind: "Pod" }], ["spec[0].apiVersion"]],
    [{ type: "object", additionalProperties: template }, { x: {} }, ["spec[x].apiVersion", "spec[x].kind"]],
  ])("needs a version and a kind: %j", (part, spec, fields) => {
    const errors = validateEmbedded({ ...widget({}), spec }, schemaOf(part))
    expect(errors.map(({ field }) => field)).toEqual(fields)
    for (const { message } of errors) expect(message).toBe("Required value")
  })
})

describe("hasFormat", () => {
  it("accepts any text for a format that is not checked", () => {
    expect(isKnownFormat("int-or-string")).toBe(false)
    expect(hasFormat("anything", "int-or-string")).toBe(true)
    expect(hasFormat("anything", "date-time")).toBe(false)
  })
})
