/** Controllers: their effects over time, the owners that they leave, stages of users, and forks. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the expressions are those of stages, which the server fills in
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, it } from "vitest"
import { builtInStages } from "../../src/apiserver/controllers/built-in.js"
import { nextTime, readSchedule } from "../../src/apiserver/controllers/functions/schedule.js"
import { compileCondition } from "../../src/apiserver/controllers/template.js"
import { type ApiServer, createApiServer, type StageItem } from "../../src/apiserver/index.js"
import { loadCel } from "../../src/kinds/rules/library.js"
import { definitionOf } from "../support/definition.js"
import { projectRoot } from "../support/entries.js"
import { checkLaws } from "./controllers/laws.js"

type Fields = Record<string, unknown>
interface Read {
  readonly metadata: { readonly name: string; readonly managedFields: readonly Fields[]; readonly uid: string }
  readonly spec: Fields
  readonly status: Fields & { readonly conditions: readonly Fields[] }
}

const labels = { app: "shop" }
const selector = { matchLabels: labels }
const podSpec = { containers: [{ name: "web", image: "shop:1.0", ports: [{ name: "http", containerPort: 8080 }] }] }
const template = { metadata: { labels }, spec: podSpec }
const once = { spec: { ...podSpec, restartPolicy: "Never" } }
const named = (apiVersion: string, kind: string, name = "shop") => ({ apiVersion, kind, metadata: { name } })
const deployment = named("apps/v1", "Deployment")
const shop = { ...deployment, spec: { replicas: 4, selector, template } }

const serverWith = (controllers: boolean | readonly StageItem[] = true) => createApiServer({ seed: 1, controllers })
const read = async (server: ApiServer, object: object) => (await server.get(object as never)) as unknown as Read
const list = async (server: ApiServer, apiVersion: string, kind: string) =>
  (await server.list({ apiVersion, kind } as never)) as unknown as readonly Read[]
const condition = ({ status }: Read, type: string) => status.conditions.find(each => each.type === type)

/** The managers of an object, with the fields below its spec and status that each owns. */
const owners = ({ metadata }: Read) =>
  metadata.managedFields.map(({ manager, operation, subresource, fieldsV1 }) => {
    const fields = Object.entries(fieldsV1 as Record<string, object>).flatMap(([top, inner]) =>
      Object.keys(inner).map(key => `${top.slice(2)}.${key.replace("f:", "")}`),
    )
    return `${manager} ${operation} ${subresource ?? "-"}: ${fields.join(" ")}`
  })

