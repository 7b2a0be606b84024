/** What users of other tools reported: an Applier has to send what a server would change or refuse, and nothing else. */
import { beforeAll, describe, expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { loadCel } from "../../../src/kinds/rules/library.js"
import { Applier, sendByFetch } from "../../../src/tools/controller/index.js"
import { upgrade } from "../../../src/tools/managers/index.js"
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

/** A server, and who applies to it. */
function setUp(path: string, crds: readonly MapValue[] = []) {
  const server = serverOf(path, crds)
  const send = sendByFetch("http://test", { fetch: server.fetch })
  const clock = () => new Date("2026-01-01T00:00:00Z")
  const options = { types: kubernetes.with(crds), send, clock }
  return { ...server, applier: (manager: string) => new Applier({ manager, ...options }) }
}

describe("an Applier", () => {
  it("sends an apply that a manager at an older version makes impossible, which the server refuses", async () => {
    const { apply, define, get, fetch } = serverOf(bucketPath("v1beta1"))
    await define(bucketsDefinition("v1beta1"))
    await apply("flux", bucket("v1beta1", 1))
    await define(bucketsDefinition("v1beta3"))
    const send = sendByFetch("http://test", { fetch })
    const types = kubernetes.with([bucketsDefinition("v1beta3")])
    const live = await get(bucketPath("v1beta3"))
    expect(live).toMatchObject({ spec: { size: 1, accessPolicy: "Private" } })
    for (const force of [false, true]) {
      const applied = new Applier({ manager: "other", types, send }).apply(live, bucket("v1beta3", 2), { force })
      await expect(applied).rejects.toThrow(".spec.accessPolicy: field not declared in schema")
    }
  })

  it("sends another handler where a co-owner keeps the first, which the server refuses", async () => {
    const { apply, applier } = setUp(deploymentPath)
    await apply("flux", handlers.exec)
    const live = await apply("kubectl", handlers.exec)
    await expect(applier("flux").apply(live, handlers.httpGet)).rejects.toThrow(
      "may not specify more than 1 handler type",
    )
  })

  it("sends no values that a server has in another form, or does not store", async () => {
    const { applier } = setUp(deploymentPath)
    const me = applier("me")
    const { object } = await me.apply(undefined, inAnotherForm())
    expect(await me.apply(object, inAnotherForm())).toMatchObject({ sent: false, reason: "unchanged" })
  })

  it("removes no defaults after an upgrade from client-side apply", async () => {
    const { applier, send } = setUp(deploymentPath)
    const config = wholeDeployment({ replicas: 2 })
    const created = await send("POST", config, "kubectl-client-side-apply")
    const names = { ssaManager: "flux", csaManagers: "kubectl-client-side-apply" }
    const live = await send("PUT", upgrade(created, { types: kubernetes, ...names }).object, "upgrade")
    const { object } = await applier("flux").apply(live, config)
    expect((object as MapValue).spec).toEqual(live.spec)
  })

  it("sends an apply that drops a field, which gets its default back", async () => {
    const { applier } = setUp(deploymentPath)
    const me = applier("me")
    const { object } = await me.apply(undefined, wholeDeployment({ replicas: 9 }))
    const next = await me.apply(object, wholeDeployment({}))
    expect(next).toMatchObject({ sent: true, reason: "change", object: { spec: { replicas: 1 } } })
    expect(await me.apply(next.object, wholeDeployment({}))).toMatchObject({ sent: false, reason: "unchanged" })
  })

  it.each(gone)("is told that %j is not found", async config => {
    await expect(setUp(deploymentPath).applier("me").apply(undefined, config)).rejects.toMatchObject({ code: 404 })
  })

  it("does not send a status again, which a server resets", async () => {
    const { applier } = setUp(deploymentPath)
    const me = applier("me")
    const config = { ...wholeDeployment({}), status: { replicas: 3 } }
    const { object } = await me.apply(undefined, config)
    expect((object as MapValue).status).toEqual({})
    expect(await me.apply(object, config)).toMatchObject({ sent: false, reason: "unchanged" })
  })

  it.each(brokenGauges)(
    "sends a custom resource that breaks %s, which the server refuses",
    async (_, spec, message) => {
      const { applier } = setUp(gaugePath, [gauges])
      const me = applier("me")
      await expect(me.apply(undefined, gauge(spec))).rejects.toThrow(message)
      const { object } = await me.apply(undefined, gauge({}))
      await expect(me.apply(object, gauge(spec))).rejects.toThrow(message)
    },
  )

  it("owns replicas that were scaled and that nobody owned, without a conflict", async () => {
    const { apply, applier, get, scale } = setUp(deploymentPath)
    await apply("me", wholeDeployment({}))
    await scale({ spec: { replicas: 7 } })
    const me = applier("me")
    expect(await me.apply(await get(), wholeDeployment({}))).toMatchObject({ sent: false, reason: "unchanged" })
    const next = await me.apply(await get(), wholeDeployment({ replicas: 3 }))
    expect(next).toMatchObject({ sent: true, reason: "change", object: { spec: { replicas: 3 } } })
  })
})
