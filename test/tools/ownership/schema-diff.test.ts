import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../../src/apiserver/server.js"
import { fieldElement, valueElement } from "../../../src/fieldpath/create-element.js"
import { FieldSet } from "../../../src/fieldpath/set.js"
import { parseJson } from "../../../src/json/json.js"
import { readManagedFields } from "../../../src/managedfields/entries/entry.js"
import { FieldManager } from "../../../src/managedfields/field-manager.js"
import { deducedTypes } from "../../../src/managedfields/types/object-types.js"
import { changeApiVersion } from "../../../src/managedfields/types/version-converter.js"
import { Updater } from "../../../src/merge/updater.js"
import { schemaFromCRD } from "../../../src/openapi/crd.js"
import { type SchemaChangeCode, schemaChangeRules } from "../../../src/tools/ownership/schema-changes.js"
import { schemaDiff } from "../../../src/tools/ownership/schema-diff.js"
import { parseSchema } from "../../../src/typed/parser.js"
import { compileSchema } from "../../../src/typed/type.js"
import { reconcileFieldSetWithSchema, TypedValue } from "../../../src/typed/typed-value.js"
import { isList, isMap, type MapValue, type Value } from "../../../src/value/value.js"
import { send } from "../../apiserver/requests.js"
import { entry } from "../../managedfields/notation.js"
import { definitionOf } from "../../support/definition.js"
import { read } from "../../support/documents.js"
import type { RealCRD } from "../../vectors/real-crds.js"
import { schemaErrors } from "./schema.js"
import { play, type SchemaStory } from "./schema-diff-stories.js"

const text = { type: "string" }
const struct = (properties: MapValue, more: MapValue = {}): MapValue => ({ type: "object", properties, ...more })
const atomicMap = { "x-kubernetes-map-type": "atomic" }
const ab = struct({ a: text, b: text })
const list = (type: string, items: MapValue = text, more: MapValue = {}): MapValue => ({
  type: "array",
  items,
  "x-kubernetes-list-type": type,
  ...more,
})
const port = (byDefault?: string): MapValue =>
  struct(
    { name: text, port: { type: "integer" }, protocol: { ...text, ...(byDefault && { default: byDefault }) } },
    { required: ["name"] },
  )
const keyed = (keys: string[], items: MapValue = port("TCP")): MapValue =>
  list("map", items, { "x-kubernetes-list-map-keys": keys })
const open = { "x-kubernetes-preserve-unknown-fields": true }

