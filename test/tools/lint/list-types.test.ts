// Findings about the merging of lists and maps in definitions, next to the refusals and the results of an API server.
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readGoTypes } from "../../../src/gotypes/index.js"
import { parseJson } from "../../../src/json/json.js"
import { checkDefinition } from "../../../src/kinds/definition/problems.js"
import { ApplyConflictError, FieldManager } from "../../../src/managedfields/index.js"
import { TypeConverter } from "../../../src/openapi/index.js"
import { lintDefinition, lintTopology } from "../../../src/tools/lint/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { budget, runs } from "../../support/budget.js"
import { definitionOf } from "../../support/definition.js"
import type { RealCRD } from "../../vectors/real-crds.js"

const text = { type: "string" }
const at = "/spec/versions/0/schema/openAPIV3Schema/properties/"

const crd = (properties: MapValue) => definitionOf("Widget", { schema: { properties } })

function codes(properties: MapValue): string[] {
  return lintDefinition(crd(properties)).map(({ code, path }) => `${code} ${path.replace(at, "")}`)
}

const list = (listType: string | undefined, items: MapValue, keys?: readonly string[]): MapValue => ({
  type: "array",
  items,
  ...(listType !== undefined && { "x-kubernetes-list-type": listType }),
  ...(keys !== undefined && { "x-kubernetes-list-map-keys": keys }),
})
const item = (more: MapValue = {}): MapValue => ({
  type: "object",
  properties: { name: text, port: { type: "integer" } },
  ...more,
})
const named = item({ required: ["name"] })