describe("a Deployment", () => {
  it("gets ReplicaSets and Pods, rolls out, and is scaled by an autoscaler, with the owners of a cluster", async () => {
    const server = serverWith()
    await server.apply(shop, { manager: "gitops" })
    expect((await list(server, "v1", "Pod")).map(({ status }) => status.phase)).toEqual(Array(4).fill("Pending"))
    const ready = server.waitFor(deployment, object => (object as unknown as Read).status.readyReplicas === 4)
    server.clock.advance(1000)
    await ready
    expect((await read(server, deployment)).status).toMatchObject({
      observedGeneration: 1,
      replicas: 4,
      availableReplicas: 4,
    })

    const [set] = (await list(server, "apps/v1", "ReplicaSet")) as [Read]
    const [pod] = (await list(server, "v1", "Pod")) as [Read]
    const podFields =
      "containers dnsPolicy enableServiceLinks restartPolicy schedulerName securityContext terminationGracePeriodSeconds"
    const spec = (keys: string) => keys.replace(/\w+/g, "spec.$&")
    const status = (keys: string) => keys.replace(/\w+/g, "status.$&")
    expect(owners(await read(server, deployment))).toEqual([
      "gitops Apply -: spec.replicas spec.selector spec.template",
      `kube-controller-manager Update status: metadata.annotations ${status("availableReplicas conditions observedGeneration readyReplicas replicas terminatingReplicas updatedReplicas")}`,
    ])
    expect(owners(set)).toEqual([
      "kube-controller-manager Update -: metadata.annotations metadata.labels metadata.ownerReferences spec.replicas spec.selector spec.template",
      `kube-controller-manager Update status: ${status("availableReplicas fullyLabeledReplicas observedGeneration readyReplicas replicas terminatingReplicas")}`,
    ])
    expect(owners(pod)).toEqual([
      `kube-controller-manager Update -: metadata.generateName metadata.labels metadata.ownerReferences ${spec(podFields)}`,
      `kubelet Update status: ${status("conditions containerStatuses hostIP hostIPs observedGeneration phase podIP podIPs startTime")}`,
    ])

    const images = [{ name: "web", image: "shop:2.0" }]
    const newer = { ...shop, spec: { ...shop.spec, template: { ...template, spec: { containers: images } } } }
    await server.apply(newer, { manager: "gitops" })
    const sizes: string[] = []
    for (let i = 0; i < 4; i++) {
      const sets = await list(server, "apps/v1", "ReplicaSet")
      sizes.push(
        sets
          .map(({ spec, status }) => `${spec.replicas}/${status.availableReplicas ?? 0}`)
          .sort()
          .join(" "),
      )
      server.clock.advance(1000)
    }
    // 25 % of 4 may be missing, and as many may be too many.
    expect(sizes).toEqual(["2/0 3/3", "1/1 4/2", "0/0 4/4", "0/0 4/4"])
    expect(condition(await read(server, deployment), "Progressing")).toMatchObject({ reason: "NewReplicaSetAvailable" })
    expect((await list(server, "v1", "Pod")).length).toBe(4)

    const metrics = { "structured-merge-diff/metrics": "cpu=90" }
    const target = { type: "Utilization", averageUtilization: 60 }
    await server.create({
      ...named("autoscaling/v2", "HorizontalPodAutoscaler"),
      metadata: { name: "shop", annotations: metrics },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
        ...{ maxReplicas: 10, metrics: [{ type: "Resource", resource: { name: "cpu", target } }] },
      },
    })
    server.clock.advance(15_000)
    expect(owners(await read(server, deployment)).slice(0, 2)).toEqual([
      "gitops Apply -: spec.selector spec.template",
      "kube-controller-manager Update scale: spec.replicas",
    ])
    await expect(server.apply(newer, { manager: "gitops" })).rejects.toThrow(
      'conflict with "kube-controller-manager" with subresource "scale" using apps/v1: .spec.replicas',
    )
    server.clock.advance(1000)
    expect((await read(server, deployment)).status).toMatchObject({ replicas: 6, availableReplicas: 6 })

    await server.delete(deployment)
    expect((await list(server, "v1", "Pod")).length + (await list(server, "apps/v1", "ReplicaSet")).length).toBe(0)
    expect(server.controllerFailures).toEqual([])
  })

  it("reports Pods that never become ready, and Pods that a quota refuses", async () => {
    const server = serverWith(["*", "!pod-ready"])
    await server.create({ ...named("v1", "ResourceQuota"), spec: { hard: { pods: "2" } } })
    await server.apply({ ...shop, spec: { ...shop.spec, progressDeadlineSeconds: 60 } }, { manager: "gitops" })
    server.clock.advance(62_000)
    const late = await read(server, deployment)
    expect([condition(late, "Progressing")?.reason, condition(late, "ReplicaFailure")?.reason]).toEqual([
      "ProgressDeadlineExceeded",
      "FailedCreate",
    ])
    expect((await list(server, "v1", "Pod")).length).toBe(2)
    expect(server.controllerFailures[0]).toMatchObject({
      stage: "replica-set",
      message: expect.stringContaining("exceeded quota"),
    })
    await server.delete(named("v1", "ResourceQuota"))
    server.clock.advance(120_000)
    const healed = await read(server, deployment)
    expect([healed.status.replicas, condition(healed, "ReplicaFailure")]).toEqual([4, undefined])
  })

  it("recreates its Pods, and keeps as many old ReplicaSets as wanted", async () => {
    const server = serverWith()
    const strategy = { type: "Recreate" }
    await server.apply({ ...shop, spec: { ...shop.spec, strategy, revisionHistoryLimit: 0 } }, { manager: "gitops" })
    server.clock.advance(1000)
    await server.patch(deployment, { spec: { template: { metadata: { annotations: { v: "2" } } } } })
    const phases = async () => (await list(server, "v1", "Pod")).map(({ status }) => status.phase)
    expect(await phases()).toEqual(Array(4).fill("Running"))
    server.clock.advance(1000)
    expect(await phases()).toEqual(Array(4).fill("Pending"))
    server.clock.advance(1000)
    expect([await phases(), (await list(server, "apps/v1", "ReplicaSet")).length]).toEqual([
      Array(4).fill("Running"),
      1,
    ])
  })
})

