/** Requests in one line: `apply`, `create` and the like, and waits. */
import type { V1ConfigMap, V1Deployment } from "@kubernetes/client-node"
import { describe, expect, it } from "vitest"
import { TestClock } from "../../src/apiserver/reproducible/clock.js"
import { createApiServer } from "../../src/apiserver/server.js"
import { RefusedError } from "../../src/tools/controller/send.js"
import { definitionOf } from "../support/definition.js"

const labels = { app: "shop" }
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "shop:1.0" }] } }
const shop: V1Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop" },
  spec: { selector: { matchLabels: labels }, template },
}
const settings: V1ConfigMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "1" } }
const kindOfSettings = { apiVersion: "v1", kind: "ConfigMap" }

async function refusal(promise: Promise<unknown>): Promise<RefusedError> {
  const error: unknown = await promise.then(
    () => undefined,
    reason => reason,
  )
  if (error instanceof RefusedError) return error
  throw error ?? new Error("the request succeeded")
}

describe("requests about objects", () => {
  it("apply texts that YAML would refuse or fold", async () => {
    const data = { a: "a\u007fb\u0085c\u009bd\u2028e\uffff" }
    const { data: stored } = await createApiServer().apply({ ...settings, data }, { manager: "me" })
    expect(stored).toEqual(data)
  })

  it("get defaults, owners and the type of the given object", async () => {
    const server = createApiServer()
    const created = await server.apply(shop, { manager: "shop-operator" })
    expect(created.metadata.uid).toMatch(/^[\da-f-]{36}$/)
    expect([created.metadata.namespace, created.spec?.replicas]).toEqual(["default", 1])
    expect(created.metadata.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ["shop-operator", "Apply"],
    ])
    expect(server.requests.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual([
      "PATCH /apis/apps/v1/namespaces/default/deployments/shop?fieldManager=shop-operator 201",
    ])
  })

  it("are refused with the Status of the server", async () => {
    const server = createApiServer()
    const replicas = (count: number): V1Deployment => ({ ...shop, spec: { ...shop.spec, replicas: count } as never })
    await server.apply(replicas(2), { manager: "shop-operator" })
    const scale = await server.scale(shop, 5, { manager: "autoscaler" })
    expect([scale.kind, scale.spec]).toEqual(["Scale", { replicas: 5 }])
    const { code, message, status } = await refusal(server.apply(replicas(3), { manager: "shop-operator" }))
    expect([code, message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "autoscaler" with subresource "scale" using apps/v1: .spec.replicas',
    ])
    expect(status).toMatchObject({
      kind: "Status",
      reason: "Conflict",
      details: { causes: [{ field: ".spec.replicas" }] },
    })
    const forced = await server.apply(replicas(3), { manager: "shop-operator", force: true })
    expect(forced.spec?.replicas).toBe(3)
  })

  it("create, update, patch, read and delete", async () => {
    const server = createApiServer({
      crds: [
        definitionOf("Widget", {
          schema: { properties: { spec: { type: "object", properties: { size: { type: "integer" } } } } },
        }),
      ],
    })
    const created = await server.create(settings, { manager: "a" })
    const generated = await server.create({ ...settings, metadata: { generateName: "more-" } })
    expect(generated.metadata.name).toMatch(/^more-\w{5}$/)
    const updated = await server.update({ ...created, data: { a: "2" } }, { manager: "b" })
    const patched = await server.patch<V1ConfigMap>(settings, { data: { b: "3" } })
    expect([updated.data, patched.data]).toEqual([{ a: "2" }, { a: "2", b: "3" }])
    expect(patched.metadata.managedFields?.map(({ manager }) => manager)).toEqual(["a", "b", "test"])
    const { data } = await server.patch<V1ConfigMap>(settings, [{ op: "remove", path: "/data/a" }])
    expect(data).toEqual({ b: "3" })
    const listed = await server.list(kindOfSettings, { fieldSelector: "metadata.name=settings" })
    expect(listed.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(["ConfigMap settings"])
    expect(await server.list(kindOfSettings, { namespace: "kube-system" })).toEqual([])
    await server.delete(settings)
    expect((await refusal(server.get(settings))).message).toBe('configmaps "settings" not found')
    const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec: { size: 1 } }
    await server.create(widget)
    const merged = await server.patch(widget, { spec: { size: 2 } })
    expect(merged.spec.size).toBe(2)
  })

  it("have a type that requires more than their name", async () => {
    interface Settings {
      readonly metadata: { readonly name: string; readonly uid: string }
      readonly data: { readonly a: string }
    }
    const { data, ...header } = settings
    const server = createApiServer({ objects: [settings] })
    const found = await server.get<Settings>(header)
    const waited = await server.waitFor<Settings>(header, ({ data }) => data.a === "1")
    const [listed] = await server.list<Settings>(header)
    expect([found, waited, listed].map(object => object?.data.a)).toEqual(["1", "1", "1"])
    expect(listed?.metadata.uid).toBe(found.metadata.uid)
  })

  it("write a subresource, try without storing, and act as a user", async () => {
    const server = createApiServer({ authorization: "rbac" })
    await server.create(shop)
    const status = { ...shop, status: { replicas: 1, readyReplicas: 1 } }
    await server.apply(status, { manager: "controller", subresource: "status" })
    expect((await server.get<V1Deployment>(shop)).status?.readyReplicas).toBe(1)
    await server.patch(shop, { metadata: { labels } }, { dryRun: true })
    await server.delete(shop, { dryRun: true })
    expect((await server.get<V1Deployment>(shop)).metadata.labels).toBeUndefined()
    expect((await refusal(server.get(shop, { user: "ann" }))).message).toContain('User "ann" cannot get resource')
    const strict = server.patch(shop, { spec: { repicas: 1 } }, { fieldValidation: "Strict" })
    expect((await refusal(strict)).message).toContain('unknown field "spec.repicas"')
  })

  it("keep dependents of an orphaned object", async () => {
    const server = createApiServer()
    const { uid } = (await server.create(settings)).metadata
    const owner = { ...kindOfSettings, name: "settings", uid }
    await server.create({ ...settings, metadata: { name: "copy", ownerReferences: [owner] } })
    await server.delete(settings, { propagationPolicy: "Orphan" })
    expect(await server.list(kindOfSettings)).toHaveLength(1)
  })

  it("need a kind that is served, and a name", async () => {
    const server = createApiServer()
    await expect(server.get({ apiVersion: "example.com/v1", kind: "Widget" })).rejects.toThrow("no resource serves")
    await expect(server.get({ apiVersion: "apps/v1", kind: "Deploymnt" })).rejects.toThrow("did you mean Deployment?")
    await expect(server.get(kindOfSettings)).rejects.toThrow("expected an object with a name in its metadata")
    await expect(server.get({ metadata: { name: "a" } })).rejects.toThrow("expected an object with apiVersion and kind")
  })
})

