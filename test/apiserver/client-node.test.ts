/** @kubernetes/client-node against the server on a port, as a program in Node uses a cluster. */
import {
  ApiException,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1Deployment,
  Watch,
} from "@kubernetes/client-node"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type Listening, listen } from "../../src/apiserver/node/listen.js"
import { definitionOf } from "../support/definition.js"

const namespace = "default"
let listening: Listening
let config: KubeConfig
let core: CoreV1Api

beforeEach(async () => {
  let seconds = 0
  listening = await listen({ clock: () => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds++)) })
  config = new KubeConfig()
  config.loadFromString(listening.kubeconfig)
  core = config.makeApiClient(CoreV1Api)
})

afterEach(() => listening.close())

const configMap = (name: string, data: Record<string, string> = {}): V1ConfigMap => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data,
})

/** Returns the error of a request. Its body is the Status, as text or as an object. */
async function errorOf(request: Promise<unknown>) {
  try {
    await request
  } catch (error) {
    if (!(error instanceof ApiException)) throw error
    const { code, body } = error
    return { code, status: (typeof body === "string" ? JSON.parse(body) : body) as Record<string, unknown> }
  }
  throw new Error("the request succeeded")
}

describe("@kubernetes/client-node", () => {
  it("creates, reads, replaces, patches, lists and deletes", async () => {
    const created = await core.createNamespacedConfigMap({ namespace, body: configMap("settings", { color: "blue" }) })
    expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date)
    const replaced = await core.replaceNamespacedConfigMap({
      namespace,
      name: "settings",
      body: { ...created, data: { color: "red" } },
    })
    expect(replaced.data).toEqual({ color: "red" })
    const patched = await core.patchNamespacedConfigMap(
      { namespace, name: "settings", body: [{ op: "replace", path: "/data/color", value: "green" }] },
      setHeaderOptions("Content-Type", PatchStrategy.JsonPatch),
    )
    expect(patched.data).toEqual({ color: "green" })
    const { items } = await core.listConfigMapForAllNamespaces({ fieldSelector: "metadata.name=settings" })
    expect(items.map(item => item.data)).toEqual([{ color: "green" }])
    expect((await core.deleteNamespacedConfigMap({ namespace, name: "settings" })).status).toBe("Success")
    expect((await core.listNamespacedConfigMap({ namespace })).items).toEqual([])
  })

  it("has the Status of a refused request", async () => {
    const body = configMap("settings")
    const created = await core.createNamespacedConfigMap({ namespace, body })
    const again = await errorOf(core.createNamespacedConfigMap({ namespace, body }))
    expect([again.code, again.status.reason]).toEqual([409, "AlreadyExists"])
    const absent = await errorOf(core.readNamespacedConfigMap({ namespace, name: "absent" }))
    expect([absent.code, absent.status.message]).toEqual([404, 'configmaps "absent" not found'])
    await core.replaceNamespacedConfigMap({ namespace, name: "settings", body: { ...created, data: { a: "b" } } })
    const late = await errorOf(core.replaceNamespacedConfigMap({ namespace, name: "settings", body: created }))
    expect([late.code, late.status.reason]).toEqual([409, "Conflict"])
  })

  it("applies, with conflicts and with force", async () => {
    const objects = KubernetesObjectApi.makeApiClient(config)
    const apply = (manager: string, replicas: number, force = false) => {
      const labels = { app: "web" }
      const deployment: V1Deployment = {
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "web", namespace },
        spec: {
          replicas,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
        },
      }
      return objects.patch(deployment, undefined, undefined, manager, force, PatchStrategy.ServerSideApply)
    }
    const created = (await apply("gitops", 2)) as V1Deployment
    expect(created.spec?.strategy?.type).toBe("RollingUpdate")
    const refused = await errorOf(apply("autoscaler", 5))
    expect([refused.code, refused.status.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "gitops": .spec.replicas',
    ])
    const forced = (await apply("autoscaler", 5, true)) as V1Deployment
    expect(forced.spec?.replicas).toBe(5)
    expect(forced.metadata?.managedFields?.map(({ manager }) => manager)).toEqual(["gitops", "autoscaler"])
  })

  it("watches", async () => {
    const seen: string[] = []
    const before = await core.listNamespacedConfigMap({ namespace })
    const ended = new Promise<void>((resolve, reject) => {
      const on = (type: string, object: V1ConfigMap) => seen.push(`${type} ${object.metadata?.name}`)
      const done = (error: Error | null) => (error === null ? resolve() : reject(error))
      const query = { resourceVersion: before.metadata?.resourceVersion ?? "" }
      new Watch(config).watch(`/api/v1/namespaces/${namespace}/configmaps`, query, on, done).catch(reject)
    })
    await core.createNamespacedConfigMap({ namespace, body: configMap("a") })
    await core.deleteNamespacedConfigMap({ namespace, name: "a" })
    await expect.poll(() => seen).toEqual(["ADDED a", "DELETED a"])
    listening.server.close()
    await ended
  })

  it("has an informer that continues after the end of its watch, and lists again after 410", async () => {
    await core.createNamespacedConfigMap({ namespace, body: configMap("a") })
    let lists = 0
    const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () => {
      lists++
      return core.listNamespacedConfigMap({ namespace })
    })
    const names = () =>
      informer
        .list(namespace)
        .map(object => object.metadata?.name)
        .sort()
    const errors: unknown[] = []
    informer.on("error", error => errors.push(error))
    await informer.start()
    await core.createNamespacedConfigMap({ namespace, body: configMap("b") })
    await expect.poll(names).toEqual(["a", "b"])
    // The watch ends, and the next one begins at the same event.
    listening.server.close()
    await core.deleteNamespacedConfigMap({ namespace, name: "a" })
    await expect.poll(names).toEqual(["b"])
    expect(lists).toBe(1)
    // The server forgets the events before the next watch at once.
    listening.server.close()
    listening.server.load([configMap("c")])
    listening.server.compact(listening.server.resourceVersion)
    await expect.poll(names).toEqual(["b", "c"])
    expect([lists, errors]).toEqual([2, []])
    await informer.stop()
  })

  it("uses custom resources", async () => {
    const group = "example.com"
    const schema = {
      type: "object",
      properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
    }
    listening.server.load([definitionOf("Widget", { group, schema })])
    const custom = config.makeApiClient(CustomObjectsApi)
    const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "one" }, spec: { size: 1 } }
    const where = { group, version: "v1", namespace, plural: "widgets", name: "one" }
    const options = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply)
    await custom.patchNamespacedCustomObject({ ...where, body, fieldManager: "me" }, options)
    expect(await custom.getNamespacedCustomObject(where)).toMatchObject({ spec: { size: 1 } })
    const wrong = custom.patchNamespacedCustomObject(
      { ...where, body: { ...body, spec: { size: "large" } }, fieldManager: "me" },
      options,
    )
    expect((await errorOf(wrong)).code).toBe(500)
  })
})