const stories: readonly (readonly [SchemaChangeCode, SchemaStory])[] = [
  [
    "map-atomic",
    {
      old: ab,
      now: { ...ab, ...atomicMap },
      applied: { ann: { x: { a: "1" } }, bob: { x: { b: "1" } }, cid: { y: "1" } },
    },
  ],
  [
    "map-granular",
    {
      old: { ...ab, ...atomicMap },
      now: ab,
      applied: { ann: { x: { a: "1", b: "1" } }, cid: { y: "1" } },
      tries: [
        ["ann", { a: "1" }],
        ["ann", {}],
        ["eve", { b: "2" }],
      ],
    },
  ],
  [
    "list-atomic",
    { old: list("set"), now: list("atomic"), applied: { ann: { x: ["a"] }, bob: { x: ["b"] }, cid: { y: "1" } } },
  ],
  [
    "list-atomic",
    {
      old: keyed(["name"]),
      now: list("atomic", port()),
      applied: { ann: { x: [{ name: "a" }] }, bob: { x: [{ name: "b" }] } },
    },
  ],
  [
    "list-granular",
    {
      old: list("atomic"),
      now: list("set"),
      applied: { ann: { x: ["a", "b"] }, cid: { y: "1" } },
      tries: [
        ["ann", ["a"]],
        ["ann", []],
        ["eve", ["b"]],
      ],
    },
  ],
  [
    "list-granular",
    {
      old: list("atomic", port()),
      now: keyed(["name"], port()),
      applied: { ann: { x: [{ name: "a" }, { name: "b" }] } },
      tries: [
        ["ann", [{ name: "a" }]],
        ["eve", [{ name: "a", port: 1 }]],
      ],
    },
  ],
  [
    "untyped-atomic",
    {
      old: { type: "object", additionalProperties: { "x-kubernetes-int-or-string": true } },
      now: { type: "object", additionalProperties: { "x-kubernetes-int-or-string": true }, ...atomicMap },
      applied: { ann: { x: { a: "1" } }, bob: { x: { b: 1 } } },
    },
  ],
  [
    "untyped-atomic",
    {
      old: { type: "object", ...open },
      now: { type: "object", ...open, ...atomicMap },
      applied: { ann: { x: { a: "1" } }, bob: { x: { b: 1 } } },
    },
  ],
  [
    "list-type",
    {
      old: list("set"),
      now: keyed(["name"]),
      applied: { ann: { x: ["a"] }, cid: { y: "1" } },
      mended: [{ name: "a" }],
    },
  ],
  [
    "list-keys",
    {
      old: keyed(["name"]),
      now: keyed(["name", "protocol"]),
      applied: { ann: { x: [{ name: "a", port: 1 }] }, bob: { x: [{ name: "a", protocol: "UDP" }] } },
    },
  ],
  [
    "list-keys",
    {
      old: keyed(["name", "protocol"]),
      now: keyed(["name"]),
      applied: { ann: { x: [{ name: "a", port: 1 }, { name: "b" }] } },
      tries: [
        ["ann", [{ name: "a", port: 1 }]],
        ["ann", []],
        ["eve", [{ name: "a", port: 2 }]],
      ],
    },
  ],
  [
    "list-key-default",
    {
      old: keyed(["name", "protocol"]),
      now: keyed(["name", "protocol"], port("UDP")),
      applied: { ann: { x: [{ name: "a", port: 1 }] }, bob: { x: [{ name: "b", protocol: "UDP" }] } },
      tries: [
        ["ann", []],
        ["eve", [{ name: "a", protocol: "TCP", port: 2 }]],
      ],
    },
  ],
  ["field-removed", { old: text, now: null, applied: { ann: { x: "1" }, bob: { x: "1", y: "1" }, cid: { y: "1" } } }],
  ["field-added", { old: null, now: text, applied: { cid: { y: "1" } } }],
  [
    "field-declared",
    {
      old: { type: "object", ...open },
      now: struct({ k: { type: "object", ...open } }, open),
      also: ["type-narrowed"],
      applied: { ann: { x: { k: { a: "1" } } } },
    },
  ],
  [
    "field-undeclared",
    {
      old: struct({ k: { type: "object", ...open } }, open),
      now: { type: "object", ...open },
      applied: { ann: { x: { k: { a: "1" } } } },
    },
  ],
  [
    "unknown-pruned",
    { old: { ...ab, ...open }, now: ab, applied: { ann: { x: { a: "1", c: "1" } }, bob: { x: { a: "1" } } } },
  ],
  ["unknown-kept", { old: ab, now: { ...ab, ...open }, applied: { ann: { x: { a: "1" } } } }],
  ["type", { old: text, now: ab, applied: { ann: { x: "1" }, cid: { y: "1" } }, mended: { a: "1" } }],
  ["type-narrowed", { old: open, now: ab, also: ["unknown-pruned"], applied: { ann: { x: "1" }, cid: { y: "1" } } }],
  ["scalar", { old: text, now: { type: "integer" }, applied: { ann: { x: "1" }, cid: { y: "1" } }, mended: 1 }],
  [
    "union",
    {
      old: ab,
      now: { ...ab, "x-kubernetes-unions": [{ "fields-to-discriminateBy": { a: "A", b: "B" } }] },
      applied: { ann: { x: { a: "1" } }, bob: { x: { b: "1" } } },
    },
  ],
]

/** The results of the stories, for people: `npx vitest run test/tools/ownership/schema-diff.test.ts -u` writes them again. */
const golden = "./schema-diff-stories.txt"

describe("schemaDiff", () => {
  const played = Promise.all(stories.map(async ([code, story]) => ({ code, story, played: await play(story) })))

  it.each(stories.map(([code], i) => [code, i] as const))(
    "finds %s and the owners whom it concerns (%i)",
    async (_, i) => {
      const { code, story, played: found } = (await played)[i] as Awaited<typeof played>[number]
      const { diff, concerned } = found
      expect(diff.changes.map(change => change.code).sort()).toEqual([code, ...(story.also ?? [])].sort())
      expect(schemaErrors(diff)).toBe("")
      const change = diff.changes.find(change => change.code === code)
      const { ownership, effect } = schemaChangeRules[code]
      expect(change).toMatchObject({ ownership, effect })
      // Changes of scalars have no other effect: nobody can apply a value that does not fit.
      expect(diff.objects?.affected.managers).toEqual(code === "scalar" ? [] : concerned)
      expect(diff.objects).toMatchObject({ checked: 1, others: 0 })
      expect(diff.ownership).toBe(diff.objects?.affected.objects === 0 ? "no" : "yes")
      if (ownership === "no") expect(change?.affected?.owners).toBe(0)
      else expect(change?.affected?.managers).toEqual(concerned)
    },
  )

  it("agrees with the recorded behaviour of an API server", async () => {
    const texts = (await played).map(({ code, played: { lines } }) => [
      `${code}`,
      ...lines.map(line => `  ${line}`),
      "",
    ])
    await expect(texts.flat().join("\n")).toMatchFileSnapshot(golden)
  })
})

