/** Stored objects: the limit on their size, empty managedFields, generations and finalizers. */
import { describe, expect, it } from "vitest"
import { deepFreeze } from "../support/deep-freeze.js"
import { clientOf } from "./requests.js"

const configMaps = "/api/v1/namespaces/default/configmaps"
const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions"
const daemonSets = "/apis/apps/v1/namespaces/default/daemonsets"
const settings = deepFreeze({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } })

/** Data of about 800 KB, whose managedFields need as much again. */
const manyKeys = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`${"key-".repeat(18)}${i}`, "A"]))

describe("the size of an object", () => {
  it("is reduced by dropping managedFields if they make the object too large", async () => {
    const send = clientOf()
    const created = await send("POST", configMaps, { ...settings, data: manyKeys })
    expect([created.status, created.body.metadata.managedFields]).toEqual([201, undefined])

    await send("POST", configMaps, { ...settings, metadata: { name: "put" } })
    const put = await send("PUT", `${configMaps}/put`, { ...settings, metadata: { name: "put" }, data: manyKeys })
    expect([put.status, put.body.metadata.managedFields]).toEqual([200, undefined])

    await send("POST", configMaps, { ...settings, metadata: { name: "patched" } })
    const patched = await send("PATCH", `${configMaps}/patched`, { data: manyKeys }, "merge")
    expect([patched.status, patched.body.metadata.managedFields]).toEqual([200, undefined])
  })

  it("makes the server refuse an apply that exceeds the limit, and an object that is too large without managedFields", async () => {
    const send = clientOf()
    const refused = { status: 500, body: { message: "etcdserver: request is too large" } }
    const path = `${configMaps}/settings?fieldManager=a`
    expect(await send("PATCH", path, { ...settings, data: manyKeys }, "apply")).toMatchObject(refused)
    const revision = (bytes: number) => ({ metadata: { name: "a" }, revision: 1, data: { a: "x".repeat(bytes) } })
    expect(await send("POST", revisions, revision(1_600_000))).toMatchObject(refused)
    expect((await send("POST", revisions, revision(1_500_000))).status).toBe(201)
  })
})

describe("empty managedFields", () => {
  it("make an update forget all owners, and later updates too", async () => {
    const send = clientOf()
    await send("PATCH", `${configMaps}/settings?fieldManager=a`, { ...settings, data: { a: "1" } }, "apply")
    const metadata = { name: "settings", managedFields: [] }
    const put = await send("PUT", `${configMaps}/settings`, { ...settings, metadata, data: { a: "1" } })
    const patched = await send("PATCH", `${configMaps}/settings`, { data: { a: "2" } }, "merge")
    expect([put.body.metadata.managedFields, patched.body.metadata.managedFields]).toEqual([undefined, undefined])
  })
})

describe("the generation of a template", () => {
  const annotation = "deprecated.daemonset.template.generation"
  const pods = (image: string) => ({
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "a", image }] } },
  })
  const agent = { apiVersion: "apps/v1", kind: "DaemonSet", metadata: { name: "agent" }, spec: pods("a:1") }

  it("belongs to the creator of a DaemonSet, and grows only with the template", async () => {
    const send = clientOf()
    const created = await send("POST", daemonSets, agent)
    expect(created.body.metadata.annotations).toEqual({ [annotation]: "1" })
    expect(created.body.metadata.managedFields[0].fieldsV1["f:metadata"]).toEqual({
      "f:annotations": { ".": {}, [`f:${annotation}`]: {} },
    })
    const path = `${daemonSets}/agent`
    const labelled = await send("PATCH", path, { metadata: { annotations: { [annotation]: "7" } } }, "merge")
    expect(labelled.body.metadata.annotations).toEqual({ [annotation]: "1" })
    const next = await send("PATCH", `${path}?fieldManager=b&force=true`, { ...agent, spec: pods("a:2") }, "apply")
    expect(next.body.metadata.annotations).toEqual({ [annotation]: "2" })
  })
})

describe("the last finalizer of an object", () => {
  const remove = { kind: "DeleteOptions", apiVersion: "v1" }

  it("deletes with it the object, its sole dependents, and theirs", async () => {
    const send = clientOf()
    const make = async (name: string, owners: string[], finalizers: string[] = []) => {
      const ownerReferences = owners.map(uid => ({ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }))
      const made = await send("POST", configMaps, { ...settings, metadata: { name, ownerReferences, finalizers } })
      return made.body.metadata.uid as string
    }
    const owner = await make("owner", [], ["a/b"])
    const other = await make("other", [])
    const owned = await make("owned", [owner])
    await make("owned-by-both", [owner, owned])
    await make("owned-by-two", [owner, other])
    await send("DELETE", `${configMaps}/owner`, remove)
    expect((await send("PATCH", `${configMaps}/owned`, {}, "merge")).status).toBe(200)
    await send("PATCH", `${configMaps}/owner`, { metadata: { finalizers: null } }, "merge")
    for (const gone of ["owner", "owned", "owned-by-both"]) {
      expect((await send("PATCH", `${configMaps}/${gone}`, {}, "merge")).status, gone).toBe(404)
    }
    const left = await send("PATCH", `${configMaps}/owned-by-two`, {}, "merge")
    expect(left.body.metadata.ownerReferences.map(({ uid }: { uid: string }) => uid)).toEqual([other])
  })

  it("deletes the namespace that waits for it", async () => {
    const send = clientOf()
    await send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "waiting" } })
    const inside = { ...settings, metadata: { name: "held", finalizers: ["a/b"] } }
    await send("POST", "/api/v1/namespaces/waiting/configmaps", inside)
    await send("DELETE", "/api/v1/namespaces/waiting", remove)
    expect((await send("PATCH", "/api/v1/namespaces/waiting", {}, "merge")).body.status.phase).toBe("Terminating")
    await send("PATCH", "/api/v1/namespaces/waiting/configmaps/held", { metadata: { finalizers: null } }, "merge")
    expect((await send("PATCH", "/api/v1/namespaces/waiting", {}, "merge")).status).toBe(404)
  })
})