describe("a wait", () => {
  const data = (a: string) => ({ data: { a } })

  it("ends with the state that meets the predicate, even if it lasts for one event", async () => {
    const server = createApiServer()
    const wait = server.waitFor<V1ConfigMap>(settings, object => object.data?.a === "2")
    await server.create(settings)
    await server.patch(settings, data("2"))
    await server.patch(settings, data("3"))
    expect((await wait).data).toEqual({ a: "2" })
    expect((await server.waitFor<V1ConfigMap>(settings)).data).toEqual({ a: "3" })
  })

  it("is for any object of a kind, or of all kinds", async () => {
    const server = createApiServer()
    const ofKind = server.waitFor(kindOfSettings)
    const ofAny = server.waitFor(({ kind, metadata }) => kind === "ConfigMap" && metadata.name === "settings")
    const elsewhere = server.waitFor({ ...kindOfSettings, metadata: { namespace: "kube-system" } })
    await server.create(settings)
    expect([(await ofKind).metadata.name, (await ofAny).metadata.name]).toEqual(["settings", "settings"])
    await server.create({ ...settings, metadata: { name: "there", namespace: "kube-system" } })
    expect((await elsewhere).metadata.name).toBe("there")
    expect((await server.waitFor(({ kind }) => kind === "ConfigMap")).metadata.name).toBe("settings")
  })

  it("is for the end of an object", async () => {
    const server = createApiServer()
    await server.waitForDeletion(settings)
    await server.create({ ...settings, metadata: { name: "settings", finalizers: ["example.com/held"] } })
    let isGone = false
    const gone = server.waitForDeletion(settings).then(() => (isGone = true))
    await server.delete(settings)
    expect(isGone).toBe(false)
    await server.patch(settings, { metadata: { finalizers: null } })
    await gone
  })

  it("fails when its time is up by the clock of the test, when its signal fires, and when the server closes", async () => {
    const clock = new TestClock()
    const server = createApiServer({ clock })
    const late = server.waitFor(settings, () => false, { timeout: 5_000 })
    await server.create(settings)
    clock.advance(4_999)
    clock.advance(1)
    await expect(late).rejects.toThrow("v1 ConfigMap default/settings did not meet the predicate within 5000 ms")
    const controller = new AbortController()
    const aborted = server.waitForDeletion(settings, { signal: controller.signal })
    controller.abort(new Error("enough"))
    await expect(aborted).rejects.toThrow("enough")
    await expect(server.waitForDeletion(settings, { signal: controller.signal })).rejects.toThrow("enough")
    const open = server.waitFor(() => false)
    server.close()
    await expect(open).rejects.toThrow("the server was closed")
  })

  it("fails with the error of the predicate", async () => {
    const server = createApiServer({ objects: [settings] })
    const wrong = server.waitFor(settings, () => {
      throw new Error("a mistake")
    })
    await expect(wrong).rejects.toThrow("a mistake")
  })

  it("gives objects that the test may change", async () => {
    const server = createApiServer({ objects: [settings] })
    const found = await server.waitFor<V1ConfigMap>(settings)
    if (found.data !== undefined) found.data.a = "changed"
    expect((await server.get<V1ConfigMap>(settings)).data).toEqual({ a: "1" })
  })
})