describe("a version that is gone", () => {
  const at = (names: readonly string[]) =>
    definitionOf("Widget", {
      spec: {
        versions: names.map((name, i) => ({
          name,
          served: true,
          storage: i === 0,
          schema: { openAPIV3Schema: { type: "object", properties: { x: text, y: text } } },
        })),
      },
    })
  const [both, one] = [at(["v1", "v1beta1"]), at(["v1"])]

  it("prevents every apply to a custom resource, and updates leave managedFields unchanged", async () => {
    const server = createApiServer({ crds: [both] })
    const path = (version: string) => `/apis/example.com/${version}/namespaces/default/widgets/w?fieldManager=`
    const object = (version: string, more: MapValue) => ({
      apiVersion: `example.com/${version}`,
      kind: "Widget",
      metadata: { name: "w" },
      ...more,
    })
    await send(server, "PATCH", `${path("v1beta1")}ann`, object("v1beta1", { x: "1" }), "apply")
    const { body: live } = await send(server, "PATCH", `${path("v1")}bob`, object("v1", { y: "1" }), "apply")
    const { changes, objects } = schemaDiff(schemaFromCRD(both), schemaFromCRD(one), { objects: [live] })
    expect(changes.map(({ code, places }) => [code, places[0]?.type])).toEqual([
      ["version-removed", "example.com/v1beta1 Widget"],
    ])
    expect(objects?.affected).toEqual({ objects: 1, owners: 1, managers: ["ann"] })

    const definition = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com"
    const { metadata } = (await send(server, "GET", definition)).body
    expect((await send(server, "PUT", definition, { ...one, metadata })).status).toBe(200)
    const refused = await send(server, "PATCH", `${path("v1")}bob`, object("v1", { y: "1" }), "apply")
    expect([refused.status, refused.body.message]).toEqual([
      500,
      expect.stringContaining("request to convert CR to an invalid group/version: example.com/v1beta1"),
    ])
    const updated = await send(server, "PATCH", `${path("v1")}ctl`, { y: "2" }, "merge")
    expect([updated.status, updated.body.metadata.managedFields]).toEqual([200, live.metadata.managedFields])
  })

  it("drops its owners if the kind is built into the API server", () => {
    const types = { find: (version: string) => (version === "v1" ? deducedTypes.find(version, "T") : undefined) }
    const converter = changeApiVersion(types, { dropMissing: true })
    const manager = new FieldManager({ types, converter })
    const entry = (name: string, apiVersion: string, field: string) => ({
      manager: name,
      operation: "Apply",
      apiVersion,
      fieldsType: "FieldsV1",
      fieldsV1: { [`f:${field}`]: {} },
    })
    const managedFields = [entry("ann", "v1beta1", "x"), entry("bob", "v1", "y")]
    const live = { apiVersion: "v1", kind: "T", metadata: { name: "t", managedFields }, x: "1", y: "1" }
    const config = { apiVersion: "v1", kind: "T", metadata: { name: "t" }, y: "2" }
    const { object } = manager.apply<object>(live, config, { manager: "bob" })
    expect(readManagedFields(object)?.map(found => found.manager)).toEqual(["bob"])
  })
})

describe("a list without a relationship", () => {
  it("can't be merged or compared, so nobody can apply or update", () => {
    const typed = (relationship?: string) =>
      parseSchema({
        types: [
          {
            name: "t",
            map: {
              fields: [
                {
                  name: "x",
                  type: {
                    list: {
                      elementType: { scalar: "string" },
                      ...(relationship !== undefined && { elementRelationship: relationship }),
                    },
                  },
                },
              ],
            },
          },
        ],
      })
    const [old, now] = [typed("associative"), typed()]
    const codes = schemaDiff({ schema: old }, { schema: now }).changes.map(({ code }) => code)
    expect(codes).toEqual(["list-unfit"])
    const type = compileSchema(now).type("t")
    const [live, config] = [["a"], ["b"]].map(x => TypedValue.of({ x }, type)) as [TypedValue, TypedValue]
    const set = FieldSet.of([[fieldElement("x"), valueElement("a")]])
    const request = {
      manager: "ann",
      apiVersion: "v1",
      managers: new Map([["ann", { set, apiVersion: "v1", applied: true }]]),
    }
    for (const op of ["apply", "update"] as const) {
      expect(() => new Updater()[op](live, config, request)).toThrow("invalid indexing of non-associative list")
    }
    expect(reconcileFieldSetWithSchema(set, type)).toBe(null)
  })
})