describe("a list", () => {
  it.each<[string, MapValue, string[]]>([
    ["without a type, of objects", { l: list(undefined, named) }, ["list-type-missing l"]],
    ["without a type, of texts", { l: list(undefined, text) }, ["list-type-missing l"]],
    ["with each type", { a: list("atomic", named), b: list("set", text), c: list("map", named, ["name"]) }, []],
    [
      "inside of an atomic one, where its type does not count",
      { l: list("atomic", item({ properties: { l: list(undefined, text) } })) },
      [],
    ],
    [
      "inside of one without a type",
      { l: list(undefined, item({ properties: { l: list(undefined, text) } })) },
      ["list-type-missing l"],
    ],
    [
      "inside of a map",
      { l: list("map", item({ required: ["name"], properties: { name: text, l: list(undefined, text) } }), ["name"]) },
      ["list-type-missing l/items/properties/l"],
    ],
    [
      "inside of an atomic object",
      { o: { type: "object", "x-kubernetes-map-type": "atomic", properties: { l: list(undefined, text) } } },
      [],
    ],
    [
      "of additional properties",
      { o: { type: "object", additionalProperties: list(undefined, text) } },
      ["list-type-missing o/additionalProperties"],
    ],
    [
      "of the status, which has one writer",
      { status: { type: "object", properties: { l: list(undefined, item()) } } },
      [],
    ],
    [
      "of the status, whose items have a name",
      { status: { type: "object", properties: { l: list(undefined, named) } } },
      [],
    ],
    [
      "of the status, whose items have a type",
      {
        status: {
          type: "object",
          properties: { conditions: list(undefined, item({ required: ["type"], properties: { type: text } })) },
        },
      },
      ["list-type-missing status/properties/conditions"],
    ],
    ["of an unknown type", { l: list("bag", text) }, ["merge-type-invalid l"]],
    ["that is none", { l: { type: "string", "x-kubernetes-list-type": "set" } }, ["merge-type-invalid l"]],
    ["with keys and no type", { l: list(undefined, named, ["name"]) }, ["merge-type-invalid l"]],
    ["with keys and another type", { l: list("set", text, ["name"]) }, ["merge-type-invalid l"]],
    ["without keys", { l: list("map", named) }, ["merge-type-invalid l"]],
    ["with a key twice", { l: list("map", named, ["name", "name"]) }, ["merge-type-invalid l"]],
    ["with a key that is no property", { l: list("map", named, ["id"]) }, ["merge-type-invalid l"]],
    [
      "with a key that is an object",
      { l: list("map", { type: "object", required: ["o"], properties: { o: item() } }, ["o"]) },
      ["merge-type-invalid l"],
    ],
    [
      "with a key that may be null",
      { l: list("map", item({ required: ["name"], properties: { name: { ...text, nullable: true } } }), ["name"]) },
      ["merge-type-invalid l"],
    ],
    ["of type map, of texts", { l: list("map", text, ["name"]) }, ["merge-type-invalid l"]],
    ["of items that may be null", { l: list("set", { ...text, nullable: true }) }, ["merge-type-invalid l/items"]],
    ["with an optional key", { l: list("map", item(), ["name"]) }, ["list-key-refused l"]],
    [
      "with a key that has a default",
      { l: list("map", item({ properties: { name: { ...text, default: "a" } } }), ["name"]) },
      [],
    ],
    ["that is a set of objects", { l: list("set", item()) }, ["set-of-objects l"]],
    [
      "that is a set of atomic objects",
      { l: list("set", item({ "x-kubernetes-map-type": "atomic" })) },
      ["set-of-objects l"],
    ],
    ["that is a set of lists", { l: list("set", list("atomic", text)) }, ["set-of-objects l"]],
  ])("%s", (_, properties, expected) => {
    expect(codes(properties)).toEqual(expected)
  })

  it.each<[MapValue, string]>([
    [
      list(undefined, named),
      "the list has no type, so it is atomic: its applier owns the whole list, and two appliers fight over it; " +
        "declare how it is merged: x-kubernetes-list-type: map by the key name if no two items share it, or atomic if intended",
    ],
    [
      list(undefined, item()),
      "the list has no type, so it is atomic: its applier owns the whole list, and two appliers fight over it; " +
        "declare how it is merged: x-kubernetes-list-type: map by keys that every item has, or atomic if intended",
    ],
    [
      list(undefined, text),
      "the list has no type, so it is atomic: its applier owns the whole list, and two appliers fight over it; " +
        "declare how it is merged: x-kubernetes-list-type: set, or atomic if the order counts or this is intended",
    ],
    [
      list(undefined, list("atomic", text)),
      "the list has no type, so it is atomic: its applier owns the whole list, and two appliers fight over it; " +
        "declare it: x-kubernetes-list-type: atomic, because lists have no keys",
    ],
    [list("bag", text), '"bag" is not a list type; use atomic, set or map'],
    [
      { type: "string", "x-kubernetes-list-type": "set" },
      "only an array has a list type; remove x-kubernetes-list-type, or set type: array",
    ],
    [
      list("set", text, ["name"]),
      "a list with x-kubernetes-list-map-keys must have the list type map; set x-kubernetes-list-type: map",
    ],
    [list("map", named), "a list of type map needs keys; name them in x-kubernetes-list-map-keys"],
    [list("map", text, ["name"]), "items of a list of type map must be objects; use set or atomic"],
    [list("map", named, ["name", "name"]), "the key name is named twice; name it once"],
    [list("map", named, ["id"]), "the key id is not a property of the items; declare it, or name another key"],
    [
      list("map", { type: "object", required: ["o"], properties: { o: item() } }, ["o"]),
      "the key o must be a string, a number or a boolean, not an object; name another key",
    ],
    [
      list("map", item({ required: ["name"], properties: { name: { ...text, nullable: true } } }), ["name"]),
      "the key name can't be null; remove nullable from it",
    ],
    [
      list("map", item(), ["name"]),
      "the key name is neither required nor has a default, so an API server refuses the definition; " +
        "make name required, or give it a default",
    ],
    [list("set", { ...text, nullable: true }), "items of a set or a map can't be null; remove nullable"],
    [list("set", item()), "a set of objects: no item can be merged; use map, by keys that every item has, or atomic"],
    [
      list("set", list("atomic", text)),
      "a set of lists: an API server accepts it, but then no object with an item can be applied; " +
        "use atomic, or a set of strings or numbers",
    ],
    [
      { ...text, "x-kubernetes-map-type": "atomic" },
      "only an object has a map type; use granular or atomic, in a schema with type: object",
    ],
    [
      { ...item(), "x-kubernetes-map-type": "deep" },
      '"deep" is not a map type; use granular or atomic, in a schema with type: object',
    ],
  ])("%j has its fault and the remedy named", (l, expected) => {
    expect(lintDefinition(crd({ l })).map(({ message, remedy }) => `${message}; ${remedy}`)).toEqual([expected])
  })

  it("has positions in every version", () => {
    const one = crd({ l: list(undefined, named) })
    const spec = one.spec as MapValue
    const two = {
      ...one,
      spec: { ...spec, versions: [...(spec.versions as MapValue[]), ...(spec.versions as MapValue[])] },
    }
    const found = lintDefinition(two)
    expect(found.map(({ path }) => path)).toEqual([`${at}l`, `${at.replace("/0/", "/1/")}l`])
  })
})

