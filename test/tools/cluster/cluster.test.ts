import { beforeAll, describe, expect, it } from "vitest"
import { type ApiServer, createApiServer } from "../../../src/apiserver/server.js"
import { metaText } from "../../../src/schema/metadata.js"
import { Cluster } from "../../../src/tools/cluster/cluster.js"
import { clusterKinds } from "../../../src/tools/cluster/kinds.js"
import { ClusterError } from "../../../src/tools/cluster/requests.js"
import { blame } from "../../../src/tools/ownership/blame.js"
import type { MapValue } from "../../../src/value/value.js"
import { fetchFrom, gadget, ownedObjects, refusalOf, shop } from "../../support/cluster.js"

let server: ApiServer
beforeAll(async () => {
  server = await ownedObjects()
})

const names = (objects: readonly MapValue[]) => objects.map(object => metaText(object, "name"))

/** A server with this many ConfigMaps. */
function withMaps(count: number): ApiServer {
  const objects = Array.from({ length: count }, (_, i) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `map-${String(i).padStart(4, "0")}`, namespace: "default" },
  }))
  return createApiServer({ objects })
}

/** The address of ConfigMaps. */
async function mapsOf(cluster: Cluster, objects: readonly string[]) {
  const [resource] = await cluster.resourcesNamed("configmaps")
  if (resource === undefined) throw new Error("no configmaps")
  return objects.map(name => ({ resource, namespace: "default", name }))
}

describe("resources", () => {
  const words: readonly (readonly [word: string, found: string])[] = [
    ["deployments", "apps/v1 deployments"],
    ["deployment", "apps/v1 deployments"],
    ["Deployment", "apps/v1 deployments"],
    ["deploy", "apps/v1 deployments"],
    ["deployments.apps", "apps/v1 deployments"],
    ["deploy.v1.apps", "apps/v1 deployments"],
    ["pods.v1.", "v1 pods"],
    ["events", "v1 events"],
    ["events.events.k8s.io", "events.k8s.io/v1 events"],
    ["gd", "example.org/v1 gadgets"],
    ["gadgets.v1beta1.example.org", "example.org/v1beta1 gadgets"],
    ["gadgets.example.org", "example.org/v1 gadgets"],
  ]
  it.each(words)("finds %s", async (word, found) => {
    const resources = await new Cluster(fetchFrom(server)).resourcesNamed(word)
    expect(resources.map(({ apiVersion, plural }) => `${apiVersion} ${plural}`)).toEqual([found])
  })

  it("finds the resources of a category, each at its preferred version", async () => {
    const found = await new Cluster(fetchFrom(server)).resourcesNamed("all")
    expect(found.filter(({ plural }) => plural === "gadgets").map(({ version }) => version)).toEqual(["v1"])
    expect(found.map(({ plural }) => plural)).toContain("pods")
  })

  it("suggests a name for an unknown word", async () => {
    await expect(new Cluster(fetchFrom(server)).resourcesNamed("deploymnts")).rejects.toThrow(
      'the server doesn\'t have a resource type "deploymnts"; did you mean deployments?',
    )
  })

  it("are the same from a server without aggregated discovery", async () => {
    const old = new Cluster((path, { signal }) => fetchFrom(server)(path, { method: "GET", headers: {}, signal }))
    const [a, b] = [await old.resources(), await new Cluster(fetchFrom(server)).resources()]
    expect(a).toEqual(b)
  })

  it("leave out resources whose objects have no owners", async () => {
    const plurals = (await new Cluster(fetchFrom(server)).ownedResources()).map(({ plural }) => plural)
    expect(plurals).toContain("configmaps")
    for (const other of ["events", "componentstatuses", "subjectaccessreviews"]) expect(plurals).not.toContain(other)
  })
})