it("other workloads run, end and get their volumes and endpoints", async () => {
  const server = serverWith()
  const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
  const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: claim }]
  const jobs = (name: string, spec: object) => ({
    ...named("batch/v1", "Job", name),
    spec: { ...spec, template: once },
  })
  const objects = [
    {
      ...named("apps/v1", "StatefulSet"),
      spec: { replicas: 2, selector, serviceName: "shop", template, volumeClaimTemplates },
    },
    { ...named("apps/v1", "DaemonSet"), spec: { selector, template } },
    { ...named("v1", "Service"), spec: { selector: labels, ports: [{ port: 80, targetPort: "http" }] } },
    jobs("each", { completionMode: "Indexed", completions: 3, parallelism: 2 }),
    jobs("short", { ttlSecondsAfterFinished: 5 }),
    jobs("held", { suspend: true }),
    { ...named("batch/v1", "CronJob"), spec: { schedule: "*/2 * * * *", jobTemplate: { spec: { template: once } } } },
  ]
  for (const object of objects) await server.create(object)
  server.clock.advance(5_000)
  expect((await read(server, named("apps/v1", "StatefulSet"))).status).toMatchObject({
    readyReplicas: 2,
    currentReplicas: 2,
  })
  expect((await read(server, named("apps/v1", "DaemonSet"))).status).toMatchObject({
    numberReady: 1,
    numberAvailable: 1,
  })
  expect(
    (await list(server, "v1", "PersistentVolumeClaim")).map(
      ({ metadata, status }) => `${metadata.name} ${status.phase}`,
    ),
  ).toEqual(["data-shop-0 Bound", "data-shop-1 Bound"])
  const [slice] = (await list(server, "discovery.k8s.io/v1", "EndpointSlice")) as unknown as Fields[]
  expect(slice).toMatchObject({ ports: [{ port: 8080 }], endpoints: Array(3).fill({ conditions: { ready: true } }) })
  const each = await read(server, named("batch/v1", "Job", "each"))
  expect([each.status, condition(each, "Complete")]).toMatchObject([
    { succeeded: 3, completedIndexes: "0-2" },
    { status: "True" },
  ])
  expect(condition(await read(server, named("batch/v1", "Job", "held")), "Suspended")).toMatchObject({ status: "True" })
  server.clock.advance(600_000)
  const left = (await list(server, "batch/v1", "Job")).map(({ metadata }) => metadata.name)
  // The Jobs of 00:06, 00:08 and 00:10, by their minutes since 1970.
  expect(left).toEqual(["each", "held", "shop-29453766", "shop-29453768", "shop-29453770"])

  await server.create(named("v1", "Namespace", "team"))
  expect(
    (await list(server, "v1", "ServiceAccount")).filter(({ metadata }) => metadata.name === "default").length,
  ).toBe(5)
  await server.delete({ apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "data-shop-1" } })
  await server.scale(named("apps/v1", "StatefulSet"), 1)
  server.clock.advance(2000)
  expect((await list(server, "v1", "PersistentVolume")).length).toBe(1)
  expect(server.controllerFailures).toEqual([])
})

