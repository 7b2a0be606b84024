// CustomResourceDefinitions sent to the server. test/vectors has the recorded problems of each definition.
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import { parseJson } from "../../src/json/json.js"
import { checkDefinition } from "../../src/kinds/definition/problems.js"
import type { MapValue } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { definitionOf } from "../support/definition.js"
import type { RealCRD } from "../vectors/real-crds.js"
import { clientOf } from "./requests.js"

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
const text = gunzipSync(readFileSync(new URL("../vectors/real-crds.json.gz", import.meta.url))).toString("utf8")
const real = parseJson(text) as unknown as readonly RealCRD[]

function definition(properties: MapValue = {}, spec: MapValue = {}): MapValue {
  return definitionOf("Widget", { group: "example.org", schema: { properties }, spec })
}

interface Owned {
  readonly metadata: { readonly managedFields: readonly { readonly manager: string; readonly fieldsV1: unknown }[] }
}

function metadataOf(object: object): object {
  return { metadata: (object as Owned).metadata }
}

function without(object: object, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

describe("a definition", () => {
  it.each(real)("that is published is valid: $name", ({ crd }) => {
    const annotations = { "api-approved.kubernetes.io": "https://github.com/kubernetes/enhancements/pull/1111" }
    const approved = { ...crd, metadata: { ...(crd.metadata as MapValue), annotations } }
    expect(checkDefinition(deepFreeze(approved)).errors).toEqual([])
  })

  it("changes how stored objects are read: without removed fields, with new defaults, and with the same owners", async () => {
    const send = clientOf()
    const text = { type: "string" }
    const widgets = "/apis/example.org/v1/namespaces/default/widgets"
    const object = { apiVersion: "example.org/v1", kind: "Widget", metadata: { name: "a" }, x: "1", y: "1" }
    await send("POST", definitions, definition({ x: text, y: text }))
    const { body: created } = await send("POST", `${widgets}?fieldManager=ann`, object)
    const path = `${definitions}/widgets.example.org`
    const { body: stored } = await send("GET", path)
    await send("PUT", path, { ...definition({ y: text, z: { ...text, default: "new" } }), ...metadataOf(stored) })

    const { body: read } = await send("GET", `${widgets}/a`)
    expect(read).toEqual({ ...without(created, "x"), z: "new" })
    const { body: list } = await send("GET", widgets)
    expect(list).toMatchObject({ items: [without(read, "apiVersion", "kind")] })
    const { body: updated } = await send("PATCH", `${widgets}/a?fieldManager=bob`, { y: "2" }, "merge")
    const owners = (updated as Owned).metadata.managedFields.map(({ manager, fieldsV1 }) => [manager, fieldsV1])
    expect(owners).toEqual([
      ["ann", { "f:x": {} }],
      ["bob", { "f:y": {} }],
    ])
  })

  it("that is not structural is refused, and nothing is served", async () => {
    const send = clientOf()
    const { status, body } = await send("POST", definitions, definition({ spec: { properties: { a: {} } } }))
    expect(status).toBe(422)
    const path = "spec.validation.openAPIV3Schema.properties[spec]"
    const missing = "Required value: must not be empty for specified object fields"
    expect(body.details.causes).toEqual([
      { reason: "FieldValueRequired", message: missing, field: `${path}.properties[a].type` },
      { reason: "FieldValueRequired", message: missing, field: `${path}.type` },
    ])
    expect((await send("GET", "/apis/example.org/v1/widgets")).status).toBe(404)
  })

  it("is unchanged after a refused update", async () => {
    const send = clientOf()
    expect((await send("POST", definitions, definition())).status).toBe(201)
    const patch = { spec: { scope: "Cluster" } }
    const path = `${definitions}/widgets.example.org`
    const { status, body } = await send("PATCH", path, patch, "merge")
    expect([status, body.message]).toEqual([
      422,
      'CustomResourceDefinition.apiextensions.k8s.io "widgets.example.org" is invalid: spec.scope: Invalid value: "Cluster": field is immutable',
    ])
    expect((await send("GET", "/apis/example.org/v1/namespaces/default/widgets")).status).toBe(200)
  })
})

describe("a definition with a webhook", () => {
  const schema = { openAPIV3Schema: { type: "object" } }
  const webhook = { clientConfig: { url: "https://example.org" }, conversionReviewVersions: ["v1"] }
  const asking = definition(
    {},
    {
      versions: [
        { name: "v1", served: true, storage: true, schema },
        { name: "v2", served: true, storage: false, schema },
      ],
      conversion: { strategy: "Webhook", webhook },
    },
  )
  const widgets = (version: string) => `/apis/example.org/${version}/namespaces/default/widgets`
  const widget = (version: string) => ({
    apiVersion: `example.org/${version}`,
    kind: "Widget",
    metadata: { name: "a" },
  })

  it("is accepted with a warning, and serves objects at other versions only if the webhook answers", async () => {
    const callWebhook = () => Promise.reject(new Error("no route to host"))
    const send = clientOf(createApiServer({ callWebhook }))
    const { status, warnings } = await send("POST", definitions, asking)
    expect(status).toBe(201)
    expect(warnings).toContain("only the test API server calls the webhook")
    expect((await send("POST", widgets("v1"), widget("v1"))).status).toBe(201)
    expect((await send("GET", `${widgets("v1")}/a`)).status).toBe(200)
    const apply = (version: string) => send("PATCH", `${widgets(version)}/a?fieldManager=m`, widget(version), "apply")
    expect((await apply("v1")).status).toBe(200)
    for (const refused of [
      await send("GET", `${widgets("v2")}/a`),
      await send("GET", widgets("v2")),
      await send("POST", widgets("v2"), { ...widget("v2"), metadata: { name: "b" } }),
      await apply("v2"),
    ]) {
      expect(refused.status).toBe(500)
      expect(refused.body.message).toMatch(
        /^conversion webhook for example.org\/v[12], Kind=Widget failed: Post "https:.*": no route to host$/,
      )
    }
  })
})
