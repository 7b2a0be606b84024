/** The test API server from outside, as its clients see it. */
import { describe, expect, it } from "vitest"
import type { ApiServerOptions } from "../../src/apiserver/options.js"
import { createApiServer } from "../../src/apiserver/server.js"
import type { MapValue } from "../../src/value/value.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { definitionOf } from "../support/definition.js"

const configMaps = "/api/v1/namespaces/default/configmaps"
const deployments = "/apis/apps/v1/namespaces/default/deployments"

const settings = deepFreeze({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { a: "1" } })
const web = deepFreeze({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "app", image: "nginx:1.25" }] },
    },
  },
})
const widgets = definitionOf("Widget", {
  schema: {
    properties: {
      spec: { type: "object", properties: { size: { type: "integer" }, color: { type: "string", default: "blue" } } },
      status: { type: "object", properties: { size: { type: "integer" } } },
    },
  },
  version: {
    subresources: { status: {}, scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" } },
    additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
  },
  spec: { names: { plural: "widgets", kind: "Widget", shortNames: ["wd"] } },
})

const pod = (spec: MapValue) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web" },
  spec: { containers: [{ name: "app", image: "nginx:1.25" }], ...spec },
})

interface Sent {
  readonly status: number
  readonly headers: Headers
  readonly body: Answer
}

/** The parts of responses that the tests check: objects, lists, tables, Statuses and discovery. */
interface Answer extends MapValue {
  readonly kind: string
  readonly message: string
  readonly metadata: Metadata
  readonly data: MapValue
  readonly spec: MapValue
  readonly status: MapValue
  readonly items: readonly Named[]
  readonly columnDefinitions: readonly { readonly name: string }[]
  readonly rows: readonly MapValue[]
  readonly resources: readonly { readonly name: string }[]
  readonly minor: string
}

interface Metadata extends MapValue {
  readonly name: string
  readonly continue: string
}

interface Named extends MapValue {
  readonly metadata: Metadata
}

/** Returns the body: text for a path at which there is nothing, and otherwise an object. */
async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  return response.headers.get("content-type")?.startsWith("text/plain") ? text : JSON.parse(text)
}

function client(options: ApiServerOptions = {}) {
  const server = createApiServer(options)
  const send = async (method: string, path: string, body?: object | string, headers: Record<string, string> = {}) => {
    const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body)
    const init = { method, headers: { "content-type": "application/json", ...headers } }
    const request = new Request(`http://test${path}`, text === undefined ? init : { ...init, body: text })
    const response = await server.fetch(request)
    return { status: response.status, headers: response.headers, body: await bodyOf(response) } as Sent
  }
  const apply = (path: string, object: object, query: string) =>
    send("PATCH", `${path}?${query}`, object, { "content-type": "application/apply-patch+yaml" })
  const merge = (path: string, patch: object, query = "") =>
    send("PATCH", `${path}?${query}`, patch, { "content-type": "application/merge-patch+json" })
  return { server, send, apply, merge }
}

function managersOf(object: MapValue): string[] {
  const { managedFields = [] } = object.metadata as unknown as { managedFields?: Record<string, string>[] }
  return managedFields.map(({ manager, operation, subresource }) =>
    [manager, operation, subresource].filter(Boolean).join(" "),
  )
}

