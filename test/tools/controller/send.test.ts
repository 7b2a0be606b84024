/** The clients that an Applier can send with. */
import {
  ApiException,
  AppsV1Api,
  KubeConfig,
  KubernetesObjectApi,
  NetworkingV1Api,
  type V1Deployment,
} from "@kubernetes/client-node"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { createApiServer, type FaultRule } from "../../../src/apiserver/index.js"
import { type Listening, listen } from "../../../src/apiserver/node/listen.js"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import {
  Applier,
  type ObjectClient,
  RefusedError,
  type Send,
  sendByClient,
  sendByFetch,
  withRetries,
} from "../../../src/tools/controller/index.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { definitionOf } from "../../support/definition.js"

const labels = { app: "web" }
const deployment = deepFreeze({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
  },
})

describe("withRetries", () => {
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } }
  const request = {
    apiVersion: "v1",
    kind: "ConfigMap",
    name: "a",
    subresource: "",
    manager: "me",
    force: false,
    config,
  }
  function setUp(faults: readonly FaultRule[], retries?: number) {
    const server = createApiServer({ faults })
    const waits: number[] = []
    const wait = async (milliseconds: number) => void waits.push(milliseconds)
    return { send: withRetries(sendByFetch("http://test", server), { retries, wait }), waits, server }
  }

  it("sends again after refusals that pass and after cut connections, and waits as long as the server asks", async () => {
    const apply = { verb: "apply", times: 1 } as const
    const { send, waits, server } = setUp([
      { match: apply, inject: { status: 429, retryAfter: 7 } },
      { match: { ...apply, after: 1 }, inject: { status: 503 } },
      { match: { ...apply, after: 2 }, inject: { truncateBody: 10 } },
    ])
    expect(await send(request)).toMatchObject(config)
    expect(waits).toEqual([7000, 2000, 4000])
    expect(server.requests.filter(({ method }) => method === "PATCH").map(({ status }) => status)).toEqual([
      429, 503, 201, 200,
    ])
  })

  it("gives up after some retries, and does not send again what the server refuses for good", async () => {
    const busy = setUp([{ match: { verb: "apply" }, inject: { status: 503 } }], 2)
    await expect(busy.send(request)).rejects.toMatchObject({ code: 503 })
    expect(busy.waits).toEqual([1000, 2000])
    const { send, waits } = setUp([])
    await expect(send({ ...request, kind: "Nope" })).rejects.toMatchObject({ code: 404 })
    expect(waits).toEqual([])
  })

  /** Returns the wait after an error; undefined if it is not sent again. */
  async function waitAfter(error: unknown): Promise<number | undefined> {
    const errors = [error]
    const waits: number[] = []
    const once = async () => {
      if (errors.length > 0) throw errors.pop()
      return config
    }
    const send = withRetries(once, { wait: async milliseconds => waits.push(milliseconds) })
    expect(await send(request).catch((thrown: unknown) => thrown)).toBe(waits.length > 0 ? config : error)
    return waits[0]
  }
  const status = JSON.stringify({ kind: "Status", details: { retryAfterSeconds: 7 } })

  it.each([
    ["a header", new ApiException(429, "busy", "", { "retry-after": "3" }), 3],
    ["a header in other case", new ApiException(429, "busy", "", { "Retry-After": " 3 " }), 3],
    ["Headers", Object.assign(new Error(), { statusCode: 503, headers: new Headers({ "Retry-After": "3" }) }), 3],
    ["a response", Object.assign(new Error(), { response: { status: 503, headers: { "retry-after": "3" } } }), 3],
    ["a Status", new ApiException(429, "busy", status, { "retry-after": "" }), 7],
    ["a parsed Status", new ApiException<unknown>(429, "busy", JSON.parse(status), {}), 7],
    ["an empty header", new ApiException(429, "busy", "", { "retry-after": "" }), 1],
    ["a wait of days", new ApiException(429, "busy", "", { "retry-after": "3000000" }), 3600],
  ])("reads the wait from the error of a client: %s", async (_, error, seconds) => {
    expect(await waitAfter(error)).toBe(seconds * 1000)
  })

  const failed = (code: string, message = "fetch failed") =>
    new TypeError(message, { cause: Object.assign(new Error(code), { code }) })
  const coded = (more: object) => Object.assign(new Error("x"), more)
  const circle = new Error("x")
  circle.cause = circle

  it.each([
    failed("ECONNREFUSED"),
    failed("UND_ERR_SOCKET", "terminated"),
    failed("UND_ERR_HEADERS_TIMEOUT"),
    new TypeError("Failed to fetch"),
    new TypeError("NetworkError when attempting to fetch resource."),
    new TypeError("Load failed"),
    new DOMException("The operation was aborted due to timeout", "TimeoutError"),
    coded({ code: "ECONNRESET" }),
    coded({ code: "ERR_BAD_RESPONSE", response: { status: 503 } }),
  ])("sends again after a failure of the connection: %s", async error => {
    expect(await waitAfter(error)).toBe(1000)
  })

  it.each([
    new TypeError("request.manager: expected a string, got undefined"),
    new TypeError("fetch failed", { cause: new Error("unknown scheme") }),
    failed("ERR_INVALID_URL", "Failed to parse URL"),
    failed("ENOTFOUND"),
    new DOMException("This operation was aborted", "AbortError"),
    new Error("shutting down"),
    new Error("Unrecognized API version and kind: v1 Nope"),
    coded({ statusCode: 403 }),
    coded({ code: "ERR_BAD_REQUEST", response: { status: 403 } }),
    circle,
    "no error",
    null,
  ])("throws an error that would come again: %s", async error => {
    expect(await waitAfter(error)).toBeUndefined()
  })
})

