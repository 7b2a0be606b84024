/** The applies that an Applier sends, and those that it leaves out, with the test API server. */
import { beforeEach, describe, expect, it } from "vitest"
import { type ApiServerOptions, createApiServer } from "../../../src/apiserver/index.js"
import { kubernetes } from "../../../src/kinds/index.js"
import { kubernetesTypes } from "../../../src/kubernetes/index.js"
import { readManagedFields, withManagedFields } from "../../../src/managedfields/entries/entry.js"
import { deducedTypes } from "../../../src/managedfields/index.js"
import { TypeConverter } from "../../../src/openapi/index.js"
import {
  Applier,
  type ApplierApplyOptions,
  type ApplierOptions,
  RefusedError,
  type SendRequest,
  sendByFetch,
} from "../../../src/tools/controller/index.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { definitionOf } from "../../support/definition.js"

const minute = 60_000
let now = 0
let sent: SendRequest[] = []
/** Hooks before a request reaches the server, and before its answer arrives. */
let onTheWay = async () => {}
let onTheWayBack = async () => {}

beforeEach(() => {
  onTheWay = async () => {}
  onTheWayBack = async () => {}
  now = Date.parse("2026-01-01T00:00:00Z")
  sent = []
})

/** A server, its appliers, and a way to read from it. */
function setUp(options: Partial<ApplierOptions> = {}, serverOptions: ApiServerOptions = {}) {
  const clock = () => new Date(now)
  const { fetch } = createApiServer({ clock, ...serverOptions })
  const bySend = sendByFetch("http://test", { fetch })
  const send = async (request: SendRequest) => {
    sent.push(request)
    await onTheWay()
    const answer = await bySend(request)
    await onTheWayBack()
    return answer
  }
  const applier = new Applier({ manager: "me", types: kubernetesTypes, send, clock, ...options })
  const other = new Applier({ manager: "other", types: kubernetesTypes, send: bySend, clock })
  const get = async (path: string) => (await fetch(new Request(`http://test${path}`))).json() as Promise<MapValue>
  return { applier, other, get, fetch }
}

