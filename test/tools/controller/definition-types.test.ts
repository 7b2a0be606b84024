import { expect, expectTypeOf, it } from "vitest"
import { type ApplyConfiguration, typesOfDefinitions } from "../../../src/tools/controller/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { smd } from "../../cli/cli.js"
import type { Gadget } from "./gadgets.js"

const text = { type: "string" }
const objects = (more: MapValue, properties: MapValue, required: string[] = []): MapValue => ({
  ...{ type: "array", items: { type: "object", properties, required }, ...more },
})
const map = (...keys: string[]): MapValue => ({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys })
const spec: MapValue = {
  type: "object",
  description: "The wanted state.\nIn two lines, */ and all.",
  required: ["parts"],
  properties: {
    parts: objects(map("name", "port"), { name: text, port: { type: "integer", default: 80 } }, ["name"]),
    rules: objects({ "x-kubernetes-list-type": "atomic" }, { from: { ...text, description: "Where from" } }),
    tags: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    levels: { type: "array", items: { enum: ["high", "low"] } },
    mode: { ...text, enum: ["on", "off"], nullable: true },
    "max-size": { "x-kubernetes-int-or-string": true },
    labels: { type: "object", additionalProperties: text },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    ready: { type: "boolean" },
    empty: { type: "object" },
    anything: { "x-kubernetes-preserve-unknown-fields": true },
    template: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  },
}
const definitionOf = (...versions: string[]): MapValue => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gadgets.example.com" },
  spec: {
    ...{ group: "example.com", names: { kind: "Gadget", plural: "gadgets" } },
    versions: [
      { name: "v0", served: false },
      ...versions.map(name => ({
        name,
        served: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      })),
    ],
  },
})

it("prints the types of a definition: `npx vitest run test/tools/controller/definition-types.test.ts -u` writes them", async () => {
  const printed = typesOfDefinitions([definitionOf("v1")])
  expect(printed.split("\n")[0]).toContain(`from "structured-merge-diff/controller"`)
  // The compiler reads the printed types in the next test.
  await expect(
    printed.replace("structured-merge-diff/controller", "../../../src/tools/controller/index.js"),
  ).toMatchFileSnapshot("gadgets.ts")
})

it("knows the required fields of an object and of a configuration", () => {
  const gadget = { apiVersion: "example.com/v1", kind: "Gadget", metadata: { name: "a" } } as const
  const object: Gadget = { ...gadget, spec: { parts: [{ name: "x" }], mode: null, "max-size": "50%" } }
  const config: ApplyConfiguration<Gadget> = { ...gadget, spec: { rules: [{}], template: { metadata: {} } } }
  // @ts-expect-error: an item without its key
  const keyless: ApplyConfiguration<Gadget> = { ...gadget, spec: { parts: [{ port: 80 }] } }
  // @ts-expect-error: a value that is not listed
  const unlisted: ApplyConfiguration<Gadget> = { ...gadget, spec: { mode: "auto" } }
  expectTypeOf([object, config, keyless, unlisted]).toBeArray()
})

it("names versions if there are several, and imports what it needs", () => {
  const names = [...typesOfDefinitions([definitionOf("v1", "v1beta1")]).matchAll(/interface (\w+)/g)]
  expect(names.map(([, name]) => name)).toEqual(["GadgetV1", "GadgetV1beta1"])
  expect(typesOfDefinitions([{}])).toBe("")
})

it("is printed by smd types", async () => {
  const files = { "crd.json": JSON.stringify(definitionOf("v1")), "api.json": `{"openapi":"3.0.0"}` }
  expect((await smd(["types", "--crd", "crd.json"], { files })).out).toBe(typesOfDefinitions([definitionOf("v1")]))
  expect(await smd(["types"], { files })).toMatchObject({
    status: 2,
    err: expect.stringContaining("--crd is required"),
  })
  expect(await smd(["types", "--crd", "api.json"], { files })).toMatchObject({
    status: 2,
    err: expect.stringContaining("api.json: expected a CustomResourceDefinition, found an OpenAPI v3 document"),
  })
})