it.each<[string, MapValue, string[]]>([
  ["granular", { o: { ...item(), "x-kubernetes-map-type": "granular" } }, []],
  ["unknown", { o: { ...item(), "x-kubernetes-map-type": "deep" } }, ["merge-type-invalid o/x-kubernetes-map-type"]],
  [
    "that of a text",
    { o: { ...text, "x-kubernetes-map-type": "atomic" } },
    ["merge-type-invalid o/x-kubernetes-map-type"],
  ],
])("checks the type of a map: %s", (_, properties, expected) => {
  expect(codes(properties)).toEqual(expected)
})

it("has an error for every type of merging that an API server refuses", () => {
  const optionally = <T>(values: readonly T[]) => fc.option(fc.constantFrom(...values), { nil: undefined })
  const scalar = fc
    .record({
      type: fc.constantFrom("string", "integer", "object", "array"),
      nullable: optionally([true]),
      default: optionally(["a"]),
    })
    .map(
      ({ type, nullable, default: standard }): MapValue => ({
        type,
        ...(type === "array" && { items: text }),
        ...(nullable && { nullable }),
        ...(standard !== undefined && type === "string" && { default: standard }),
      }),
    )
  const items = fc
    .record({
      type: fc.constantFrom("object", "object", "string", "array"),
      name: scalar,
      required: fc.boolean(),
      nullable: optionally([true]),
      mapType: optionally(["atomic", "granular"]),
    })
    .map(
      ({ type, name, required, nullable, mapType }): MapValue => ({
        type,
        ...(nullable && { nullable }),
        ...(type === "object" && {
          properties: { name },
          ...(required && { required: ["name"] }),
          ...(mapType && { "x-kubernetes-map-type": mapType }),
        }),
        ...(type === "array" && {
          items: text,
          ...(mapType && { "x-kubernetes-list-type": mapType === "atomic" ? "atomic" : "set" }),
        }),
      }),
    )
  const lists = fc
    .record({
      type: optionally(["atomic", "set", "map", "bag"]),
      items,
      keys: optionally([[], ["name"], ["id"], ["name", "name"]]),
    })
    .map(({ type, items, keys }) => list(type, items, keys))
  const refused = (definition: MapValue) => {
    const found = lintDefinition(definition).filter(({ severity }) => severity === "error")
    return found.some(({ code, message }) => code !== "set-of-objects" || !message.includes("an API server accepts it"))
  }
  let [wrong, right] = [0, 0]
  fc.assert(
    fc.property(lists, l => {
      const definition = crd({ l })
      const errors = checkDefinition(definition).errors.map(({ message }) => message)
      const expected = errors.length > 0
      if (expected) wrong++
      else right++
      expect([refused(definition), errors]).toEqual([expected, errors])
    }),
    runs(3000),
  )
  expect(Math.min(wrong, right)).toBeGreaterThan(budget(300))
})

describe("warnings come true", () => {
  const widget = (spec: MapValue): MapValue => ({
    apiVersion: "example.com/v1",
    kind: "Widget",
    metadata: { name: "w" },
    ...spec,
  })
  const managerOf = (properties: MapValue) =>
    new FieldManager({ types: new TypeConverter([{ name: "crd", document: crd(properties) }]) })

  it("two appliers fight over a list without a type, and share one of type map", () => {
    const [a, b] = [
      { name: "a", port: 1 },
      { name: "b", port: 2 },
    ]
    const untyped = managerOf({ l: list(undefined, named) })
    const { object } = untyped.apply(undefined, widget({ l: [a] }), { manager: "x" })
    expect(() => untyped.apply(object, widget({ l: [b] }), { manager: "y" })).toThrow(ApplyConflictError)
    const keyed = managerOf({ l: list("map", named, ["name"]) })
    const first = keyed.apply(undefined, widget({ l: [a] }), { manager: "x" }).object
    expect(keyed.apply(first, widget({ l: [b] }), { manager: "y" }).object.l).toEqual([a, b])
  })

  it("an API server accepts a set of atomic objects, but none of its items", () => {
    const properties = { l: list("set", item({ "x-kubernetes-map-type": "atomic" })) }
    expect(checkDefinition(crd(properties)).errors).toEqual([])
    expect(lintDefinition(crd(properties))[0]?.message).toContain("no object with an item can be applied")
    const manager = managerOf(properties)
    expect(() => manager.apply(undefined, widget({ l: [{ name: "a" }] }), { manager: "x" })).toThrow("a map type")
  })
})