const settingsPath = "/api/v1/namespaces/default/configmaps/settings"
const settings = (data: Record<string, Value>, metadata: MapValue = {}): MapValue =>
  deepFreeze({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", ...metadata }, data }) as MapValue

const web = (spec: MapValue, more: MapValue = {}): MapValue =>
  deepFreeze({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec, ...more }) as MapValue
const pods = (container: MapValue = {}): MapValue => ({
  selector: { matchLabels: { app: "web" } },
  template: {
    metadata: { labels: { app: "web" } },
    spec: { containers: [{ name: "web", image: "web:1", ...container }] },
  },
})
const withHostNetwork = (spec: MapValue): MapValue => {
  const template = spec.template as { readonly spec: MapValue }
  return { ...spec, template: { ...template, spec: { ...template.spec, hostNetwork: false } } }
}
/** A webhook that pins images. */
const pinning: ApiServerOptions = {
  admit: ({ object }) => JSON.parse(JSON.stringify(object).replaceAll('"web:1"', '"web@sha256:1"')),
}
const webPath = "/apis/apps/v1/namespaces/default/deployments/web"

describe("an apply", () => {
  it("is sent if there is no object, and not again", async () => {
    const { applier } = setUp()
    const first = await applier.apply(undefined, settings({ a: "1" }))
    expect(first).toMatchObject({ sent: true, reason: "create", object: { data: { a: "1" } } })
    const again = await applier.apply(first.object, settings({ a: "1" }))
    expect(again).toEqual({ sent: false, reason: "unchanged", object: first.object })
    expect(again.object).toBe(first.object)
    expect(sent).toHaveLength(1)
  })

  it.each<[string, Record<string, Value>, boolean]>([
    ["another value", { a: "2" }, true],
    ["one field more", { a: "1", b: "2" }, true],
    ["one field less", {}, true],
    ["a value that another manager has given, to own it too", { a: "1", theirs: "x" }, true],
    ["nothing else", { a: "1" }, false],
  ])("of %s", async (_, data, isSent) => {
    const { applier, other, get } = setUp()
    const { object } = await applier.apply(undefined, settings({ a: "1" }))
    await other.apply(object, settings({ theirs: "x" }))
    const live = deepFreeze(await get(settingsPath)) as MapValue
    const made = await applier.apply(live, settings(data))
    expect([made.sent, made.reason]).toEqual([isSent, isSent ? "change" : "unchanged"])
    const after = await get(settingsPath)
    expect(isSent).toBe(JSON.stringify(after) !== JSON.stringify(live))
  })

  it("is sent to an object without managedFields, with one warning", async () => {
    const warnings: string[] = []
    const { applier } = setUp({ warn: message => warnings.push(message) })
    const { object } = await applier.apply(undefined, settings({ a: "1" }))
    const bare = withManagedFields(object, [])
    for (let i = 0; i < 3; i++) {
      expect(await applier.apply(bare, settings({ a: "1" }))).toMatchObject({ sent: true, reason: "no-managed-fields" })
    }
    expect(warnings).toEqual([
      "ConfigMap settings came without managedFields, which a cache may have dropped: every apply is sent",
    ])
  })

  it.each([
    [
      undefined,
      [
        'the type of Shape has unions, which a cluster ignores, and so does this Applier: the option unions says what the server does about them, "off" for a cluster',
      ],
    ],
    ["off", []],
    ["extended", []],
  ] as const)(
    "warns once of unions that a cluster ignores, unless it was told about them: %s",
    async (unions, expected) => {
      const union = { "fields-to-discriminateBy": { a: "A", b: "B" } }
      const spec = {
        type: "object",
        properties: { a: { type: "string" }, b: { type: "string" } },
        "x-kubernetes-unions": [union],
      }
      const definition = definitionOf("Shape", { schema: { properties: { spec } } })
      const types = new TypeConverter([{ document: definition }], { fallback: kubernetesTypes.find })
      const warnings: string[] = []
      const warn = (message: string) => warnings.push(message)
      const { applier } = setUp({ types, warn, ...(unions && { unions }) }, { crds: [definition] })
      const plain = await applier.apply(undefined, settings({ a: "1" }))
      await applier.apply(plain.object, settings({ a: "1" }))
      expect(warnings).toEqual([])
      const shape = (name: string) => ({
        apiVersion: "example.com/v1",
        kind: "Shape",
        metadata: { name },
        spec: { a: "x" },
      })
      for (const name of ["one", "two"]) {
        const { object } = await applier.apply(undefined, shape(name))
        expect((await applier.apply(object, shape(name))).reason).toBe("unchanged")
      }
      expect(warnings).toEqual(expected)
    },
  )

  it("is sent if the kind has no type", async () => {
    const { applier } = setUp({ types: { find: () => undefined } })
    const { object } = await applier.apply(undefined, settings({ a: "1" }))
    const again = await applier.apply(object, settings({ a: "1" }))
    expect(again.reason).toBe("no-type")
    expect((await applier.apply(again.object, settings({ a: "1" }))).reason).toBe("remembered")
  })

  it("is decided across the served versions, and sent if another version is involved", async () => {
    const { applier, other, get } = setUp()
    const scaler = (apiVersion: string, spec: MapValue) => ({
      ...{ apiVersion, kind: "HorizontalPodAutoscaler", metadata: { name: "web" } },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, ...spec },
    })
    const config = scaler("autoscaling/v2", { maxReplicas: 5 })
    const { object } = await applier.apply(undefined, config)
    expect((await applier.apply(object, config)).reason).toBe("unchanged")
    const path = "/namespaces/default/horizontalpodautoscalers/web"
    expect((await applier.apply(await get(`/apis/autoscaling/v1${path}`), config)).reason).toBe("unchanged")
    expect((await applier.apply(object, scaler("autoscaling/v1", { maxReplicas: 5 }))).reason).toBe("change")
    await other.apply(undefined, scaler("autoscaling/v1", { maxReplicas: 5 }))
    // The last apply was at the older version, so this one changes the version of its entry.
    expect((await applier.apply(await get(`/apis/autoscaling/v2${path}`), config)).reason).toBe("change")
    const live = await get(`/apis/autoscaling/v2${path}`)
    expect((await applier.apply(live, config)).reason).toBe("unchanged")
    const entries = (readManagedFields(live) ?? []).map(entry => ({ ...entry, apiVersion: "autoscaling/v2beta1" }))
    const older = withManagedFields(live, entries)
    expect((await applier.apply(older, config)).reason).toBe("other-version")
  })

  it("uses the namespace of the live object if the configuration has none, and otherwise no namespace", async () => {
    const { applier, get } = setUp()
    const elsewhere = await applier.apply(undefined, settings({ a: "1" }, { namespace: "kube-system" }))
    const made = await applier.apply(elsewhere.object, settings({ a: "2" }))
    expect([made.object.metadata, made.object.data]).toMatchObject([{ namespace: "kube-system" }, { a: "2" }])
    expect((await get(settingsPath)).code).toBe(404)
    await applier.apply(undefined, settings({ a: "1" }))
    expect(sent.map(request => ("namespace" in request ? request.namespace : "not named"))).toEqual([
      "kube-system",
      "kube-system",
      "not named",
    ])
  })

  it("that is refused here is left to the server", async () => {
    const { applier } = setUp()
    const { object } = await applier.apply(undefined, settings({ a: "1" }))
    const odd = { ...settings({ a: "1" }), what: 1 }
    const error = await applier.apply(object, odd).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(RefusedError)
    expect((error as RefusedError).message).toContain(".what: field not declared in schema")
    expect(sent).toHaveLength(2)
  })

  it("accepts objects from lists, which have no kind, and objects of clients", async () => {
    const { applier } = setUp()
    const { object } = await applier.apply(undefined, settings({ a: "1" }))
    const { apiVersion: _, kind: __, ...item } = object
    const creationTimestamp = new Date(now)
    const typed = { ...item, metadata: { ...(item.metadata as MapValue), creationTimestamp } }
    expect((await applier.apply(typed, settings({ a: "1" }))).reason).toBe("unchanged")
  })

  it("of another object than the live one, or of none, is a mistake", async () => {
    const { applier } = setUp()
    const { object } = await applier.apply(undefined, settings({}))
    const other = (metadata: MapValue) => applier.apply(object, { ...settings({}), metadata })
    await expect(other({ name: "b" })).rejects.toThrow(
      new TypeError('the live object is "default/settings", the configuration is of "b"'),
    )
    await expect(other({ name: "settings", namespace: "b" })).rejects.toThrow(TypeError)
    await expect(applier.apply(undefined, { ...settings({}), metadata: {} })).rejects.toThrow("no metadata.name")
  })
})

describe("the changes that a server makes", () => {
  it.each<[string, MapValue]>([
    ["quantities", pods({ resources: { limits: { memory: "1024Mi" } } })],
    ["what is false by default", withHostNetwork(pods())],
    ["what is null", { ...pods(), strategy: null }],
  ])("is foreseen for built-in kinds: %s in another form", async (_, spec) => {
    const { applier, get } = setUp()
    const config = web(spec)
    await applier.apply(undefined, config)
    const live = await get(webPath)
    for (let i = 0; i < 3; i++, now += 11 * minute) {
      expect((await applier.apply(live, config)).reason).toBe("unchanged")
    }
    expect(sent).toHaveLength(1)
    expect((await applier.apply(live, web({ ...spec, replicas: 2 }))).reason).toBe("change")
  })

  it("are predicted for custom resources by their definition", async () => {
    const spec = { type: "object", properties: { size: { type: "integer", default: 1 }, name: { type: "string" } } }
    const status = { type: "object", properties: { phase: { type: "string" } } }
    const definition = definitionOf("Box", {
      schema: { properties: { spec, status } },
      version: { subresources: { status: {} } },
    })
    const { applier, get } = setUp({ types: kubernetes.with([definition]) }, { crds: [definition] })
    const box = (more: MapValue) => ({ apiVersion: "example.com/v1", kind: "Box", metadata: { name: "b" }, ...more })
    // A server drops nulls, and resets the status.
    const config = box({ spec: { size: null, name: "a" }, status: { phase: "New" } })
    await applier.apply(undefined, config)
    const live = await get("/apis/example.com/v1/namespaces/default/boxs/b")
    expect((await applier.apply(live, config)).reason).toBe("unchanged")
    expect((await applier.apply(live, box({ spec: { name: "b" }, status: { phase: "New" } }))).reason).toBe("change")
  })

  it("are learned: the same apply to the same object is sent again only after ten minutes", async () => {
    const { applier, get, other } = setUp({}, pinning)
    const config = web(pods())
    let { object: live } = await applier.apply(undefined, config)
    const reasons = async () => (await applier.apply(live, config)).reason
    expect([await reasons(), await reasons(), await reasons()]).toEqual(["change", "remembered", "remembered"])
    now += 10 * minute - 1
    expect(await reasons()).toBe("remembered")
    now += 1
    expect([await reasons(), await reasons()]).toEqual(["change", "remembered"])
    await other.apply(live, web({ paused: true }))
    live = await get(webPath)
    now += minute
    expect(await reasons()).toBe("change")
    live = await get(webPath)
    expect([await reasons(), await reasons()]).toEqual(["change", "remembered"])
    expect(sent).toHaveLength(5)
  })

  it("are learned for one configuration, with or without force", async () => {
    const { applier } = setUp({}, pinning)
    const config = web(pods())
    const { object: live } = await applier.apply(undefined, config)
    const reason = async (given: MapValue, force = false) => (await applier.apply(live, given, { force })).reason
    expect([await reason(config), await reason(config, true), await reason(config, true)]).toEqual([
      "change",
      "change",
      "remembered",
    ])
    expect(await reason(config)).toBe("remembered")
    expect(await reason(web(pods({ command: ["run"] })))).toBe("change")
  })

  it("are not learned from an answer in the second of an apply by someone else", async () => {
    const { applier, get, fetch } = setUp({}, pinning)
    const config = web(pods())
    await applier.apply(undefined, config)
    now += minute
    const send = sendByFetch("http://test", { fetch })
    const other = new Applier({ manager: "you", types: kubernetesTypes, send, clock: () => new Date(now) })
    await other.apply(await get(webPath), web({ paused: true }))
    const reasons: string[] = []
    for (let i = 0; i < 4; i++) {
      const live = await get(webPath)
      const made = await applier.apply(live, config)
      const isChanged = made.sent && stateIn(made.object) !== stateIn(live)
      reasons.push(`${made.reason}${isChanged ? "" : ", for nothing"}`)
      now += 1_000
    }
    // Then its entry has the later time, and another place.
    expect(reasons).toEqual(["change, for nothing", "change", "change, for nothing", "remembered, for nothing"])
  })

  it("are requested once an hour, or always if nothing else is trusted", async () => {
    const config = settings({ a: "1" })
    // A webhook appears later, and labels every written object.
    let labels: MapValue = {}
    const admit = ({ object }: { readonly object: MapValue }) => ({
      ...object,
      metadata: { ...(object.metadata as MapValue), labels },
    })
    const { applier, get } = setUp({}, { admit })
    const wary = new Applier({ ...setUpOf(applier), recheckAfter: 0 })
    let { object: live } = await applier.apply(undefined, config)
    labels = { team: "web" }
    now += 60 * minute - 1
    expect((await applier.apply(live, config)).reason).toBe("unchanged")
    now += 1
    expect((await applier.apply(live, config)).reason).toBe("recheck")
    live = await get(settingsPath)
    expect((live.metadata as MapValue).labels).toEqual(labels)
    expect((await applier.apply(live, config)).reason).toBe("unchanged")
    expect((await wary.apply(live, config)).reason).toBe("recheck")
    expect((await wary.apply(live, config)).reason).toBe("remembered")
  })
})

/** The options of an Applier. */
function setUpOf(applier: Applier): ApplierOptions {
  return Reflect.get(applier, "options") as ApplierOptions
}

function stateIn(object: MapValue): Value | undefined {
  return (object.metadata as MapValue).resourceVersion
}

describe("conflicts", () => {
  const mine = settings({ color: "red", size: "1" })
  async function contested(options: Partial<ApplierOptions> = {}) {
    const made = setUp(options)
    await made.other.apply(undefined, settings({ color: "blue" }))
    return { ...made, live: await made.get(settingsPath) }
  }

  it("are left to the server", async () => {
    const { applier, live } = await contested()
    const error = await applier.apply(live, mine).catch((error: unknown) => error)
    expect((error as RefusedError).code).toBe(409)
    expect((error as RefusedError).message).toBe('Apply failed with 1 conflict: conflict with "other": .data.color')
    expect(sent).toHaveLength(1)
  })

  it("are settled before the apply is sent, and not again", async () => {
    const { applier, live, get } = await contested()
    const options = { onConflict: "relinquish" } as const
    const made = await applier.apply(live, mine, options)
    expect(made.resolution?.relinquished.map(({ path }) => path)).toEqual([".data.color"])
    expect(sent.map(({ config, force }) => [config.data, force])).toEqual([[{ size: "1" }, false]])
    expect(await applier.apply(await get(settingsPath), mine, options)).toMatchObject({
      sent: false,
      reason: "unchanged",
      resolution: { outcome: "resolved" },
    })
  })

  it("are settled after a refusal too", async () => {
    const { applier, live } = await contested()
    await expect(applier.apply(live, mine, { onConflict: "fail" })).rejects.toThrow(RefusedError)
    const made = await applier.apply(live, mine, { onConflict: () => "share" })
    expect(made.object.data).toEqual({ color: "blue", size: "1" })
  })

  it("are reported without a request", async () => {
    const { applier, live } = await contested()
    const conflict = { sent: false, reason: "conflict", object: live, detail: expect.stringContaining("1 conflict") }
    const reported = await applier.apply(live, mine, { onConflict: "report" })
    expect(reported).toMatchObject(conflict)
    expect(
      reported.resolution?.failed.map(({ path, owners, live, configured }) => [
        path,
        owners[0]?.manager,
        live,
        configured,
      ]),
    ).toEqual([[".data.color", "other", "blue", "red"]])
    const seen: string[] = []
    const ask = ({ path }: { readonly path: string }) => {
      seen.push(path)
      return "report" as const
    }
    expect(await applier.apply(live, mine, { onConflict: ask })).toMatchObject(conflict)
    expect([seen, sent]).toEqual([[".data.color"], []])
    const misspelled = { onConflict: "overwite" } as unknown as ApplierApplyOptions
    await expect(applier.apply(live, mine, misspelled)).rejects.toThrow(
      /^options.onConflict: expected .*"overwrite".*, got "overwite"$/,
    )
    await expect(applier.apply(live, mine, { onConflict: () => misspelled.onConflict as "share" })).rejects.toThrow(
      /^the result of onConflict: expected "report", .*, got "overwite"$/,
    )
  })

  it("are overridden by force", async () => {
    const { applier, live } = await contested()
    const made = await applier.apply(live, mine, { force: true, onConflict: "relinquish" })
    expect([made.reason, made.object.data, made.resolution]).toEqual(["change", mine.data, undefined])
    expect((await applier.apply(made.object, mine)).reason).toBe("unchanged")
  })
})

describe("subresources", () => {
  const status = (message: string) => ({
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } },
    status: { observedGeneration: 1, conditions: [{ type: "Available", status: "True", message }] },
  })

  it("get an apply if it changes something", async () => {
    const { applier, get } = setUp()
    await applier.apply(undefined, web(pods()))
    const apply = async (message: string) =>
      (await applier.apply(await get(webPath), status(message), { subresource: "status" })).reason
    expect([await apply("a"), await apply("a"), await apply("b")]).toEqual(["change", "unchanged", "change"])
    expect((await get(webPath)).status).toMatchObject({ conditions: [{ message: "b" }] })
    expect((await applier.apply(await get(webPath), web(pods()))).reason).toBe("unchanged")
  })

  it("are left to the server if their reset fields are unknown", async () => {
    const { applier, get } = setUp({ types: deducedTypes })
    await applier.apply(undefined, settings({}))
    const live = await get(settingsPath)
    const config = { ...settings({}), status: {} }
    expect((await applier.apply(live, config).catch(() => sent.length)) as unknown).toBe(2)
  })

  it("keep the status in the main resource without owning it", async () => {
    const { applier, get } = setUp()
    const config = web(pods(), { status: { replicas: 7 } })
    await applier.apply(undefined, config)
    expect((await applier.apply(await get(webPath), config)).reason).toBe("unchanged")
    expect((await get(webPath)).status).not.toMatchObject({ replicas: 7 })
  })
})