describe("two schemas without kinds", () => {
  const recursive = (relationship: string, more: object = {}) =>
    parseSchema({
      types: [
        {
          name: "node",
          map: {
            fields: [
              { name: "next", type: { namedType: "node" } },
              { name: "tags", type: { namedType: "tags" } },
              { name: "old", type: { namedType: "tags" } },
            ],
          },
        },
        { name: "tags", list: { elementType: { scalar: "string" }, elementRelationship: relationship } },
        { name: "alone", map: { elementType: { scalar: "string" }, ...more } },
      ],
    } as unknown as Value)

  it("are compared from the types that no other type refers to, with each change reported once with its paths", () => {
    const { changes } = schemaDiff(
      { schema: recursive("atomic") },
      { schema: recursive("associative", { elementRelationship: "atomic" }) },
    )
    expect(changes.map(({ code, places }) => [code, ...places.map(({ type, path }) => `${type}${path}`)])).toEqual([
      ["map-atomic", "alone"],
      ["list-granular", "node.old", "node.tags"],
    ])
    expect(changes[1]?.places[0]?.steps).toEqual(["f:old"])
  })

  it("have at most twenty places for a change", () => {
    const fields = Array.from({ length: 25 }, (_, i) => ({ name: `f${i}`, type: { namedType: "tags" } }))
    const many = (relationship: string) =>
      parseSchema({
        types: [
          { name: "root", map: { fields } },
          { name: "tags", list: { elementType: { scalar: "string" }, elementRelationship: relationship } },
        ],
      } as unknown as Value)
    const [change] = schemaDiff({ schema: many("atomic") }, { schema: many("associative") }).changes
    expect([change?.places.length, change?.more]).toEqual([20, true])
  })

  it("report types that only one has, and refuse a type that neither has", () => {
    const { types } = recursive("atomic")
    const without = { types: types.filter(({ name }) => name !== "alone") }
    const codes = (old: object, now: object) =>
      schemaDiff({ schema: old as typeof without }, { schema: now as typeof without }).changes.map(
        ({ code, places }) => [code, places[0]?.type],
      )
    expect(codes({ types }, without)).toEqual([["version-removed", "alone"]])
    expect(codes(without, { types })).toEqual([["version-added", "alone"]])
    expect(() => schemaDiff({ schema: { types } }, { schema: without }, { type: "nodes" })).toThrow(
      "no type nodes; did you mean node?",
    )
  })
})

describe("a union", () => {
  const unioned = (unions?: Value) =>
    parseSchema({
      types: [
        {
          name: "spec",
          map: {
            fields: ["type", "a", "b", "c"].map(name => ({ name, type: { scalar: "string" } })),
            ...(unions !== undefined && { unions }),
          },
        },
      ],
    } as unknown as Value)
  const byType = [
    {
      discriminator: "type",
      fields: [
        { fieldName: "a", discriminatorValue: "A" },
        { fieldName: "b", discriminatorValue: "B" },
      ],
    },
  ]
  const object = (fields: MapValue, ...owners: readonly (readonly [string, readonly string[]])[]): MapValue => ({
    ...fields,
    metadata: {
      managedFields: owners.map(([manager, names]) => ({
        manager,
        operation: "Apply",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: Object.fromEntries(names.map(name => [`f:${name}`, {}])),
      })),
    },
  })
  const told = (old: Value | undefined, now: Value | undefined, ...objects: readonly MapValue[]) => {
    const { changes } = schemaDiff({ schema: unioned(old) }, { schema: unioned(now) }, { objects })
    return changes.map(({ code, before, after, affected }) => [code, before, after, affected?.managers])
  }

  it("concerns the owners that lose or gain fields when it is settled", () => {
    const live = object({ type: "A", a: "1", b: "1", c: "1" }, ["ann", ["type", "a"]], ["bob", ["b"]], ["cid", ["c"]])
    expect(told(undefined, byType, live)).toEqual([["union", "no union", "one of a, b by type", ["ann", "bob"]]])
    expect(told(byType, undefined, live)).toEqual([["union", "one of a, b by type", "no union", ["ann", "bob"]]])
    const sound = object({ type: "A", a: "1" }, ["ann", ["type", "a"]])
    expect(told(undefined, byType, sound)).toEqual([["union", "no union", "one of a, b by type", []]])
  })

  it("is reported without the other unions of the struct, which stay", () => {
    const of = (...names: readonly string[]) => ({ fields: names.map(fieldName => ({ fieldName })) })
    expect(told([of("a", "b"), of("c", "type")], [of("c", "type")])).toEqual([["union", "one of a, b", "no union", []]])
  })
})

