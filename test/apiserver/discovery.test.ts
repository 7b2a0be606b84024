// Discovery, as a kube-apiserver v1.37.1 answers it.
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"

const schema = { openAPIV3Schema: { type: "object" } }
const versions = ["v1", "v1beta1"].map(name => ({ name, served: true, storage: name === "v1", schema }))
const crds = [definitionOf("Thing", { group: "g200037.example.net", spec: { versions } })]
const server = createApiServer({ crds })

/** Returns the hash of the stored kind of each resource that a server lists at the path. */
async function hashes(path: string): Promise<Record<string, unknown>> {
  const answer = await server.fetch(new Request(`http://server${path}`))
  const { resources } = (await answer.json()) as { resources: readonly MapValue[] }
  return Object.fromEntries(resources.map(({ name, storageVersionHash }) => [name, storageVersionHash]))
}

describe("the hash of a stored kind", () => {
  it("is that of the group, the storage version and the kind", async () => {
    expect(await hashes("/api/v1")).toMatchObject({ configmaps: "qFsyl6wFWjQ=", pods: "xPOwRZ+Yhw8=" })
    expect(await hashes("/apis/apps/v1")).toMatchObject({ deployments: "8aSe+NMegvE=" })
    for (const version of ["v1", "v1beta1"]) {
      expect(await hashes(`/apis/g200037.example.net/${version}`)).toEqual({ things: "h06MD55cvPU=" })
    }
  })

  it("is absent for subresources and for kinds that are not stored", async () => {
    const found = await hashes("/api/v1")
    for (const name of ["pods/status", "bindings", "componentstatuses"])
      expect([name, found[name]]).toEqual([name, undefined])
    expect(await hashes("/apis/authorization.k8s.io/v1")).toMatchObject({ subjectaccessreviews: undefined })
  })
})

it("does not call the index of OpenAPI documents JSON", async () => {
  const answer = await server.fetch(new Request("http://server/openapi/v3"))
  expect(answer.headers.get("content-type")).toBe("text/plain; charset=utf-8")
  expect(Object.keys(((await answer.json()) as { paths: object }).paths)).toContain("apis/apps/v1")
})

it("lists the metadata of no objects as null", async () => {
  const accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
  const request = new Request("http://server/api/v1/configmaps", { headers: { accept } })
  expect(await (await server.fetch(request)).json()).toMatchObject({ kind: "PartialObjectMetadataList", items: null })
})