describe("several applies to one object", () => {
  it("are made one after the other, and the last one stays", async () => {
    const { applier, get } = setUp()
    const { object: live } = await applier.apply(undefined, settings({ a: "1" }))
    // The second apply would not change the object that both appliers know.
    const made = await Promise.all([
      applier.apply(live, settings({ a: "2" })),
      applier.apply(live, settings({ a: "1" })),
      applier.apply(live, settings({ a: "1" })),
    ])
    expect(made.map(({ reason }) => reason)).toEqual(["change", "stale-object", "stale-object"])
    expect((await get(settingsPath)).data).toEqual({ a: "1" })
  })

  const inDefault = { namespace: "default" }
  const noted = (apiVersion: string, note: string): MapValue =>
    deepFreeze({
      ...{ apiVersion, kind: "Event", metadata: { name: "crash", namespace: "default", annotations: { note } } },
      [apiVersion === "v1" ? "involvedObject" : "regarding"]: { kind: "Pod", name: "web", namespace: "default" },
    }) as MapValue
  const role = (verb: string, metadata: MapValue = {}): MapValue =>
    deepFreeze({
      ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "reader", ...metadata } },
      rules: [{ apiGroups: [""], resources: ["pods"], verbs: [verb] }],
    }) as MapValue
  const scaler = (apiVersion: string, maxReplicas: number): MapValue => ({
    ...{ apiVersion, kind: "HorizontalPodAutoscaler", metadata: { name: "web" } },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, maxReplicas },
  })

  it.each<[string, MapValue, MapValue]>([
    ["with and without a namespace", settings({ a: "2" }, inDefault), settings({ a: "1" })],
    ["without and with a namespace", settings({ a: "2" }), settings({ a: "1" }, inDefault)],
    ["with the namespace of a kind that has none", role("list", { namespace: "a" }), role("get")],
    ["with two namespaces of a kind that has none", role("list", { namespace: "a" }), role("get", { namespace: "b" })],
    ["at two versions", scaler("autoscaling/v1", 2), scaler("autoscaling/v2", 1)],
    ["in two groups", noted("events.k8s.io/v1", "two"), noted("v1", "one")],
  ])("that are named %s are made one after the other", async (_, other, config) => {
    for (const isKnown of [true, false]) {
      const { applier } = setUp()
      const { object } = await applier.apply(undefined, config)
      const live = isKnown ? object : undefined
      sent = []
      let go = () => {}
      const gate = new Promise<void>(resolve => {
        go = resolve
      })
      const begun = new Promise<void>(resolve => {
        onTheWay = () => {
          resolve()
          return sent.length === 1 ? gate : Promise.resolve()
        }
      })
      const made = Promise.all([other, config].map(given => applier.apply(live, given, { force: true })))
      await begun
      await new Promise(resolve => setTimeout(resolve))
      expect(sent.map(request => request.config)).toEqual([other])
      go()
      expect((await made).map(result => result.sent)).toEqual([true, true])
      expect(sent.map(request => request.config)).toEqual([other, config])
    }
  })

  it("of different objects do not wait for each other", async () => {
    const waiting: SendRequest[] = []
    const send = (request: SendRequest) => {
      waiting.push(request)
      return new Promise<never>(() => {})
    }
    const { applier } = setUp({ send })
    const configs = [
      settings({}, { namespace: "a" }),
      settings({}, { namespace: "b" }),
      { ...settings({}, { namespace: "a" }), kind: "Secret" },
      settings({}, { namespace: "a", name: "more" }),
      { ...settings({}, { namespace: "a" }), apiVersion: "example.com/v1" },
    ]
    for (const config of configs) void applier.apply(undefined, config)
    await new Promise(resolve => setTimeout(resolve))
    expect(waiting.map(({ config }) => config)).toEqual(configs)
  })

  it("wait for all pending applies, and are forgotten when they are done", async () => {
    const order: string[] = []
    const answers: (() => void)[] = []
    const send = ({ config, namespace = "default" }: SendRequest) =>
      new Promise<MapValue>(resolve => {
        order.push(Object.keys(config.data as MapValue).join())
        answers.push(() => resolve({ metadata: { namespace, uid: "1", resourceVersion: `${order.length}` } }))
      })
    const { applier } = setUp({ send })
    const made = ["a", "b", "", "a", "b"].map((namespace, i) =>
      applier.apply(undefined, settings({ [`${namespace}${i}`]: "1" }, namespace === "" ? {} : { namespace })),
    )
    const answerAll = async () => {
      await new Promise(resolve => setTimeout(resolve))
      for (const answer of answers.splice(0)) answer()
      return order.splice(0)
    }
    expect([await answerAll(), await answerAll(), await answerAll()]).toEqual([["a0", "b1"], ["2"], ["a3", "b4"]])
    await Promise.all(made)
    expect(Reflect.get(Reflect.get(applier, "turns") as object, "last")).toEqual(new Map())
  })

  it.each<[string, MapValue, MapValue]>([
    ["with no namespace", settings({ a: "2" }), settings({ a: "1" }, inDefault)],
    ["with no namespace, as the next has none", settings({ a: "2" }), settings({ a: "1" })],
    ["with the namespace of a kind that has none", role("list", { namespace: "a" }), role("get")],
    ["in another group", noted("events.k8s.io/v1", "two"), noted("v1", "one")],
  ])("are sent after one %s that nobody knows the end of", async (_, lost, config) => {
    const { applier } = setUp()
    const { object: live } = await applier.apply(undefined, config)
    expect((await applier.apply(live, config)).reason).toBe("unchanged")
    onTheWayBack = () => Promise.reject(new Error("the connection was lost"))
    await expect(applier.apply(undefined, lost, { force: true })).rejects.toThrow("lost")
    onTheWayBack = async () => {}
    const made = await applier.apply(live, config, { force: true })
    expect(made.reason).toBe("stale-object")
    expect((await applier.apply(made.object, config)).reason).toBe("unchanged")
  })

  it("accepts a configuration with the namespace of a kind that has none", async () => {
    const { applier } = setUp()
    const { object: live } = await applier.apply(undefined, role("get"))
    expect((await applier.apply(live, role("get", { namespace: "a" }))).object).toEqual(live)
  })

  it("are sent if the informer's object is older than the last answer", async () => {
    const { applier, get } = setUp()
    const { object: old } = await applier.apply(undefined, settings({ a: "1" }))
    await applier.apply(old, settings({ a: "2" }))
    expect((await applier.apply(old, settings({ a: "1" }))).reason).toBe("stale-object")
    expect((await applier.apply(await get(settingsPath), settings({ a: "1" }))).reason).toBe("unchanged")
  })

  it.each<[string, (number: number) => MapValue, string]>([
    ["by states that it names", () => ({ uid: "u", resourceVersion: "7" }), "remembered"],
    ["not by the resourceVersion alone", () => ({ resourceVersion: "7" }), "no-type"],
    ["not by the uid alone", () => ({ uid: "u" }), "no-type"],
    ["not by states that differ", number => ({ uid: "u", resourceVersion: `${number}` }), "no-type"],
  ])("are recognized %s", async (_, stateOf, expected) => {
    const send = async ({ config }: SendRequest) => {
      const metadata = { ...(config.metadata as MapValue), ...stateOf(++answers) }
      return withManagedFields({ ...config, metadata }, [{ manager: "me", operation: "Apply" }])
    }
    let answers = 0
    const { applier } = setUp({ types: { find: () => undefined }, send })
    const { object: live } = await applier.apply(undefined, settings({ a: "1" }))
    await applier.apply(live, settings({ a: "1" }))
    expect((await applier.apply(live, settings({ a: "1" }))).reason).toBe(expected)
  })

  it.each([
    ["9", "10", "unchanged"],
    ["10", "9", "stale-object"],
    ["11", "12", "unchanged"],
    ["9", "10-a", "stale-object"],
    ["9-a", "10-a", "stale-object"],
    ["a", "a", "unchanged"],
  ])("by an object that came after the answer %s with %s: %s", async (answered, given, expected) => {
    const { applier } = setUp()
    const { object } = await applier.apply(undefined, settings({ a: "1" }))
    const at = (resourceVersion: string) => ({
      ...object,
      metadata: { ...(object.metadata as MapValue), resourceVersion },
    })
    const other = new Applier({ ...setUpOf(applier), send: async () => at(answered) })
    await other.apply(undefined, settings({ a: "1" }))
    expect((await other.apply(at(given), settings({ a: "1" }))).reason).toBe(expected)
  })

  it("are sent after one that failed", async () => {
    const { applier } = setUp()
    const { object: live } = await applier.apply(undefined, settings({ a: "1" }))
    await expect(applier.apply(live, settings({ a: { b: 1 } }))).rejects.toThrow(RefusedError)
    expect((await applier.apply(live, settings({ a: "1" }))).reason).toBe("stale-object")
    expect((await applier.apply(live, settings({ a: "1" }))).reason).toBe("remembered")
  })

  it("are remembered for the requested number of objects", async () => {
    const { applier } = setUp({ types: { find: () => undefined }, maxObjects: 2 })
    const named = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { name } })
    const lives = new Map<string, MapValue>()
    for (const name of ["a", "b", "c"]) lives.set(name, (await applier.apply(undefined, named(name))).object)
    const reasons: string[] = []
    for (const name of ["a", "b", "a", "b", "c", "a"]) {
      reasons.push((await applier.apply(lives.get(name), named(name))).reason)
    }
    expect(reasons).toEqual(["no-type", "no-type", "remembered", "remembered", "no-type", "no-type"])
  })
})