describe("objects of admission", () => {
  const policies = "admissionregistration.k8s.io/v1"
  const named = (kind: string, name: string, spec: object, apiVersion = policies, namespace?: string) => ({
    apiVersion,
    kind,
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec,
  })
  const params = ["by-name", "by-label"].map(name => ({
    apiVersion: "example.org/v1",
    kind: "Gadget",
    metadata: { name, namespace: "web" },
  }))
  const paramKind = { apiVersion: "example.org/v1", kind: "Gadget" }
  const matchConstraints = {
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["pods"] }],
  }
  const deny = { parameterNotFoundAction: "Deny" }
  const bindingOf = (paramRef: object) => ({ policyName: "p", validationActions: ["Deny"], paramRef })
  const objects = [
    ...params,
    named("ValidatingAdmissionPolicy", "p", { paramKind, matchConstraints, validations: [{ expression: "true" }] }),
    named("ValidatingAdmissionPolicyBinding", "a", bindingOf({ name: "by-name", ...deny })),
    named(
      "ValidatingAdmissionPolicyBinding",
      "b",
      bindingOf({ selector: { matchLabels: {} }, namespace: "web", ...deny }),
    ),
    named(
      "ResourceQuota",
      "q",
      { hard: { pods: "2", "count/deployments.apps": "1", "requests.cpu": "1" } },
      "v1",
      "web",
    ),
    named("LimitRange", "l", { limits: [] }, "v1", "default"),
  ]

  it("are those that the policies and quotas of the namespaces need", async () => {
    const admitted = await ownedObjects()
    admitted.load(objects)
    const { objects: found, failures } = await new Cluster(fetchFrom(admitted)).admissionObjects(["web", "missing"])
    const kinds = found.map(object => `${object.kind} ${metaText(object, "name")}`)
    expect(failures).toEqual([])
    expect([...new Set(kinds)].filter(each => !each.startsWith("PriorityClass")).sort()).toEqual([
      "CustomResourceDefinition gadgets.example.org",
      "Deployment shop",
      "Gadget by-label",
      "Gadget by-name",
      "Gadget lamp",
      "Namespace web",
      "ResourceQuota q",
      "ValidatingAdmissionPolicy p",
      "ValidatingAdmissionPolicyBinding a",
      "ValidatingAdmissionPolicyBinding b",
    ])
  })

  it("include failures of lists, but not of objects that don't exist", async () => {
    const refuse = (path: string) =>
      path.includes("limitranges") ? refusalOf(403, "Forbidden", "you may not list these") : undefined
    const { failures } = await new Cluster(fetchFrom(server, refuse)).admissionObjects(["web"])
    expect(failures.map(({ status, resource }) => [status, resource.plural])).toEqual([[403, "limitranges"]])
  })
})

