/** Tests the plugins that read classes, limits and quotas of a cluster: Priority, DefaultStorageClass, LimitRanger and ResourceQuota. */
import { describe, expect, it } from "vitest"
import type { MapValue } from "../../../src/value/value.js"
import { configMap, configMaps, serverWith } from "./policies.js"

const pods = "/api/v1/namespaces/default/pods"
const claims = "/api/v1/namespaces/default/persistentvolumeclaims"

const object = (apiVersion: string, kind: string, name: string, fields: object = {}, metadata: object = {}): MapValue =>
  ({ apiVersion, kind, metadata: { name, ...metadata }, ...fields }) as MapValue

const pod = (resources: object = {}, spec: object = {}) =>
  object("v1", "Pod", "p", { spec: { containers: [{ name: "a", image: "web:1", resources }], ...spec } })

const claim = (spec: object = {}) => {
  const resources = { requests: { storage: "2Gi" } }
  return object("v1", "PersistentVolumeClaim", "c", { spec: { accessModes: ["ReadWriteOnce"], resources, ...spec } })
}

describe("Priority", () => {
  const high = object("scheduling.k8s.io/v1", "PriorityClass", "high", { value: 1000, preemptionPolicy: "Never" })
  const usual = object("scheduling.k8s.io/v1", "PriorityClass", "usual", { value: 10, globalDefault: true })

  it("gives a Pod the priority of its class, or of the default class", async () => {
    const { call } = serverWith([high, usual])
    const specOf = async (spec: object) => (await call("POST", `${pods}?dryRun=All`, pod({}, spec))).body.spec
    expect(await specOf({ priorityClassName: "high" })).toMatchObject({ priority: 1000, preemptionPolicy: "Never" })
    expect(await specOf({})).toMatchObject({ priorityClassName: "usual", priority: 10 })
    expect(await specOf({ priorityClassName: "system-node-critical" })).toMatchObject({ priority: 2_000_001_000 })
  })

  it("refuses classes that do not exist, and other priorities", async () => {
    const { call } = serverWith([high])
    const refusal = async (spec: object) => (await call("POST", pods, pod({}, spec))).body.message
    expect(await refusal({ priorityClassName: "none" })).toBe(
      'pods "p" is forbidden: no PriorityClass with name none was found',
    )
    expect(await refusal({ priorityClassName: "high", priority: 5 })).toContain(
      "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 1000",
    )
    expect(await refusal({ priorityClassName: "high", preemptionPolicy: "PreemptLowerPriority" })).toContain(
      "the string value of PreemptionPolicy (PreemptLowerPriority) must not be provided",
    )
  })

  it("allows one default class", async () => {
    const second = object("scheduling.k8s.io/v1", "PriorityClass", "second", { value: 1, globalDefault: true })
    const { body } = await serverWith([usual]).call("POST", "/apis/scheduling.k8s.io/v1/priorityclasses", second)
    expect(body.message).toContain("PriorityClass usual is already marked as default. Only one default can exist")
  })
})

describe("DefaultStorageClass", () => {
  it("gives a claim the default class, unless it names one", async () => {
    const annotations = { "storageclass.kubernetes.io/is-default-class": "true" }
    const fast = object("storage.k8s.io/v1", "StorageClass", "fast", { provisioner: "x.test/disk" }, { annotations })
    const { call } = serverWith([fast])
    const classOf = async (spec: object) =>
      (await call("POST", `${claims}?dryRun=All`, claim(spec))).body.spec.storageClassName
    expect(await classOf({})).toBe("fast")
    expect(await classOf({ storageClassName: "" })).toBe("")
  })
})