describe("stages of a test", () => {
  const widget = { ...named("example.com/v1", "Widget"), spec: { size: 2 } }
  const schema = { properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } }

  it("act on any resource, after a delay, as their managers", async () => {
    const server = serverWith([
      {
        name: "widget",
        resource: "widgets.example.com",
        selector: { matchLabels: labels, matchConditions: ["object.spec.size > 1"] },
        delay: 5000,
        manager: "widget-operator",
        next: [
          {
            create: {
              ...named("v1", "ConfigMap", "${object.metadata.name}-config"),
              data: { text: "size ${object.spec.size}" },
            },
          },
          { type: "apply", patch: { spec: { doubled: "${object.spec.size * 2}", since: "${now}" } } },
        ],
      },
    ])
    await server.create(definitionOf("Widget", { schema }))
    await server.create({ ...widget, metadata: { name: "shop", labels } })
    server.clock.advance(4999)
    expect((await read(server, widget)).spec).toEqual({ size: 2 })
    server.clock.advance(1)
    const doubled = await read(server, widget)
    expect(doubled.spec).toEqual({ size: 2, doubled: 4, since: "2026-01-01T00:00:05Z" })
    expect(owners(doubled)[0]).toBe("widget-operator Apply -: spec.doubled spec.since")
    expect(await server.get(named("v1", "ConfigMap", "shop-config"))).toMatchObject({ data: { text: "size 2" } })
  })

  it("that fight pause after 50 turns, and go on later by the clock", async () => {
    const stage = (data: string, next: string) => ({
      ...{ name: `to-${next}`, resource: "configmaps" },
      ...{ selector: { matchConditions: [`object.data.a == '${data}'`] }, next: { patch: { data: { a: next } } } },
    })
    const server = serverWith([stage("x", "y"), stage("y", "x")])
    await server.create({ ...named("v1", "ConfigMap"), data: { a: "x" } })
    const version = Number(server.resourceVersion)
    expect(version).toBeGreaterThan(100)
    expect(version).toBeLessThan(110)
    expect(server.controllerFailures[0]?.message).toBe("paused after 50 turns at one time")
    server.clock.advance(999)
    expect(Number(server.resourceVersion)).toBe(version)
    server.clock.advance(1)
    expect(Number(server.resourceVersion)).toBeGreaterThan(version + 90)
  })

  it("wait for webhooks, also for those that ask the server", async () => {
    const hook = {
      ...{ name: "pods.example.com", clientConfig: { url: "https://hooks.example.com" }, sideEffects: "None" },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
      admissionReviewVersions: ["v1"],
    }
    const users: unknown[] = []
    const server: ApiServer = createApiServer({
      ...{ seed: 1, controllers: true },
      objects: [{ ...named("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"), webhooks: [hook] }],
      webhooks: {
        "pods.example.com": async review => {
          users.push((review.request as Fields & { userInfo: Fields }).userInfo.username)
          await server.create({ apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "seen-" } })
          return { allowed: true }
        },
      },
    })
    await server.apply(shop, { manager: "gitops" })
    expect(users).toEqual(Array(4).fill("system:serviceaccount:kube-system:replicaset-controller"))
    server.clock.advance(1000)
    expect((await read(server, deployment)).status.readyReplicas).toBe(4)
  })

  it("are evaluated again and again, each time with a budget of its own", async () => {
    await loadCel()
    const holds = compileCondition("object.list.all(i, i >= 0)", "a stage")
    const unused = () => ""
    const object = { list: Array(3000).fill(1) }
    const variables = { object, now: unused, podIP: unused, hostIP: unused }
    expect(Array.from({ length: 100 }, () => holds(variables)).every(Boolean)).toBe(true)
  })

  it("have the format of the schema, like the built-in ones", () => {
    const schema = JSON.parse(readFileSync(join(projectRoot, "controllers.schema.json"), "utf8"))
    const isValid = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, strictRequired: false }).compile(
      schema,
    )
    expect([isValid({ stages: ["*", ...builtInStages] }), isValid.errors]).toEqual([true, null])
    expect(serverWith(builtInStages).controllerFailures).toEqual([])
    const wrong: object[] = [{ create: {}, delete: true }, { type: "apply" }, { delete: false }, {}]
    for (const next of wrong) {
      const stages = [{ name: "a", resource: "pods", next } as StageItem]
      expect(isValid({ stages })).toBe(false)
      expect(() => serverWith(stages)).toThrow(".stages[0].next")
    }
  })

  it("are refused with the path of each problem", () => {
    const bad = [
      "pod-redy",
      { name: "a b", resource: "Pods", delay: -1, next: { call: "deploymnt" } },
      { name: "b", resource: "pods", next: [{ create: {}, delete: true }] },
    ] as unknown as StageItem[]
    expect(() => serverWith(bad)).toThrow(
      [
        ".stages[0]: there is no built-in stage pod-redy; did you mean pod-ready?",
        ".stages[1].name must not have blanks",
        ".stages[1].delay must be milliseconds of at least 0",
        '.stages[1].resource must be the plural with its group: "deployments.apps"',
        ".stages[1].next calls deploymnt, which is no function; did you mean deployment?",
        ".stages[2].next[0] must have exactly one of create, patch, delete, call; it has create and delete",
      ].join("\n"),
    )
  })

  it("have expressions that are checked before the first request", async () => {
    const server = serverWith([
      { name: "a", resource: "pods", selector: { matchConditions: ["obj.x"] }, next: { delete: true } },
    ])
    await expect(server.get(deployment)).rejects.toThrow("stage a: obj.x: ")
  })
})

