/** Events, which are served in two groups. */
import { describe, expect, it } from "vitest"
import { createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"
import { clientOf } from "./requests.js"

const core = "/api/v1/namespaces/default/events"
const group = "/apis/events.k8s.io/v1/namespaces/default/events"

const regarding = { kind: "Pod", namespace: "default", name: "p" }
const source = { component: "kubelet", host: "node" }
const times = { firstTimestamp: "2026-01-01T00:00:00Z", lastTimestamp: "2026-01-02T00:00:00Z" }
const event = {
  metadata: { name: "e" },
  involvedObject: regarding,
  reason: "Pulled",
  message: "all is well",
  type: "Normal",
  count: 2,
  source,
  reportingComponent: "kubelet",
  ...times,
}

const newEvent = {
  metadata: { name: "e" },
  regarding,
  reason: "R",
  note: "n",
  type: "Normal",
  action: "A",
  eventTime: "2026-01-01T00:00:00.000000Z",
  reportingController: "c",
  reportingInstance: "i",
}

describe("an Event", () => {
  it("of v1 is read at events.k8s.io/v1 with the field names of that version", async () => {
    const server = createApiServer()
    const send = clientOf(server)
    const { body: created } = await send("POST", core, event)
    const { metadata: _, ...read } = (await send("GET", `${group}/e`)).body
    expect(read).toEqual({
      kind: "Event",
      apiVersion: "events.k8s.io/v1",
      regarding,
      reason: "Pulled",
      note: "all is well",
      type: "Normal",
      deprecatedCount: 2,
      deprecatedSource: source,
      deprecatedFirstTimestamp: times.firstTimestamp,
      deprecatedLastTimestamp: times.lastTimestamp,
      eventTime: null,
      reportingController: "kubelet",
    })
    expect((await send("GET", `${core}/e`)).body).toEqual(created)
    expect(server.snapshot().filter(({ kind }) => kind === "Event")).toEqual([created])
  })

  it("of events.k8s.io/v1 is changed, listed and deleted at v1", async () => {
    const send = clientOf()
    await send("POST", group, newEvent)
    await send("PATCH", `${core}/e`, { message: "m" }, "merge")
    expect((await send("GET", `${group}/e`)).body).toMatchObject({ note: "m", eventTime: newEvent.eventTime })
    const { body: ofPod } = await send("GET", `${core}?fieldSelector=involvedObject.name=p`)
    expect(ofPod.items).toMatchObject([{ message: "m", involvedObject: regarding, reportingComponent: "c" }])
    expect((await send("GET", `${group}?fieldSelector=regarding.name=other`)).body.items).toEqual([])
    expect((await send("GET", `${group}?fieldSelector=regarding.name=p`)).body.items).toMatchObject([{ note: "m" }])
    await send("DELETE", `${group}/e`)
    expect((await send("GET", `${core}/e`)).status).toBe(404)
  })

  it("keeps its owners at both versions", async () => {
    const send = clientOf()
    await send("POST", `${group}?fieldManager=old`, newEvent)
    const apply = { apiVersion: "v1", kind: "Event", message: "other" }
    const path = `${core}/e?fieldManager=new`
    const { body: refused } = await send("PATCH", path, apply, "apply")
    expect(refused.message).toBe('Apply failed with 1 conflict: conflict with "old" using events.k8s.io/v1: .note')
    const { body: forced } = await send("PATCH", `${path}&force=true`, apply, "apply")
    const { managedFields } = forced.metadata
    expect(managedFields.map(({ manager, apiVersion }: MapValue) => [manager, apiVersion])).toEqual([
      ["new", "v1"],
      ["old", "events.k8s.io/v1"],
    ])
    expect(JSON.stringify(managedFields[1])).not.toContain("f:note")
  })
})