describe("sendByFetch", () => {
  const request = (more: object) => ({
    ...{ apiVersion: "v1", kind: "ConfigMap", name: "a", subresource: "", manager: "me", force: false, config: {} },
    ...more,
  })

  it("finds the path of each kind, with one request for each version", async () => {
    const { fetch } = createApiServer()
    const paths: string[] = []
    const send = sendByFetch("http://test/", {
      headers: { authorization: "Bearer x" },
      namespace: "kube-system",
      fetch: request => {
        expect(request.headers.get("authorization")).toBe("Bearer x")
        paths.push(`${request.method} ${request.url.slice("http://test".length)}`)
        return fetch(request)
      },
    })
    const applier = new Applier({ manager: "me & you", types: kubernetesTypes, send })
    const named = (apiVersion: string, kind: string, metadata: object) => ({ apiVersion, kind, metadata })
    await applier.apply(undefined, named("v1", "ConfigMap", { name: "a" }))
    await applier.apply(undefined, named("v1", "ConfigMap", { name: "b", namespace: "default" }))
    await applier.apply(undefined, named("v1", "Namespace", { name: "c" }), { force: true })
    const { object } = await applier.apply(undefined, deployment)
    const status = { ...deployment, spec: undefined, status: { conditions: [{ type: "A", status: "True" }] } }
    await applier.apply(object, status, { subresource: "status" })
    const kube = "/namespaces/kube-system"
    expect(paths).toEqual([
      "GET /api/v1",
      `PATCH /api/v1${kube}/configmaps/a?fieldManager=me+%26+you&force=false`,
      "PATCH /api/v1/namespaces/default/configmaps/b?fieldManager=me+%26+you&force=false",
      "PATCH /api/v1/namespaces/c?fieldManager=me+%26+you&force=true",
      "GET /apis/apps/v1",
      `PATCH /apis/apps/v1${kube}/deployments/web?fieldManager=me+%26+you&force=false`,
      `PATCH /apis/apps/v1${kube}/deployments/web/status?fieldManager=me+%26+you&force=false`,
    ])
  })

  it("sends nothing without a manager, which would be called undefined", async () => {
    const { manager: _, ...rest } = request({})
    const wrong = rest as Parameters<Send>[0]
    const message = "request.manager: expected a string, got undefined"
    await expect(sendByFetch("http://test", createApiServer())(wrong)).rejects.toThrow(new TypeError(message))
  })

  it.each([
    ["name", { name: ".." }],
    ["name", { name: "" }],
    ["namespace", { namespace: ".." }],
    ["subresource", { subresource: ".." }],
  ])("sends nothing if the path would lead elsewhere: %s %o", async (key, more) => {
    const server = createApiServer()
    const message = `request.${key}: expected a name, got ${JSON.stringify(Object.values(more)[0])}`
    await expect(sendByFetch("http://test", server)(request(more))).rejects.toThrow(new TypeError(message))
    expect(server.requests).toEqual([])
  })

  it("passes on the reason of a refusal", async () => {
    const send = sendByFetch("http://test", { fetch: createApiServer().fetch })
    const error = await send(request({})).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(RefusedError)
    expect(error).toMatchObject({ code: 400, status: { kind: "Status", reason: "BadRequest" } })
    const html = sendByFetch("http://test", {
      fetch: async () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
    })
    await expect(html(request({}))).rejects.toMatchObject({
      message: "the server answered with 502: <h1>Bad gateway</h1>",
      status: "<h1>Bad gateway</h1>",
    })
  })

  it.each([
    ["a header alone, as from a busy server", { headers: { "retry-after": "7" } }, "Too many requests", 7],
    ["a Status alone", {}, JSON.stringify({ kind: "Status", details: { retryAfterSeconds: 3 } }), 3],
    ["a date", { headers: { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" } }, "", undefined],
    ["an empty header", { headers: { "retry-after": "" } }, "", undefined],
    ["neither", {}, JSON.stringify({ kind: "Status" }), undefined],
  ])("has the seconds to wait: %s", async (_, init, body, seconds) => {
    const send = sendByFetch("http://test", { fetch: async () => new Response(body, { status: 429, ...init }) })
    const error = await send(request({})).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(RefusedError)
    expect((error as RefusedError).retryAfter).toBe(seconds)
  })

  it("finds kinds that are added later", async () => {
    const { fetch, load } = serverOf()
    const send = sendByFetch("http://test", { fetch })
    const kind = { apiVersion: "example.com/v1", kind: "Shop" }
    const config = { ...kind, metadata: { name: "a" } }
    const apply = () => send(request({ ...kind, config }))
    const message = "the server does not serve Shop at /apis/example.com/v1"
    await expect(apply()).rejects.toMatchObject({ code: 404, message })
    load("Other")
    await expect(apply()).rejects.toMatchObject({ code: 404, message, status: { reason: "NotFound", message } })
    load("Shop")
    expect(await apply()).toMatchObject(config)
  })
})

function serverOf() {
  const server = createApiServer()
  const openAPIV3Schema = { type: "object" }
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }]
  const load = (kind: string) => {
    server.load([definitionOf(kind, { spec: { versions } })])
  }
  return { fetch: server.fetch, load }
}

describe("sendByClient", () => {
  let listening: Listening
  let config: KubeConfig
  let applier: Applier

  beforeEach(async () => {
    listening = await listen()
    config = new KubeConfig()
    config.loadFromString(listening.kubeconfig)
    const send = sendByClient(KubernetesObjectApi.makeApiClient(config))
    applier = new Applier({ manager: "me", types: kubernetesTypes, send })
  })

  afterEach(() => listening.close())

  it("applies objects of the client, and returns its answers", async () => {
    const { object } = await applier.apply<V1Deployment>(undefined, deployment)
    expect(object.metadata?.creationTimestamp).toBeInstanceOf(Date)
    expect((await applier.apply(object, deployment)).reason).toBe("unchanged")
    const apps = config.makeApiClient(AppsV1Api)
    const live = await apps.readNamespacedDeployment({ namespace: "default", name: "web" })
    expect((await applier.apply(live, deployment)).reason).toBe("unchanged")
    const { items } = await apps.listDeploymentForAllNamespaces()
    expect((await applier.apply(items[0], deployment)).reason).toBe("unchanged")
    const paused = await applier.apply(live, { ...deployment, spec: { ...deployment.spec, paused: true } })
    expect([paused.reason, paused.object.spec?.paused]).toEqual(["change", true])
  })

  it("applies in the namespace of the configuration, or of the live object", async () => {
    const elsewhere = { ...deployment, metadata: { ...deployment.metadata, namespace: "kube-system" } }
    const { object } = await applier.apply<V1Deployment>(undefined, elsewhere)
    expect(object.metadata?.namespace).toBe("kube-system")
    const paused = { ...deployment, spec: { ...deployment.spec, paused: true } }
    const made = await applier.apply(object, paused)
    expect([made.object.metadata?.namespace, made.object.spec?.paused]).toEqual(["kube-system", true])
  })

  it("applies to subresources", async () => {
    const { object } = await applier.apply<V1Deployment>(undefined, deployment)
    const condition = { type: "Available", status: "True", lastTransitionTime: new Date("2026-01-01T00:00:00Z") }
    const status = { ...deployment, spec: undefined, status: { conditions: [condition] } }
    const made = await applier.apply(object, status, { subresource: "status" })
    expect(made.object.status?.conditions).toMatchObject([condition])
    expect((await applier.apply(made.object, status, { subresource: "status" })).reason).toBe("unchanged")
  })

  it("applies texts that YAML would refuse or fold, as sendByFetch does", async () => {
    const data = { a: "a\u007fb\u0085c\u009bd\u2028e\uffff" }
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data }
    const byFetch = new Applier({ manager: "me", types: kubernetesTypes, send: sendByFetch(listening.url) })
    for (const sender of [applier, byFetch])
      expect((await sender.apply(undefined, config)).object).toMatchObject({ data })
  })

  it("sends fields that the client's classes call by another name", async () => {
    const policy = {
      ...{ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "web" } },
      spec: { podSelector: {}, ingress: [{ from: [{ podSelector: { matchLabels: labels } }] }] },
    }
    await applier.apply(undefined, policy)
    const networking = config.makeApiClient(NetworkingV1Api)
    const live = await networking.readNamespacedNetworkPolicy({ namespace: "default", name: "web" })
    expect(live.spec?.ingress?.[0]?._from).toHaveLength(1)
    expect((await applier.apply(live, policy)).reason).toBe("unchanged")
    expect((await applier.apply(live, live).catch((error: unknown) => error)) as unknown).toBeInstanceOf(ApiException)
  })

  it("throws the exceptions of the client", async () => {
    const error = await applier.apply(undefined, { ...deployment, spec: {} }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ApiException)
    expect((error as ApiException<unknown>).code).toBe(422)
  })

  it("refuses other clients", () => {
    const other: ObjectClient = { patch: async (spec: object) => spec }
    expect(() => sendByClient(other)).toThrow(TypeError)
  })
})