it("concerns nobody in objects that are not of the type at all", () => {
  const list = (elementRelationship: string) =>
    parseSchema({
      types: [{ name: "tags", list: { elementType: { scalar: "string" }, elementRelationship } }],
    } as unknown as Value)
  const stored = { a: "1", metadata: { managedFields: [entry("ann Apply v1", { "f:a": {} })] } }
  const { objects } = schemaDiff({ schema: list("atomic") }, { schema: list("associative") }, { objects: [stored] })
  expect(objects).toMatchObject({ checked: 1, others: 0, unfit: 1, affected: { managers: [] } })
})

it("counts only the change of items for an owner of an item with all its keys", () => {
  const ports = (protocol: string, elementRelationship?: string) =>
    parseSchema({
      types: [
        {
          name: "spec",
          map: {
            fields: [
              {
                name: "ports",
                type: {
                  list: {
                    elementType: { namedType: "port" },
                    elementRelationship: "associative",
                    keys: ["port", "protocol"],
                  },
                },
              },
            ],
          },
        },
        {
          name: "port",
          map: {
            fields: [
              { name: "port", type: { scalar: "numeric" } },
              { name: "protocol", type: { scalar: "string" }, default: protocol },
              { name: "name", type: { scalar: "string" } },
            ],
            ...(elementRelationship !== undefined && { elementRelationship }),
          },
        },
      ],
    } as unknown as Value)
  const key = 'k:{"port":80,"protocol":"TCP"}'
  const fieldsV1 = { "f:ports": { [key]: { ".": {}, "f:port": {}, "f:protocol": {}, "f:name": {} } } }
  const object = {
    ports: [{ port: 80, protocol: "TCP", name: "a" }],
    metadata: {
      managedFields: [{ manager: "ann", operation: "Apply", apiVersion: "v1", fieldsType: "FieldsV1", fieldsV1 }],
    },
  }
  const { changes } = schemaDiff(
    { schema: ports("TCP") },
    { schema: ports("UDP", "atomic") },
    { objects: [object], type: "spec" },
  )
  expect(changes.map(({ code, affected }) => [code, affected?.managers])).toEqual([
    ["map-atomic", ["ann"]],
    ["list-key-default", []],
  ])
})

describe("published definitions", () => {
  const text = gunzipSync(readFileSync(new URL("../../vectors/real-crds.json.gz", import.meta.url))).toString("utf8")
  const published = parseJson(text) as unknown as readonly RealCRD[]
  const atomicLists = (value: Value): Value => {
    if (isList(value)) return value.map(atomicLists)
    if (!isMap(value)) return value
    const entries = Object.entries(value).filter(([key]) => key !== "x-kubernetes-list-type")
    return Object.fromEntries(entries.map(([key, item]) => [key, atomicLists(item)]))
  }

  it.each(published)("are as they were beside themselves, and atomic without their list types: $name", ({ crd }) => {
    const read = schemaFromCRD(crd)
    expect(schemaDiff(read, schemaFromCRD(crd))).toMatchObject({ ownership: "no", changes: [] })
    const { changes } = schemaDiff(read, schemaFromCRD(atomicLists(crd)))
    expect(changes.map(({ code }) => code).filter(code => code !== "list-atomic")).toEqual([])
  })

  it("have such lists, except inside atomic ones", () => {
    const withLists = published.filter(
      ({ crd }) => schemaDiff(schemaFromCRD(crd), schemaFromCRD(atomicLists(crd))).changes.length > 0,
    )
    expect(withLists.length).toBeGreaterThan(published.length / 2)
  })
})

describe("docs/schema-diff.md", () => {
  it("has the table of the code", () => {
    const rows = Object.entries(schemaChangeRules).map(
      ([code, { what, ownership, effect }]) => `| \`${code}\` | ${what} | ${ownership} | ${effect} |`,
    )
    const head = "| code | what changes | ownership | what happens to owners |\n|---|---|---|---|\n"
    expect(read("docs/schema-diff.md")).toContain(`${head}${rows.join("\n")}\n\n`)
  })
})
