/** Cases that users of other tools reported: the test API server must respond as a real one did. */
import { describe, expect, it } from "vitest"
import { kubernetes } from "../../src/kinds/kubernetes.js"
import { upgrade } from "../../src/tools/managers/index.js"
import { blame } from "../../src/tools/ownership/blame.js"
import type { MapValue } from "../../src/value/value.js"
import { wholeDeployment } from "../support/deployment.js"
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
} from "../support/reported.js"

function ownersOf(object: MapValue, path: string): string[] {
  return blame(object)
    .at(path)
    .owners.map(({ manager }) => manager)
}

describe("a server", () => {
  it("refuses an apply where a manager's version lacks a field that the live object has by default", async () => {
    const { apply, define } = serverOf(bucketPath("v1beta1"))
    await define(bucketsDefinition("v1beta1"))
    expect(await apply("flux", bucket("v1beta1", 1))).toMatchObject({ spec: { size: 1 } })
    await define(bucketsDefinition("v1beta3"))
    for (const force of [false, true]) {
      expect(await apply("other", bucket("v1beta3", 2), force, bucketPath("v1beta3"))).toMatchObject({
        code: 500,
        message: expect.stringContaining(".spec.accessPolicy: field not declared in schema"),
      })
    }
  })

  it("refuses another handler where a co-owner keeps the first", async () => {
    const { apply } = serverOf(deploymentPath)
    await apply("flux", handlers.exec)
    await apply("kubectl", handlers.exec)
    expect(await apply("flux", handlers.httpGet)).toMatchObject({
      code: 422,
      message: expect.stringContaining("preStop.httpGet: Forbidden: may not specify more than 1 handler type"),
    })
  })

  it("stores nothing for values that it has in another form, or not at all", async () => {
    const { apply } = serverOf(deploymentPath)
    const created = await apply("me", inAnotherForm())
    expect(JSON.stringify(created.spec)).not.toContain("hostNetwork")
    expect(await apply("me", inAnotherForm())).toEqual(created)
  })

  it("removes no defaults after an upgrade from client-side apply", async () => {
    const { apply, send } = serverOf(deploymentPath)
    const config = wholeDeployment({ replicas: 2 })
    const created = await send("POST", config, "kubectl-client-side-apply")
    const names = { ssaManager: "flux", csaManagers: "kubectl-client-side-apply" }
    const { spec } = await send("PUT", upgrade(created, { types: kubernetes, ...names }).object, "upgrade")
    expect((await apply("flux", config)).spec).toEqual(spec)
  })

  it("gives a field its default back that its only owner drops", async () => {
    const { apply } = serverOf(deploymentPath)
    await apply("me", wholeDeployment({ replicas: 9 }))
    const after = await apply("me", wholeDeployment({}))
    expect(after.spec).toMatchObject({ replicas: 1 })
    expect(ownersOf(after, ".spec.replicas")).toEqual([])
  })

  it.each(gone)("does not find %j", async config => {
    const { apiVersion, kind } = config
    const { apply } = serverOf(
      `/apis/${apiVersion}/namespaces/default/${kind === "Ingress" ? "ingresses" : "deployments"}/web`,
    )
    expect(await apply("me", config)).toMatchObject({ code: 404, reason: "NotFound" })
  })

  it("resets the status of a configuration, which nobody owns then", async () => {
    const after = await serverOf(deploymentPath).apply("me", { ...wholeDeployment({}), status: { replicas: 3 } })
    expect(after.status).toEqual({})
    expect(ownersOf(after, ".status.replicas")).toEqual([])
  })

  it.each(brokenGauges)("refuses a custom resource that breaks %s", async (_, spec, message) => {
    const { apply, patch, send } = serverOf(gaugePath, [gauges])
    const refused = [await send("POST", gauge(spec), "me"), await apply("me", gauge(spec))]
    await apply("you", gauge({}))
    refused.push(await patch({ spec }))
    const isRefused = { code: 422, message: expect.stringContaining(message) }
    expect(refused).toMatchObject([isRefused, isRefused, isRefused])
  })

  it("leaves replicas without an owner that nobody owned before they were scaled", async () => {
    const { apply, get, scale } = serverOf(deploymentPath)
    await apply("me", wholeDeployment({}))
    await scale({ spec: { replicas: 7 } })
    const after = await get()
    expect(after.spec).toMatchObject({ replicas: 7 })
    expect(ownersOf(after, ".spec.replicas")).toEqual([])
  })
})
