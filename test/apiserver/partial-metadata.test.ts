/** Requests for the metadata of objects only, as client-go's metadata client and informer send them. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"

const path = "/api/v1/namespaces/default/configmaps"
const metadata = { name: "a", namespace: "default", labels: { app: "web" } }

function serverWithObject() {
  return createApiServer({ objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata, data: { secret: "kept out" } }] })
}

async function ask(url: string, as: string, version = "v1", init: RequestInit = {}): Promise<unknown> {
  const accept = `application/json;as=${as};g=meta.k8s.io;v=${version},application/json`
  const headers = { accept, ...(init.headers as Record<string, string>) }
  const response = await serverWithObject().fetch(new Request(`http://test${url}`, { ...init, headers }))
  return response.json()
}

describe.each(["v1", "v1beta1"])("PartialObjectMetadata of %s", version => {
  const partial = { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}` }

  it("is the answer to a get, with owners and without data", async () => {
    const answer = await ask(`${path}/a`, "PartialObjectMetadata", version)
    expect(answer).toMatchObject({ ...partial, metadata: { ...metadata, managedFields: [{ manager: "load" }] } })
    expect(Object.keys(answer as object).sort()).toEqual(["apiVersion", "kind", "metadata"])
  })

  it("is each item of a list, which keeps the resourceVersion of the list", async () => {
    const answer = await ask(path, "PartialObjectMetadataList", version)
    expect(answer).toEqual({
      kind: "PartialObjectMetadataList",
      apiVersion: `meta.k8s.io/${version}`,
      metadata: { resourceVersion: expect.stringMatching(/^[1-9]\d*$/) },
      items: [{ ...partial, metadata: expect.objectContaining(metadata) }],
    })
  })

  it("is the answer to a patch", async () => {
    const answer = await ask(`${path}/a?fieldManager=m`, "PartialObjectMetadata", version, {
      method: "PATCH",
      headers: { "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ metadata: { labels: { tier: "front" } } }),
    })
    expect(answer).toEqual({
      ...partial,
      metadata: expect.objectContaining({ labels: { app: "web", tier: "front" } }),
    })
  })

  it("is the object of each event of a watch, bookmarks included", async () => {
    const server = serverWithObject()
    const accept = `application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=${version}`
    const query = "watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"
    const response = await server.fetch(
      new Request(`http://test${path}?${query}&timeoutSeconds=1`, { headers: { accept } }),
    )
    const events = (await response.text()).trim().split("\n")
    expect(events.map(line => JSON.parse(line))).toMatchObject([
      { type: "ADDED", object: { ...partial, metadata } },
      { type: "BOOKMARK", object: { ...partial, metadata: { annotations: { "k8s.io/initial-events-end": "true" } } } },
    ])
    expect(events[0]).not.toContain("kept out")
  })
})

it("refuses a request for an unknown version of meta.k8s.io if the client accepts nothing else", async () => {
  const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v2"
  const response = await serverWithObject().fetch(new Request(`http://test${path}/a`, { headers: { accept } }))
  expect(response.status).toBe(406)
})