describe("writing", () => {
  it("creates, reads, updates and deletes", async () => {
    const { send } = client()
    const created = await send("POST", configMaps, settings, { "user-agent": "kubectl/v1.37 (linux)" })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ metadata: { name: "settings", namespace: "default" }, data: { a: "1" } })
    expect(managersOf(created.body)).toEqual(["kubectl Update"])
    expect((await send("POST", configMaps, settings)).body).toMatchObject({ reason: "AlreadyExists", code: 409 })
    const updated = await send("PUT", `${configMaps}/settings?fieldManager=x`, { ...created.body, data: { a: "2" } })
    expect(updated.status).toBe(200)
    expect(managersOf(updated.body)).toEqual(["kubectl Update", "x Update"])
    const stale = await send("PUT", `${configMaps}/settings`, { ...created.body, data: { a: "3" } })
    expect(stale.body).toMatchObject({
      reason: "Conflict",
      code: 409,
      message: expect.stringContaining("has been modified"),
    })
    expect((await send("GET", `${configMaps}/settings`)).body.data).toEqual({ a: "2" })
    expect((await send("DELETE", `${configMaps}/settings`)).body).toMatchObject({ kind: "Status", status: "Success" })
    expect((await send("GET", `${configMaps}/settings`)).body).toMatchObject({
      code: 404,
      details: { kind: "configmaps" },
    })
  })

  it("applies, refuses conflicts, and takes fields by force", async () => {
    const { apply } = client()
    const path = `${deployments}/web`
    expect((await apply(path, web, "fieldManager=gitops")).status).toBe(201)
    const more = { ...web, spec: { replicas: 5 } }
    const refused = await apply(path, more, "fieldManager=scaler")
    expect(refused).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "gitops": .spec.replicas' },
    })
    const forced = await apply(path, more, "fieldManager=scaler&force=true")
    expect(forced.body).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 5 } })
    const again = await apply(path, more, "fieldManager=scaler&force=true")
    expect(again.body.metadata.resourceVersion).toBe(forced.body.metadata.resourceVersion)
  })

  it("checks its options, and the body of an apply", async () => {
    const { apply, merge } = client()
    const path = `${configMaps}/settings`
    expect((await apply(path, settings, "")).body).toMatchObject({ code: 422, details: { kind: "PatchOptions" } })
    expect((await merge(path, {}, "force=true")).body.message).toContain("force: Forbidden")
    expect((await apply(path, settings, "fieldManager=a&dryRun=maybe")).status).toBe(422)
    expect((await apply(path, { ...settings, kind: "Secret" }, "fieldManager=a")).status).toBe(400)
    const other = { ...settings, metadata: { name: "other" } }
    expect((await apply(path, other, "fieldManager=a")).body.message).toBe(
      "the name of the object (other) does not match the name on the URL (settings)",
    )
  })

  it("needs the name of the object in a PUT, even of an object that does not exist", async () => {
    const { send } = client()
    const { body } = await send("PUT", `${configMaps}/none`, { ...settings, metadata: {} })
    expect(body).toMatchObject({
      code: 400,
      message: "the name of the object (none based on URL) was undeterminable: name must be provided",
    })
  })

  it("refuses values of the wrong type", async () => {
    const { send } = client()
    const wrong = await send("POST", deployments, { ...web, spec: { ...web.spec, replicas: "many" } })
    expect(wrong.body).toMatchObject({
      code: 400,
      message: expect.stringContaining(
        "cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
      ),
    })
  })

  it("records the subresource for a manager that scales by a PUT", async () => {
    const { send } = client({ objects: [web] })
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web" }, spec: { replicas: 5 } }
    expect((await send("PUT", `${deployments}/web/scale?fieldManager=hpa`, scale)).status).toBe(200)
    const { body } = await send("GET", `${deployments}/web`)
    expect([body.spec.replicas, managersOf(body)]).toEqual([5, expect.arrayContaining(["hpa Update scale"])])
  })

  // The answers of kube-apiserver v1.37.1.
  const scale = (spec: object, more: object = { name: "web" }) => ({ metadata: more, spec })
  it.each<[string, object, string, number, string]>([
    ["PUT", web, "json", 400, "cannot be handled as a Scale: converting (v1.Deployment) to (autoscaling.Scale)"],
    ["PUT", scale({ replicas: 4, nope: 1 }), "json", 400, 'strict decoding error: unknown field "spec.nope"'],
    [
      "PUT",
      scale({ replicas: 4 }, { name: "other" }),
      "json",
      400,
      "name of the object (other) does not match the name",
    ],
    ["PUT", scale({ replicas: 4 }, {}), "json", 400, "the name of the object (web based on URL) was undeterminable"],
    [
      "PUT",
      scale({ replicas: -1 }),
      "json",
      422,
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1',
    ],
    ["PATCH", { spec: { nope: 1 } }, "merge-patch+json", 422, 'strict decoding error: unknown field "spec.nope"'],
    [
      "PATCH",
      { metadata: { namespace: "other" } },
      "merge-patch+json",
      400,
      "the namespace of the provided object does not match",
    ],
  ])("refuse a %s of a Scale with %j", async (method, body, type, code, message) => {
    const { send } = client({ objects: [web] })
    const answer = await send(method, `${deployments}/web/scale?fieldValidation=Strict`, body, {
      "content-type": `application/${type}`,
    })
    expect([answer.status, answer.body.message]).toEqual([code, expect.stringContaining(message)])
  })

  it("stores nothing in a dry run", async () => {
    const { server, apply } = client()
    const before = server.snapshot()
    expect((await apply(`${configMaps}/settings`, settings, "fieldManager=a&dryRun=All")).status).toBe(201)
    expect(server.snapshot()).toEqual(before)
  })

  it("serves no kind that was defined in a dry run", async () => {
    const { send } = client()
    const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    expect((await send("POST", `${definitions}?dryRun=All`, widgets)).status).toBe(201)
    expect((await send("GET", "/apis/example.com/v1/widgets")).status).toBe(404)
  })

  it("patches by merge and by operations", async () => {
    const { send, merge } = client({ objects: [settings] })
    const path = `${configMaps}/settings`
    expect((await merge(path, { data: { a: null, b: "2" } })).body.data).toEqual({ b: "2" })
    const json = { "content-type": "application/json-patch+json" }
    const add = [{ op: "add", path: "/data/c", value: "3" }]
    expect((await send("PATCH", path, add, json)).body.data).toEqual({ b: "2", c: "3" })
    const strategic = { "content-type": "application/strategic-merge-patch+json" }
    expect((await send("PATCH", path, { data: { $patch: "replace", d: "4" } }, strategic)).body.data).toEqual({
      d: "4",
    })
    await send("PATCH", path, { data: { c: "3" } }, strategic)
    const test = [{ op: "test", path: "/data/c", value: "4" }]
    expect((await send("PATCH", path, test, json)).status).toBe(422)
  })

  it("names what it does not serve, and an alternative", async () => {
    const { send } = client({ objects: [{ ...settings, metadata: { name: "settings", namespace: "default" } }] })
    expect(await send("GET", "/apis/nowhere/v1/things")).toMatchObject({ status: 404, body: "404 page not found\n" })
  })

  it("serves no subresources that need a node, and says so if the object exists", async () => {
    const { send } = client()
    const pods = "/api/v1/namespaces/default/pods"
    await send("POST", pods, pod({}))
    const { status, body } = await send("GET", `${pods}/web/log`)
    expect([status, body.message]).toEqual([501, expect.stringContaining("the subresource log of pods")])
    expect((await send("GET", `${pods}/other/log`)).status).toBe(404)
  })

  it("creates an object by a PUT where a real server does, but not through a subresource", async () => {
    const { send } = client()
    const namespaced = { kind: "Endpoints", apiVersion: "v1", metadata: { name: "web" } }
    expect((await send("PUT", "/api/v1/namespaces/default/endpoints/web", namespaced)).status).toBe(201)
    expect((await send("PUT", `${configMaps}/settings`, settings)).status).toBe(404)
    const service = { kind: "Service", apiVersion: "v1", metadata: { name: "web" }, spec: { ports: [{ port: 80 }] } }
    const services = "/api/v1/namespaces/default/services/web"
    expect((await send("PUT", `${services}/status`, service)).status).toBe(404)
    expect((await send("PUT", services, service)).status).toBe(201)
  })

  it.each<[string, MapValue, number | undefined]>([
    ["", {}, 30],
    ["", { terminationGracePeriodSeconds: 5 }, 5],
    ["gracePeriodSeconds=7", { terminationGracePeriodSeconds: 5 }, 7],
    ["gracePeriodSeconds=0", {}, undefined],
    ["", { nodeName: "" }, undefined],
  ])("gives a pod on a node time to end: ?%s with %j", async (query, spec, expected) => {
    const { send } = client()
    const pods = "/api/v1/namespaces/default/pods"
    await send("POST", pods, pod({ nodeName: "a", ...spec }))
    await send("DELETE", `${pods}/web?${query}`)
    const { status, body } = await send("GET", `${pods}/web`)
    expect([status, body.metadata.deletionGracePeriodSeconds]).toEqual([expected === undefined ? 404 : 200, expected])
    if (expected !== undefined) {
      await send("DELETE", `${pods}/web`, { kind: "DeleteOptions", apiVersion: "v1", gracePeriodSeconds: 0 })
      expect((await send("GET", `${pods}/web`)).status).toBe(404)
    }
  })

  it("gives 30 seconds to a pod that was loaded without a grace period", async () => {
    const stored = { ...pod({ nodeName: "a" }), metadata: { name: "web", namespace: "default", uid: "1" } }
    const { send } = client({ objects: [stored] })
    const path = "/api/v1/namespaces/default/pods/web"
    await send("DELETE", path)
    expect((await send("GET", path)).body.metadata.deletionGracePeriodSeconds).toBe(30)
  })

  it.each([
    ["null", "null"],
    ["[a]", "array"],
    ["a", "string"],
    ["1", "number"],
    ["true", "bool"],
  ])("refuses an apply of %s, in Go's words", async (text, found) => {
    const { apply } = client()
    const { status, body } = await apply(`${configMaps}/settings`, text as unknown as object, "fieldManager=a")
    expect([status, body.message]).toEqual([
      400,
      `error decoding patch: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    ])
  })

  it("refuses to delete if the body is not DeleteOptions", async () => {
    const { send } = client({ objects: [settings] })
    const { status, body } = await send("DELETE", `${configMaps}/settings`, settings)
    expect([status, body.message]).toEqual([400, "expected DeleteOptions in the body, got ConfigMap"])
    expect((await send("GET", `${configMaps}/settings`)).status).toBe(200)
  })

  it("keeps an object in a dry run that takes its last finalizer", async () => {
    const { send, merge } = client({ objects: [{ ...settings, metadata: { name: "settings", finalizers: ["a/b"] } }] })
    const path = `${configMaps}/settings`
    await send("DELETE", path)
    expect((await merge(path, { metadata: { finalizers: null } }, "dryRun=All")).status).toBe(200)
    expect((await send("GET", path)).body.metadata.finalizers).toEqual(["a/b"])
    expect((await merge(path, { metadata: { finalizers: null } })).status).toBe(200)
    expect((await send("GET", path)).status).toBe(404)
  })

  it("keeps an object until its last finalizer is removed", async () => {
    const { send, merge } = client()
    await send("POST", configMaps, { ...settings, metadata: { name: "settings", finalizers: ["example.com/a"] } })
    const path = `${configMaps}/settings`
    expect((await send("DELETE", path)).body.metadata).toMatchObject({ deletionTimestamp: expect.any(String) })
    expect((await send("GET", path)).status).toBe(200)
    expect((await merge(path, { metadata: { finalizers: null } })).status).toBe(200)
    expect((await send("GET", path)).status).toBe(404)
  })

  it("deletes dependents, and namespaces with their contents", async () => {
    const { server, send } = client()
    const owner = (await send("POST", configMaps, settings)).body
    const { uid } = owner.metadata
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "settings", uid }]
    await send("POST", configMaps, { ...settings, metadata: { name: "dependent", ownerReferences } })
    await send("DELETE", `${configMaps}/settings`)
    expect((await send("GET", `${configMaps}/dependent`)).status).toBe(404)
    await send("POST", configMaps, settings)
    await send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } })
    await send("POST", "/api/v1/namespaces/team/configmaps", settings)
    await send("DELETE", "/api/v1/namespaces/team")
    const left = server.snapshot().map(({ metadata }) => (metadata as MapValue).name)
    expect(left).toEqual(["settings", "default", "kube-node-lease", "kube-public", "kube-system"])
    const refused = await send("DELETE", "/api/v1/namespaces/default")
    expect(refused.body.message).toBe('namespaces "default" is forbidden: this namespace may not be deleted')
  })

  it("creates nothing in a namespace that is being deleted", async () => {
    const { send } = client()
    await send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } })
    const path = "/api/v1/namespaces/team/configmaps"
    await send("POST", path, { ...settings, metadata: { name: "held", finalizers: ["example.com/a"] } })
    await send("DELETE", "/api/v1/namespaces/team")
    const refused = await send("POST", path, settings)
    expect(refused).toMatchObject({ status: 403, body: { details: { causes: [{ reason: "NamespaceTerminating" }] } } })
    expect(refused.body.message).toBe(
      'configmaps "settings" is forbidden: unable to create new content in namespace team because it is being terminated',
    )
  })

  it("orphans the dependents of a Job by default, and says so", async () => {
    const { send } = client()
    const jobs = "/apis/batch/v1/namespaces/default/jobs"
    const containers = [{ name: "c", image: "i" }]
    const job = { metadata: { name: "j" }, spec: { template: { spec: { restartPolicy: "Never", containers } } } }
    const { uid } = (await send("POST", jobs, job)).body.metadata
    const ownerReferences = [{ apiVersion: "batch/v1", kind: "Job", name: "j", uid }]
    await send("POST", configMaps, { ...settings, metadata: { name: "dependent", ownerReferences } })
    const deleted = await send("DELETE", `${jobs}/j`)
    expect(deleted.body.metadata).toMatchObject({ finalizers: ["orphan"], deletionTimestamp: expect.any(String) })
    expect(deleted.headers.get("warning")).toContain("child pods are preserved by default")
    expect((await send("GET", `${jobs}/j`)).status).toBe(404)
    expect((await send("GET", `${configMaps}/dependent`)).body.metadata).not.toHaveProperty("ownerReferences")
  })
})

describe("admission", () => {
  it("changes objects without the manager's knowledge, and refuses them", async () => {
    const { send } = client({
      admit: ({ object }) => {
        if ((object.data as MapValue | undefined)?.a === "bad") throw new Error("a must not be bad")
        return { ...object, data: { ...(object.data as MapValue), admitted: "yes" } }
      },
    })
    const { body } = await send("POST", configMaps, settings)
    expect(body.data).toEqual({ a: "1", admitted: "yes" })
    expect(JSON.stringify(body.metadata.managedFields)).not.toContain("admitted")
    const refused = await send("POST", configMaps, { ...settings, metadata: { name: "b" }, data: { a: "bad" } })
    expect(refused.body).toMatchObject({ code: 403, message: 'configmaps "b" is forbidden: a must not be bad' })
  })
})

describe("custom resources", () => {
  const path = "/apis/example.com/v1/namespaces/default/widgets"
  const widget = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w" }, spec: { size: 1, odd: 2 } }

  it("are served as soon as they are defined, pruned and with defaults", async () => {
    const { send } = client()
    expect((await send("GET", path)).status).toBe(404)
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    const { status } = (await send("POST", crds, widgets)).body
    expect(status).toEqual({ conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: ["v1"] })
    const defined = await send("GET", `${crds}/widgets.example.com`)
    expect(defined.body.status.conditions).toContainEqual(
      expect.objectContaining({ type: "Established", status: "True" }),
    )
    expect(defined.body.metadata.managedFields).toContainEqual(
      expect.objectContaining({ manager: "kube-apiserver", subresource: "status" }),
    )
    const created = await send("POST", path, widget)
    expect(created.body.spec).toEqual({ size: 1, color: "blue" })
    expect(created.headers.get("warning")).toContain("spec.odd")
    const strict = await send("POST", `${path}?fieldValidation=Strict`, { ...widget, metadata: { name: "x" } })
    expect(strict.body).toMatchObject({ code: 400, message: expect.stringContaining('unknown field "spec.odd"') })
    await send("DELETE", `${crds}/widgets.example.com`)
    expect((await send("GET", path)).status).toBe(404)
  })

  it("have status and scale", async () => {
    const { send, merge, apply } = client({ crds: [widgets] })
    await send("POST", path, { ...widget, spec: { size: 1 }, status: { size: 7 } })
    expect((await send("GET", `${path}/w`)).body.status).toBeUndefined()
    const status = await merge(
      `${path}/w/status`,
      { spec: { size: 9 }, status: { size: 1 } },
      "fieldManager=controller",
    )
    expect(status.body).toMatchObject({ spec: { size: 1 }, status: { size: 1 }, metadata: { generation: 1 } })
    expect(managersOf(status.body)).toContain("controller Update status")
    const scaled = await merge(`${path}/w/scale`, { spec: { replicas: 4 } }, "fieldManager=scaler")
    expect(scaled.body).toMatchObject({ kind: "Scale", spec: { replicas: 4 }, status: { replicas: 1 } })
    const live = await send("GET", `${path}/w`)
    expect(live.body).toMatchObject({ spec: { size: 4 }, metadata: { generation: 2 } })
    expect(managersOf(live.body)).toContain("scaler Update scale")
    expect((await apply(`${path}/w`, { ...widget, spec: { size: 1 } }, "fieldManager=a")).status).toBe(409)
  })

  it("are shown in tables with their columns", async () => {
    const { send } = client({ crds: [widgets] })
    await send("POST", path, { ...widget, spec: { size: 3 } })
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
    const table = await send("GET", path, undefined, { accept })
    expect(table.body.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Size"])
    expect(table.body.rows[0]?.cells).toEqual(["w", 3])
  })
})

describe("reading", () => {
  async function withThree() {
    const one = client()
    for (const name of ["a", "b", "c"]) {
      await one.send("POST", configMaps, {
        ...settings,
        metadata: { name, labels: { name, odd: String(name !== "b") } },
      })
    }
    return one
  }
  const namesOf = (body: Answer) => body.items.map(({ metadata }) => metadata.name)

  it.each([
    ["labelSelector=odd=true", "a,c"],
    ["labelSelector=name+in+(a,b),odd!=false", "a"],
    ["labelSelector=!odd", ""],
    ["labelSelector=odd", "a,b,c"],
    ["labelSelector=name+notin+(a)", "b,c"],
    ["fieldSelector=metadata.name=b", "b"],
    ["fieldSelector=metadata.name!=b", "a,c"],
  ])("lists the objects selected by %s", async (query, names) => {
    const { send } = await withThree()
    expect(namesOf((await send("GET", `${configMaps}?${query}`)).body).join()).toBe(names)
  })

  it("lists in pages that show one state", async () => {
    const { send } = await withThree()
    const first = await send("GET", `${configMaps}?limit=2`)
    expect(namesOf(first.body)).toEqual(["a", "b"])
    expect(first.body.metadata.remainingItemCount).toBe(1)
    await send("DELETE", `${configMaps}/c`)
    const next = encodeURIComponent(first.body.metadata.continue)
    const second = await send("GET", `${configMaps}?limit=2&continue=${next}`)
    expect(namesOf(second.body)).toEqual(["c"])
  })
})

describe("discovery", () => {
  it("has both forms, and custom resources", async () => {
    const { send } = client({ crds: [widgets] })
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
    const groups = (await send("GET", "/apis", undefined, { accept })).body.items
    expect(groups.map(({ metadata }) => metadata.name)).toContain("example.com")
    expect((await send("GET", "/apis")).body.kind).toBe("APIGroupList")
    const apps = (await send("GET", "/apis/apps/v1")).body.resources
    expect(apps.map(({ name }) => name)).toContain("deployments/scale")
    const { paths } = (await send("GET", "/openapi/v3/api/v1")).body as unknown as { paths: Record<string, MapValue> }
    expect(Object.keys(paths[`${configMaps.replace("default", "{namespace}")}/{name}`] ?? {})).toEqual(
      expect.arrayContaining(["get", "put", "patch", "delete"]),
    )
    expect((await send("GET", "/api")).body).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "test" }],
    })
    expect((await send("GET", "/apis/apps")).body).toMatchObject({
      kind: "APIGroup",
      name: "apps",
      preferredVersion: { groupVersion: "apps/v1", version: "v1" },
    })
    expect((await send("GET", "/apis/nope")).status).toBe(404)
    expect((await send("GET", "/version")).body.minor).toBe("37")
  })
})