describe("definitions other than custom resources", () => {
  const openapi = (schemas: MapValue): Value => ({ openapi: "3.0.0", components: { schemas } })
  const found = (schemas: MapValue) =>
    lintDefinition(openapi(schemas)).map(({ code, path }) => `${code} ${path.replace("/components/schemas/", "")}`)

  it("are refused by nobody, but have surprising results", () => {
    const T = { type: "object", properties: { l: list("map", item(), ["name"]) } }
    expect(found({ T })).toEqual(["list-key-optional T/properties/l"])
    expect(lintDefinition(openapi({ T }))[0]?.message).toBe(
      "the key name is neither required nor has a default: items without it are distinguished by their other keys, or not at all",
    )
    const bytes = { type: "string", format: "byte", "x-kubernetes-list-type": "atomic" }
    expect(found({ T: { type: "object", properties: { b: bytes } } })).toEqual([])
  })

  it("have items by reference, merge strategies, Lists, and types of metadata", () => {
    const $ref = "#/components/schemas/I"
    const properties = {
      byReference: list("map", { $ref }, ["name"]),
      byStrategy: {
        ...list(undefined, { $ref }),
        "x-kubernetes-patch-strategy": "merge",
        "x-kubernetes-patch-merge-key": "name",
      },
    }
    const schemas = {
      T: { type: "object", properties },
      I: named,
      TList: {
        type: "object",
        properties: {
          kind: text,
          metadata: { $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta" },
          items: list(undefined, { $ref }),
        },
      },
      "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta": { type: "object", properties: { l: list(undefined, text) } },
    }
    expect(found(schemas)).toEqual([])
  })

  it("may be Go types", async () => {
    const source = 'package v1\ntype T struct {\n  Names []string `json:"names,omitempty"`\n}'
    const { openapi } = await readGoTypes({ "types.go": source })
    expect(lintTopology(openapi).map(({ code, path }) => `${code} ${path}`)).toEqual([
      "list-type-missing /components/schemas/v1.T/properties/names",
    ])
  })
})

it("finds no error in published definitions, and warns about lists without a type", () => {
  const recorded = gunzipSync(readFileSync(new URL("../../vectors/real-crds.json.gz", import.meta.url))).toString(
    "utf8",
  )
  const real = parseJson(recorded) as unknown as readonly RealCRD[]
  const counts = real.flatMap(({ name, crd }) => {
    const found = lintDefinition(crd).filter(({ code }) => !code.startsWith("union-"))
    expect(found.filter(({ code }) => code !== "list-type-missing")).toEqual([])
    return found.length === 0 ? [] : [`${name.replace(/^.* /, "")}: ${found.length}`]
  })
  expect(counts).toMatchInlineSnapshot(`
    [
      "CertificateRequest: 1",
      "AlertmanagerConfig: 8",
      "Alertmanager: 19",
      "PodMonitor: 3",
      "Probe: 7",
      "PrometheusAgent: 17",
      "Prometheus: 22",
      "PrometheusRule: 1",
      "ScrapeConfig: 26",
      "ServiceMonitor: 4",
      "ThanosRuler: 17",
      "Application: 39",
      "ApplicationSet: 26",
      "AppProject: 12",
    ]
  `)
})

it("stops at definitions that no API server accepts", () => {
  let deep: MapValue = text
  for (let i = 0; i < 3000; i++) deep = { type: "object", properties: { p: deep } }
  expect(lintTopology({ openapi: "3.0.0", components: { schemas: { T: deep } } })).toEqual([])
})
