/** The OpenAPI documents of custom resources: the operations, the schemas and the texts of a kube-apiserver v1.37.1. */
import { expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"
import { clientOf } from "./requests.js"

const embedded = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  "x-kubernetes-preserve-unknown-fields": true,
}
const limits = { "x-kubernetes-int-or-string": true }
const spec = { type: "object", properties: { limits, template: embedded, replicas: { type: "integer" } } }
const openAPIV3Schema = { type: "object", description: "A thing.", properties: { spec } }
const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" }
const v1 = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema },
  subresources: { status: {}, scale },
  selectableFields: [{ jsonPath: ".spec.replicas" }],
}
const things = definitionOf("Thing", { spec: { versions: [v1] } })

/** Returns the document of the definition's group. */
async function documentFor(definition: object) {
  const send = clientOf(createApiServer({ crds: [definition] }))
  return (await send("GET", "/openapi/v3/apis/example.com/v1")).body
}

it("have an operation for each request, with an id and its parameters", async () => {
  const { info, paths } = await documentFor(things)
  expect(info).toEqual({ title: "Kubernetes CRD Swagger", version: "v0.1.0" })
  const ids = Object.values(paths as Record<string, MapValue>).flatMap(item =>
    Object.values(item).flatMap(each => (Array.isArray(each) ? [] : [(each as MapValue).operationId])),
  )
  expect(ids).toEqual([
    "listExampleComV1NamespacedThing",
    "createExampleComV1NamespacedThing",
    "deleteExampleComV1CollectionNamespacedThing",
    ...["read", "replace", "delete", "patch"].map(verb => `${verb}ExampleComV1NamespacedThing`),
    ...["read", "replace", "patch"].map(verb => `${verb}ExampleComV1NamespacedThingScale`),
    ...["read", "replace", "patch"].map(verb => `${verb}ExampleComV1NamespacedThingStatus`),
    "listExampleComV1ThingForAllNamespaces",
  ])
  const { patch } = paths["/apis/example.com/v1/namespaces/{namespace}/things/{name}"]
  expect(patch.parameters.map(({ name }: MapValue) => name)).toEqual([
    "dryRun",
    "fieldManager",
    "fieldValidation",
    "force",
  ])
})

it("describe the fields that every object has, embedded resources, and numbers that may be texts", async () => {
  const { schemas } = (await documentFor(things)).components
  const { "com.example.v1.Thing": thing, "com.example.v1.ThingList": list } = schemas
  expect(thing.description).toBe("A thing.")
  expect(thing.properties.kind.description).toMatch(/^Kind is a string value representing the REST resource/)
  expect(thing.properties.spec.properties.limits.anyOf).toEqual([{ type: "integer" }, { type: "string" }])
  expect(thing.properties.spec.properties.template).toMatchObject({
    required: ["kind", "apiVersion"],
    properties: {
      metadata: { allOf: [{ $ref: "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta" }] },
    },
  })
  expect(thing["x-kubernetes-selectable-fields"]).toEqual([{ fieldPath: "spec.replicas" }])
  expect(list.required).toEqual(["items"])
  expect(Object.keys(schemas)).toContain("io.k8s.api.autoscaling.v1.Scale")
  expect(schemas["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"].properties.labels.description).toBeTypeOf("string")
})

it("say nothing about the fields of a version without a schema", async () => {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
  const { subresources: _, selectableFields: __, ...plain } = v1
  const version = { ...plain, schema: { openAPIV3Schema: open } }
  const { schemas } = (await documentFor(definitionOf("Thing", { spec: { versions: [version] } }))).components
  expect(schemas["com.example.v1.Thing"]["x-kubernetes-preserve-unknown-fields"]).toBe(true)
  expect(Object.keys(schemas)).not.toContain("io.k8s.api.autoscaling.v1.Scale")
})