describe("LimitRanger", () => {
  const range = (...limits: object[]) => object("v1", "LimitRange", "r", { spec: { limits } }, { namespace: "default" })
  const refusal = async (limits: object[], body: MapValue, path = pods) =>
    (await serverWith([range(...limits)]).call("POST", path, body)).body.message

  it("fills in requests and limits, and says so", async () => {
    const item = { type: "Container", defaultRequest: { cpu: "100m", memory: "64Mi" }, default: { cpu: "1" } }
    const { body } = await serverWith([range(item)]).call("POST", pods, pod({ requests: { memory: "1Gi" } }))
    expect(body.spec.containers[0].resources).toEqual({
      requests: { cpu: "100m", memory: "1Gi" },
      limits: { cpu: "1" },
    })
    expect(body.metadata.annotations).toEqual({
      "kubernetes.io/limit-ranger": "LimitRanger plugin set: cpu request for container a; cpu limit for container a",
    })
  })

  it("refuses containers out of bounds", async () => {
    const item = { type: "Container", max: { cpu: "2" }, min: { memory: "64Mi" } }
    const given = pod({ requests: { cpu: "1", memory: "32Mi" }, limits: { cpu: "3" } })
    expect(await refusal([item], given)).toBe(
      'pods "p" is forbidden: [minimum memory usage per Container is 64Mi, but request is 32Mi, ' +
        "maximum cpu usage per Container is 2, but limit is 3]",
    )
  })

  it("refuses Pods whose containers take too much together, and ratios", async () => {
    const two = { containers: ["a", "b"].map(name => ({ name, image: "i", resources: { limits: { cpu: "600m" } } })) }
    expect(await refusal([{ type: "Pod", max: { cpu: "1" } }], pod({}, two))).toContain(
      "maximum cpu usage per Pod is 1, but limit is 1200m",
    )
    const ratio = { type: "Container", maxLimitRequestRatio: { cpu: "2" } }
    expect(await refusal([ratio], pod({ requests: { cpu: "1" }, limits: { cpu: "3" } }))).toContain(
      "cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000",
    )
  })

  it("refuses claims out of bounds", async () => {
    const item = { type: "PersistentVolumeClaim", max: { storage: "1Gi" } }
    expect(await refusal([item], claim(), claims)).toContain(
      "maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi",
    )
  })
})

describe("ResourceQuota", () => {
  const quota = (hard: object) => object("v1", "ResourceQuota", "q", { spec: { hard } }, { namespace: "default" })

  it("counts objects", async () => {
    const { call } = serverWith([quota({ configmaps: "1", "count/configmaps": "5" })])
    expect((await call("POST", configMaps, configMap())).status).toBe(201)
    const { status, body } = await call("POST", configMaps, configMap({}, { name: "d" }))
    expect(status).toBe(403)
    expect(body.message).toBe(
      'configmaps "d" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: configmaps=1',
    )
    await call("DELETE", `${configMaps}/c`)
    expect((await call("POST", configMaps, configMap({}, { name: "d" }))).status).toBe(201)
  })

  it("adds up what Pods request, and requires that they do", async () => {
    const { call } = serverWith([quota({ "requests.cpu": "1", "limits.memory": "1Gi" })])
    expect((await call("POST", pods, pod({ requests: { cpu: "1" } }))).body.message).toBe(
      'pods "p" is forbidden: failed quota: q: must specify limits.memory for: a',
    )
    const resources = { requests: { cpu: "600m" }, limits: { memory: "512Mi" } }
    expect((await call("POST", pods, pod(resources))).status).toBe(201)
    const next = { ...pod(resources), metadata: { name: "second" } }
    expect((await call("POST", pods, next)).body.message).toBe(
      'pods "second" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    )
  })

  it("adds up the storage of claims and the ports of Services", async () => {
    const { call } = serverWith([quota({ "requests.storage": "3Gi", "services.nodeports": "0" })])
    expect((await call("POST", claims, claim())).status).toBe(201)
    const second = { ...claim(), metadata: { name: "second" } }
    expect((await call("POST", claims, second)).body.message).toContain("used: requests.storage=2Gi")
    const service = object("v1", "Service", "s", { spec: { type: "NodePort", ports: [{ port: 80 }] } })
    expect((await call("POST", "/api/v1/namespaces/default/services", service)).body.message).toContain(
      "requested: services.nodeports=1",
    )
  })
})

it("can be left out", async () => {
  const quota = object("v1", "ResourceQuota", "q", { spec: { hard: { configmaps: "0" } } }, { namespace: "default" })
  const { call } = serverWith([quota], { disableAdmissionPlugins: ["ResourceQuota"] })
  expect((await call("POST", configMaps, configMap())).status).toBe(201)
})
