/** Cases that users of other tools reported: the test API server responds as a real one did, and an Applier sends every apply that matters. */
import { beforeAll, describe, expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { loadCel } from "../../../src/kinds/rules/library.js"
import { Applier, sendByFetch } from "../../../src/tools/controller/index.js"
import { upgrade } from "../../../src/tools/managers/index.js"
import { blame } from "../../../src/tools/ownership/blame.js"
import type { MapValue } from "../../../src/value/value.js"
import { wholeDeployment } from "../../support/deployment.js"
import {
  brokenGauges,
  bucket,
  bucketPath,
  bucketsDefinition,
  deploymentPath,
  gauge,
  gaugePath,
  gauges,
  gone,
  handlers,
  inAnotherForm,
  serverOf,
} from "../../support/reported.js"

beforeAll(loadCel)

/** A server, and its appliers. */
function setUp(path: string, crds: readonly MapValue[] = []) {
  const server = serverOf(path, crds)
  const send = sendByFetch("http://test", { fetch: server.fetch })
  const clock = () => new Date("2026-01-01T00:00:00Z")
  const options = { types: kubernetes.with(crds), send, clock }
  return { ...server, applier: (manager: string) => new Applier({ manager, ...options }) }
}

function ownersOf(object: MapValue, path: string): string[] {
  return blame(object)
    .at(path)
    .owners.map(({ manager }) => manager)
}

const unchanged = { sent: false, reason: "unchanged" }

describe("a server and an Applier", () => {
  it("refuse an apply if a manager's version lacks a field that the live object has by default", async () => {
    const { apply, define, get, send, fetch } = serverOf(bucketPath("v1beta3"))
    await define(bucketsDefinition("v1beta1"))
    expect(await apply("flux", bucket("v1beta1", 1), false, bucketPath("v1beta1"))).toMatchObject({ spec: { size: 1 } })
    await define(bucketsDefinition("v1beta3"))
    // The next write at the new version stores the default.
    const live = await send("PUT", await get(), "storage-migration")
    expect(live).toMatchObject({ spec: { size: 1, accessPolicy: "Private" } })
    const types = kubernetes.with([bucketsDefinition("v1beta3")])
    const applier = new Applier({ manager: "other", types, send: sendByFetch("http://test", { fetch }) })
    const message = ".spec.accessPolicy: field not declared in schema"
    for (const force of [false, true]) {
      const answer = await apply("other", bucket("v1beta3", 2), force)
      expect(answer).toMatchObject({ code: 500, message: expect.stringContaining(message) })
      await expect(applier.apply(live, bucket("v1beta3", 2), { force })).rejects.toThrow(message)
    }
  })

  it("refuse another handler if a co-owner keeps the first", async () => {
    const { apply, applier } = setUp(deploymentPath)
    await apply("flux", handlers.exec)
    const live = await apply("kubectl", handlers.exec)
    const message = "preStop.httpGet: Forbidden: may not specify more than 1 handler type"
    const answer = await apply("flux", handlers.httpGet)
    expect(answer).toMatchObject({ code: 422, message: expect.stringContaining(message) })
    await expect(applier("flux").apply(live, handlers.httpGet)).rejects.toThrow(message)
  })

  it("store and send nothing for values that the server stores in another form or drops", async () => {
    const { apply, applier } = setUp(deploymentPath)
    const created = await apply("me", inAnotherForm())
    expect(JSON.stringify(created.spec)).not.toContain("hostNetwork")
    expect(await apply("me", inAnotherForm())).toEqual(created)
    expect(await applier("me").apply(created, inAnotherForm())).toMatchObject(unchanged)
  })

  it.each(["server", "applier"])("remove no defaults after an upgrade from client-side apply: %s", async by => {
    const { apply, applier, send } = setUp(deploymentPath)
    const config = wholeDeployment({ replicas: 2 })
    const created = await send("POST", config, "kubectl-client-side-apply")
    const names = { ssaManager: "flux", csaManagers: "kubectl-client-side-apply" }
    const live = await send("PUT", upgrade(created, { types: kubernetes, ...names }).object, "upgrade")
    const after = by === "server" ? await apply("flux", config) : (await applier("flux").apply(live, config)).object
    expect((after as MapValue).spec).toEqual(live.spec)
  })

  it("restore the default of a field that its only owner drops", async () => {
    const { applier } = setUp(deploymentPath)
    const me = applier("me")
    const { object } = await me.apply(undefined, wholeDeployment({ replicas: 9 }))
    const next = await me.apply(object, wholeDeployment({}))
    expect(next).toMatchObject({ sent: true, reason: "change", object: { spec: { replicas: 1 } } })
    expect(ownersOf(next.object as MapValue, ".spec.replicas")).toEqual([])
    expect(await me.apply(next.object, wholeDeployment({}))).toMatchObject(unchanged)
  })

  it.each(gone)("do not find %j", async config => {
    const { apiVersion, kind } = config
    const plural = kind === "Ingress" ? "ingresses" : "deployments"
    const { apply, applier } = setUp(`/apis/${apiVersion}/namespaces/default/${plural}/web`)
    expect(await apply("me", config)).toMatchObject({ code: 404, reason: "NotFound" })
    await expect(applier("me").apply(undefined, config)).rejects.toMatchObject({ code: 404 })
  })

  it("reset the status of a configuration, which then has no owner", async () => {
    const { applier } = setUp(deploymentPath)
    const me = applier("me")
    const config = { ...wholeDeployment({}), status: { replicas: 3 } }
    const object = (await me.apply(undefined, config)).object as MapValue
    expect(object.status).toEqual({})
    expect(ownersOf(object, ".status.replicas")).toEqual([])
    expect(await me.apply(object, config)).toMatchObject(unchanged)
  })

  it.each(brokenGauges)("refuse a custom resource that breaks %s", async (_, spec, message) => {
    const { apply, applier, patch, send } = setUp(gaugePath, [gauges])
    const me = applier("me")
    const refused = [await send("POST", gauge(spec), "me"), await apply("me", gauge(spec))]
    await expect(me.apply(undefined, gauge(spec))).rejects.toThrow(message)
    const { object } = await me.apply(undefined, gauge({}))
    await expect(me.apply(object, gauge(spec))).rejects.toThrow(message)
    refused.push(await patch({ spec }))
    const isRefused = { code: 422, message: expect.stringContaining(message) }
    expect(refused).toMatchObject([isRefused, isRefused, isRefused])
  })

  it("leave replicas without an owner if nobody owned them before they were scaled", async () => {
    const { apply, applier, get, scale } = setUp(deploymentPath)
    await apply("me", wholeDeployment({}))
    await scale({ spec: { replicas: 7 } })
    const live = await get()
    expect(live.spec).toMatchObject({ replicas: 7 })
    expect(ownersOf(live, ".spec.replicas")).toEqual([])
    const me = applier("me")
    expect(await me.apply(live, wholeDeployment({}))).toMatchObject(unchanged)
    const next = await me.apply(live, wholeDeployment({ replicas: 3 }))
    expect(next).toMatchObject({ sent: true, reason: "change", object: { spec: { replicas: 3 } } })
  })
})
