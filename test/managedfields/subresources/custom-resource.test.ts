import { expect, it } from "vitest"
import { encodeFields } from "../../../src/fieldpath/fieldsv1/object.js"
import { customResourceResetFields } from "../../../src/managedfields/subresources/custom-resource.js"

const version = (name: string, subresources?: object) => ({ name, ...(subresources && { subresources }) })
const definition = (...versions: object[]) => ({ spec: { group: "x.org", names: { kind: "Thing" }, versions } })
const both = definition(version("v1", { status: {} }), version("v2", { status: {}, scale: {} }), version("v3"))

function reset(crd: object, apiVersion: string, subresource: string): Record<string, unknown> {
  const fields = customResourceResetFields(crd, apiVersion)(subresource) ?? new Map()
  return Object.fromEntries([...fields].map(([name, set]) => [name, encodeFields(set)]))
}

it.each([
  ["x.org/v1", "", { "x.org/v1": { "f:status": {} } }],
  ["x.org/v2", "", { "x.org/v2": { "f:status": {} } }],
  [
    "x.org/v1",
    "status",
    { "x.org/v1": { "f:metadata": {}, "f:spec": {} }, "x.org/v2": { "f:metadata": {}, "f:spec": {} } },
  ],
  ["x.org/v3", "", {}],
  ["x.org/v3", "status", {}],
  ["x.org/v1", "scale", {}],
  ["y.org/v1", "", {}],
])("%s %s", (apiVersion, subresource, expected) => expect(reset(both, apiVersion, subresource)).toEqual(expected))

it("finds the subresources of all versions in a definition of v1beta1", () => {
  const { spec } = definition(version("v1"), version("v2"))
  const old = { spec: { ...spec, subresources: { status: {} } } }
  expect(reset(old, "x.org/v2", "")).toEqual({ "x.org/v2": { "f:status": {} } })
  expect(Object.keys(reset(old, "x.org/v2", "status"))).toEqual(["x.org/v1", "x.org/v2"])
})

it("finds no subresources in objects that are not definitions", () => {
  for (const bad of [{}, { spec: null }, { spec: { versions: [null, 1] } }])
    expect(reset(bad, "x.org/v1", "")).toEqual({})
})