it("an earlier state stays as it was until something happens, and a fork keeps its delays", async () => {
  const server = serverWith()
  const { metadata } = await server.apply(shop, { manager: "gitops" })
  server.clock.advance(600)
  const fork = server.fork()
  fork.clock.advance(400)
  expect((await read(fork, deployment)).status.readyReplicas).toBe(4)
  const past = server.at(metadata.resourceVersion)
  expect(await list(past, "apps/v1", "ReplicaSet")).toEqual([])
  await past.create(named("v1", "ConfigMap"))
  expect((await list(past, "v1", "Pod")).length).toBe(4)
  expect((await read(server, deployment)).status.readyReplicas).toBe(undefined)
})

it("random sessions keep the laws: same seed, same bytes; forks, resets and earlier states", async () => {
  expect((await checkLaws(1, 3)).broken).toEqual([])
})

it.each([
  ["*/15 8-9 * * mon-fri", undefined, "2026-01-02T09:46:00Z", "2026-01-05T08:00:00Z"],
  ["0 0 13 * 5", undefined, "2026-01-02T00:00:00Z", "2026-01-09T00:00:00Z"],
  ["@monthly", undefined, "2026-01-31T12:00:00Z", "2026-02-01T00:00:00Z"],
  ["30 2 * * *", "America/New_York", "2026-06-01T00:00:00Z", "2026-06-01T06:30:00Z"],
  ["0 0 30 2 *", undefined, "2026-01-01T00:00:00Z", undefined],
  ["@every 1h30m", undefined, "2026-01-01T00:00:00Z", "2026-01-01T01:30:00Z"],
])("the schedule %s in %s", (text, zone, after, expected) => {
  const schedule = readSchedule(text)
  const next = schedule && nextTime(schedule, new Date(after), zone)
  expect(next?.toISOString().replace(".000", "")).toBe(expected)
})