describe("objects", () => {
  it("are read one by one up to 20, and in a list from 21 on", async () => {
    for (const [count, gets, lists] of [
      [20, 20, 0],
      [21, 0, 1],
    ] as const) {
      const many = withMaps(30)
      const cluster = new Cluster(fetchFrom(many))
      const addresses = await mapsOf(
        cluster,
        names(many.snapshot())
          .filter(name => name.startsWith("map-"))
          .slice(0, count),
      )
      const { objects, failures } = await cluster.get(addresses)
      expect(names(objects)).toEqual(addresses.map(({ name }) => name))
      expect(failures).toEqual([])
      const paths = many.requests.map(({ path }) => path).filter(path => path.includes("/configmaps"))
      expect(paths.filter(path => path.includes("/map-")).length).toBe(gets)
      expect(paths.filter(path => path.includes("limit=500")).length).toBe(lists)
    }
  })

  it("are listed in pages", async () => {
    const many = withMaps(1100)
    const { objects } = await new Cluster(fetchFrom(many)).list(await new Cluster(fetchFrom(many)).resourcesNamed("cm"))
    expect(objects.length).toBe(1100)
    expect(objects[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" })
    expect(many.requests.filter(({ path }) => path.includes("continue=")).length).toBe(2)
  })

  it("are listed again if the server forgets the list", async () => {
    const many = withMaps(1100)
    let expired = 0
    const fetch = fetchFrom(many, path =>
      path.includes("continue=") && expired++ === 1 ? refusalOf(410, "Expired", "too old") : undefined,
    )
    const cluster = new Cluster(fetch)
    const { objects, failures } = await cluster.list(await cluster.resourcesNamed("cm"))
    expect(failures).toEqual([])
    expect(new Set(names(objects)).size).toBe(1100)
    expect(objects.length).toBe(1100)
  })

  it("that may not be read are failures, and the others are returned", async () => {
    const many = withMaps(3)
    const fetch = fetchFrom(many, path =>
      path.endsWith("/map-0001") ? refusalOf(403, "Forbidden", 'configmaps "map-0001" is forbidden') : undefined,
    )
    const cluster = new Cluster(fetch)
    const { objects, failures } = await cluster.get(await mapsOf(cluster, ["map-0000", "map-0001", "map-0002", "no"]))
    expect(names(objects)).toEqual(["map-0000", "map-0002"])
    expect(failures.map(({ name, status, reason, message }) => ({ name, status, reason, message }))).toEqual([
      { name: "map-0001", status: 403, reason: "Forbidden", message: 'configmaps "map-0001" is forbidden' },
      { name: "no", status: 404, reason: "NotFound", message: 'configmaps "no" not found' },
    ])
  })

  it.each([403, 405, 500])("are read one by one if the server refuses their list with %i", async status => {
    const many = withMaps(30)
    const fetch = fetchFrom(many, path => (path.includes("limit=") ? refusalOf(status, "", "no lists") : undefined))
    const cluster = new Cluster(fetch)
    const wanted = names(many.snapshot()).filter(name => name.startsWith("map-"))
    expect(names((await cluster.get(await mapsOf(cluster, wanted))).objects)).toEqual(wanted)
  })

  it("with names that are steps of paths are not found", async () => {
    const many = withMaps(1)
    const cluster = new Cluster(fetchFrom(many))
    const { failures } = await cluster.get(await mapsOf(cluster, ["..", ".", "a/b?c"]))
    expect(failures.map(({ status }) => status)).toEqual([404, 404, 404])
  })

  it("of configurations come with their places", async () => {
    const cluster = new Cluster(fetchFrom(server))
    const other = { apiVersion: "other.example.org/v1", kind: "Other", metadata: { name: "a" } }
    const missing = { ...shop(1), metadata: { name: "missing" } }
    const found = await cluster.liveOf([shop(1), missing, other, gadget("example.org/v1beta1", "b")], {
      namespace: "web",
    })
    expect(found.live.map(object => object && metaText(object, "name"))).toEqual(["shop", undefined, undefined, "lamp"])
    expect(found.live[3]).toMatchObject({ apiVersion: "example.org/v1beta1" })
    expect([found.objects, found.failures]).toEqual([[found.live[0], found.live[3]], []])
    expect(found.isKnown).toEqual([true, true, true, true])
    expect(found.isServed).toEqual([true, true, false, true])
  })

  it("of a list with an item that is no object are refused by the name of the item", async () => {
    const cluster = new Cluster(fetchFrom(server))
    const message = "items[1] of the List: expected an object, got null"
    const list = { apiVersion: "v1", kind: "List", items: [shop(1), null] }
    await expect(cluster.liveOf([list])).rejects.toThrow(new TypeError(message))
    expect((await cluster.liveOf([{ apiVersion: "v1", kind: "ConfigMapList", items: null }])).live).toEqual([])
  })

  it("have a path, unless it would lead elsewhere", async () => {
    const cluster = new Cluster(fetchFrom(server))
    const path = (apiVersion: string, kind: string, name: string, namespace?: string) =>
      cluster.pathOf({ apiVersion, kind, name, namespace })
    expect(await path("apps/v1", "Deployment", "shop", "web")).toBe("/apis/apps/v1/namespaces/web/deployments/shop")
    expect(await path("v1", "ConfigMap", "a/b?c")).toBe("/api/v1/namespaces/default/configmaps/a%2Fb%3Fc")
    expect(await path("v1", "Namespace", "web", "web")).toBe("/api/v1/namespaces/web")
    for (const none of ["", ".."]) expect(await path("v1", "Namespace", "web", none)).toBe("/api/v1/namespaces/web")
    expect(await path("v1", "ConfigMap", "a", "")).toBe("/api/v1/namespaces/default/configmaps/a")
    await expect(path("apps/v1", "Shop", "a")).rejects.toThrow(
      new ClusterError("the cluster does not serve Shop in apps/v1"),
    )
    for (const name of ["", ".", ".."]) {
      const message = `no object or namespace is called ${JSON.stringify(name)}`
      await expect(path("v1", "ConfigMap", name)).rejects.toThrow(new ClusterError(message))
      if (name !== "") await expect(path("v1", "ConfigMap", "a", name)).rejects.toThrow(new ClusterError(message))
    }
  })
})

describe("types", () => {
  it("include the versions in managedFields", async () => {
    const cluster = new Cluster(fetchFrom(server))
    const list = { apiVersion: "v1", kind: "List", items: [gadget("example.org/v1", "a")] }
    const { objects } = await cluster.liveOf([list], { namespace: "web" })
    const documents = await cluster.documents(objects)
    expect(documents.map(({ name }) => name)).toEqual(["apis/example.org/v1", "apis/example.org/v1beta1"])
    const types = await clusterKinds(cluster, objects)
    expect(types.find("example.org/v1beta1", "Gadget")).toBeDefined()
    const owners = blame(objects[0] as MapValue, { types })
    expect(owners.fields.some(({ path }) => path === '.spec.parts[name="b"]')).toBe(true)
    expect(owners.findings).toEqual([])
  })

  it("come from the cache if the hash is the same", async () => {
    const texts = new Map<string, string>()
    const cache = {
      read: async (key: string) => texts.get(key),
      write: async (key: string, text: string) => void texts.set(key, text),
    }
    const read = async () => {
      const paths: string[] = []
      const fetch = fetchFrom(server, path => void paths.push(path))
      const [document] = await new Cluster(fetch, { cache }).documents([shop(1)])
      return { document, paths: paths.map(path => path.replace(/hash=.*/, "hash")) }
    }
    const first = await read()
    expect(first.paths).toEqual(["/openapi/v3", "/openapi/v3/apis/apps/v1?hash"])
    expect([...texts.keys()].map(key => key.replace(/[0-9A-F]+$/, "HASH"))).toEqual(["apis/apps/v1/HASH"])
    const second = await read()
    expect(second).toEqual({ ...first, paths: ["/openapi/v3"] })
    for (const key of texts.keys()) texts.set(key, "{broken")
    expect(await read()).toEqual(first)
  })

  it("are not read from other servers", async () => {
    const index = { paths: { "apis/apps/v1": { serverRelativeURL: "http://elsewhere/openapi/v3/apis/apps/v1" } } }
    const fetch = fetchFrom(server, path => (path === "/openapi/v3" ? new Response(JSON.stringify(index)) : undefined))
    await expect(new Cluster(fetch).documents([shop(1)])).rejects.toThrow("no usable address for apis/apps/v1")
  })
})

describe("requests", () => {
  it.each([
    [new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED ::1:1") }), "connect ECONNREFUSED ::1:1"],
    [
      new TypeError("fetch failed", { cause: Object.assign(new AggregateError([]), { code: "ENOTFOUND" }) }),
      "ENOTFOUND",
    ],
  ])("that fail name the path and the cause", async (error, why) => {
    const cluster = new Cluster(() => Promise.reject(error))
    await expect(cluster.resources()).rejects.toThrow(`GET /api: fetch failed: ${why}`)
  })

  it("are GETs, at most 8 at a time", async () => {
    let running = 0
    let most = 0
    const methods = new Set<string>()
    const many = withMaps(15)
    const cluster = new Cluster(async (path, request) => {
      most = Math.max(most, ++running)
      methods.add(request.method)
      const response = await fetchFrom(many)(path, request)
      await new Promise(setImmediate)
      running--
      return response
    })
    await cluster.get(
      await mapsOf(
        cluster,
        names(many.snapshot()).filter(name => name.startsWith("map-")),
      ),
    )
    expect(most).toBe(8)
    expect([...methods]).toEqual(["GET"])
    expect(many.requests.every(({ method }) => method === "GET")).toBe(true)
  })

  it("are sent again if the server is too busy", async () => {
    let busy = 2
    const fetch = fetchFrom(server, () =>
      busy-- > 0 ? new Response("", { status: 429, headers: { "retry-after": "0" } }) : undefined,
    )
    expect((await new Cluster(fetch).resources()).length).toBeGreaterThan(20)
  })

  it.each([
    ["is too large", { maxBytes: 100 }, undefined, "the answer to GET /api is larger than 100 bytes"],
    ["is not JSON", {}, () => new Response("hello"), "the answer to GET /api is not a JSON object"],
    ["is not that of a server", {}, () => new Response("{}"), "not those of a Kubernetes API server"],
    ["is a refusal", {}, () => refusalOf(401, "Unauthorized", "Unauthorized"), "Unauthorized"],
    [
      "is an error of a proxy",
      {},
      () => new Response("no way\nreally", { status: 502 }),
      "GET /api: status 502: no way",
    ],
  ] as const)("fail if the answer %s", async (_, options, answer, message) => {
    await expect(new Cluster(fetchFrom(server, answer), options).resources()).rejects.toThrow(message)
  })

  it("end with the signal", async () => {
    const signal = AbortSignal.abort(new Error("enough"))
    await expect(new Cluster(fetchFrom(server), { signal }).resources()).rejects.toThrow("enough")
  })
})
