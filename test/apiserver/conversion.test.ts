/** Custom resources at several versions, converted by a webhook. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"
import type { WebhookFunction } from "../../src/write/admission/webhook-client.js"
import { definitionOf } from "../support/definition.js"
import { clientOf } from "./requests.js"

const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
const schema = { openAPIV3Schema: { type: "object", properties: { spec: open } } }
const definition = definitionOf("Cron", {
  group: "example.org",
  spec: {
    versions: ["v1", "v2"].map(name => ({ name, served: true, storage: name === "v1", schema })),
    conversion: {
      strategy: "Webhook",
      webhook: { clientConfig: { url: "https://hooks.test/convert" }, conversionReviewVersions: ["v1"] },
    },
  },
})
const path = (version: string) => `/apis/example.org/${version}/namespaces/default/crons`
const cron = (version: string, spec: object, name = "c") => ({
  apiVersion: `example.org/${version}`,
  kind: "Cron",
  metadata: { name },
  spec,
})

/** Converts `spec.when` of v1 to `spec.schedule` of v2 and back. Notes how many objects each review has. */
function converting(sizes: number[]): WebhookFunction {
  return async review => {
    await Promise.resolve()
    const { objects, desiredAPIVersion } = (review as { request: { objects: MapValue[]; desiredAPIVersion: string } })
      .request
    sizes.push(objects.length)
    const convertedObjects = objects.map(({ spec, metadata, ...object }) => {
      const { when, schedule, ...rest } = spec as MapValue
      const moved = desiredAPIVersion.endsWith("v2") ? { schedule: when } : { when: schedule }
      const labels = { converted: "yes" }
      return {
        ...object,
        metadata: { ...(metadata as MapValue), name: "changed", labels },
        apiVersion: desiredAPIVersion,
        spec: { ...rest, ...moved },
      }
    })
    return { convertedObjects, result: { status: "Success" } }
  }
}

function serverFor(answer: WebhookFunction) {
  const server = createApiServer({ crds: [definition], webhooks: { "crons.example.org": answer } })
  return clientOf(server)
}

describe("a conversion webhook", () => {
  it("converts objects that are written and read at a version other than the stored one", async () => {
    const send = serverFor(converting([]))
    const created = await send("POST", path("v2"), cron("v2", { schedule: "daily" }))
    expect(created).toMatchObject({ status: 201, body: { spec: { schedule: "daily" }, metadata: { name: "c" } } })
    const stored = await send("GET", `${path("v1")}/c`)
    expect(stored.body).toMatchObject({ apiVersion: "example.org/v1", spec: { when: "daily" } })
    expect(stored.body.metadata).toMatchObject({ name: "c", labels: { converted: "yes" } })
    expect((await send("GET", `${path("v2")}/c`)).body.spec).toEqual({ schedule: "daily" })
  })

  it("asks once for all objects of a list", async () => {
    const sizes: number[] = []
    const send = serverFor(converting(sizes))
    for (const name of ["a", "b", "c"]) await send("POST", path("v1"), cron("v1", { when: "daily" }, name))
    expect(sizes).toEqual([])
    const { body } = await send("GET", path("v2"))
    expect(body.items.map(({ spec }: { spec: object }) => spec)).toEqual(Array(3).fill({ schedule: "daily" }))
    expect(sizes).toEqual([3])
  })

  it("applies at a version with the owners of another", async () => {
    const send = serverFor(converting([]))
    await send("PATCH", `${path("v1")}/c?fieldManager=one`, cron("v1", { when: "daily" }), "apply")
    const conflict = await send(
      "PATCH",
      `${path("v2")}/c?fieldManager=two`,
      cron("v2", { schedule: "hourly" }),
      "apply",
    )
    expect(conflict.body.message).toBe('Apply failed with 1 conflict: conflict with "one": .spec.when')
    const applied = await send("PATCH", `${path("v2")}/c?fieldManager=two`, cron("v2", { more: 1 }), "apply")
    expect(applied.body.spec).toEqual({ schedule: "daily", more: 1 })
  })

  it("fails the request in a server's words", async () => {
    const refusing = serverFor(() => ({ result: { status: "Failure", message: "no" } }))
    await refusing("POST", path("v1"), cron("v1", { when: "daily" }))
    const { status, body } = await refusing("GET", `${path("v2")}/c`)
    expect([status, body.message]).toEqual([500, "conversion webhook for example.org/v1, Kind=Cron failed: no"])
    const short = serverFor(() => ({ convertedObjects: [], result: { status: "Success" } }))
    await short("POST", path("v1"), cron("v1", { when: "daily" }))
    expect((await short("GET", path("v2"))).body.message).toBe(
      "conversion webhook for example.org/v1, Kind=Cron returned 0 objects, expected 1",
    )
  })

  it("converts the objects and the events of a watch", async () => {
    const sizes: number[] = []
    const server = createApiServer({ crds: [definition], webhooks: { "crons.example.org": converting(sizes) } })
    const send = clientOf(server)
    for (const name of ["a", "b"]) await send("POST", path("v1"), cron("v1", { when: "daily" }, name))
    const { status, body } = await server.answer({ method: "GET", path: `${path("v2")}?watch=true` })
    expect([status, sizes]).toEqual([200, [2]])
    const events = eventsOf(body as AsyncIterable<Uint8Array>)
    const next = async () => (await events.next()).value
    expect([await next(), await next()]).toMatchObject([
      { type: "ADDED", object: { apiVersion: "example.org/v2", metadata: { name: "a" }, spec: { schedule: "daily" } } },
      { type: "ADDED", object: { metadata: { name: "b" } } },
    ])
    const waiting = next()
    await send("POST", path("v1"), cron("v1", { when: "hourly" }, "c"))
    await send("DELETE", `${path("v1")}/a`)
    await send("PATCH", `${path("v1")}/b`, { spec: { when: "weekly" } }, "merge")
    expect([await waiting, await next(), await next()]).toMatchObject([
      { type: "ADDED", object: { metadata: { name: "c" }, spec: { schedule: "hourly" } } },
      { type: "DELETED", object: { metadata: { name: "a" }, spec: { schedule: "daily" } } },
      { type: "MODIFIED", object: { metadata: { name: "b" }, spec: { schedule: "weekly" } } },
    ])
    await events.return(undefined)
  })

  it("ends a watch with its error", async () => {
    let fails = false
    const answer = converting([])
    const server = createApiServer({
      crds: [definition],
      webhooks: { "crons.example.org": review => (fails ? { result: { message: "no" } } : answer(review)) },
    })
    const send = clientOf(server)
    const { body } = await server.answer({ method: "GET", path: `${path("v2")}?watch=true` })
    const events = eventsOf(body as AsyncIterable<Uint8Array>)
    const waiting = events.next()
    fails = true
    await send("POST", path("v1"), cron("v1", { when: "daily" }))
    expect((await waiting).value).toMatchObject({
      type: "ERROR",
      object: { code: 500, message: expect.stringMatching(/no$/) },
    })
    expect((await events.next()).done).toBe(true)
  })
})

/** Returns the events of a watch. */
async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<MapValue> {
  for await (const chunk of body) {
    for (const line of new TextDecoder().decode(chunk).trim().split("\n")) yield JSON.parse(line)
  }
}
