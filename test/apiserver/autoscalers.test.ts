/** HorizontalPodAutoscalers at both of their versions: version 1 has what it can't express in annotations. */
import { expect, it } from "vitest"
import { clientOf } from "./requests.js"

const v1 = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
const v2 = v1.replace("/v1/", "/v2/")
const metadata = { name: "web" }
const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" }
const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
const memory = { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } }
const requests = {
  type: "Object",
  object: {
    describedObject: { kind: "Ingress", name: "main", apiVersion: "networking.k8s.io/v1" },
    metric: { name: "requests" },
    target: { type: "Value", value: "10k" },
  },
}
const packets = {
  type: "Pods",
  pods: {
    metric: { name: "packets", selector: { matchLabels: { a: "b" } } },
    target: { type: "AverageValue", averageValue: "1k" },
  },
}
const queue = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "30" } },
}
const inContainer = {
  type: "ContainerResource",
  containerResource: { name: "cpu", container: "app", target: { type: "Utilization", averageUtilization: 60 } },
}
const prefix = "autoscaling.alpha.kubernetes.io/"
const autoscaler = (version: string, spec: object) => ({
  apiVersion: `autoscaling/${version}`,
  kind: "HorizontalPodAutoscaler",
  metadata,
  spec: { scaleTargetRef, maxReplicas: 5, ...spec },
})

it("shows metrics and behavior of version 2 as annotations of version 1, and reads them back", async () => {
  const send = clientOf()
  const metrics = [memory, cpu, requests, packets, queue, inContainer]
  const policies = [{ type: "Percent", value: 10, periodSeconds: 60 }]
  const created = await send("POST", v2, autoscaler("v2", { metrics, behavior: { scaleDown: { policies } } }))
  expect(created.status).toBe(201)
  const conditions = [
    {
      type: "AbleToScale",
      status: "True",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      reason: "Ready",
      message: "a < b",
    },
  ]
  const currentMetrics = [
    { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 42, averageValue: "10m" } } },
  ]
  const status = { currentReplicas: 2, desiredReplicas: 3, conditions, currentMetrics }
  await send("PATCH", `${v2}/web/status`, { status }, "merge")

  const old = (await send("GET", `${v1}/web`)).body
  expect(old.spec).toEqual({ scaleTargetRef, maxReplicas: 5, minReplicas: 1, targetCPUUtilizationPercentage: 50 })
  expect(old.status).toMatchObject({ currentCPUUtilizationPercentage: 42 })
  expect(old.metadata.annotations).toEqual({
    [`${prefix}metrics`]:
      '[{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},' +
      '{"type":"Object","object":{"target":{"kind":"Ingress","name":"main","apiVersion":"networking.k8s.io/v1"},"metricName":"requests","targetValue":"10k"}},' +
      '{"type":"Pods","pods":{"metricName":"packets","targetAverageValue":"1k","selector":{"matchLabels":{"a":"b"}}}},' +
      '{"type":"External","external":{"metricName":"queue","targetAverageValue":"30"}},' +
      '{"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":60,"container":"app"}}]',
    [`${prefix}behavior`]:
      '{"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15},{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null},' +
      '"ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":10,"PeriodSeconds":60}],"Tolerance":null}}',
    [`${prefix}current-metrics`]:
      '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":42,"currentAverageValue":"10m"}}]',
    [`${prefix}conditions`]:
      '[{"type":"AbleToScale","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","reason":"Ready","message":"a \\u003c b"}]',
  })

  const before = (await send("GET", `${v2}/web`)).body
  expect(before.metadata.annotations).toBeUndefined()
  const replaced = await send("PUT", `${v1}/web`, { ...old, spec: { ...old.spec, maxReplicas: 6 } })
  expect(replaced.status).toBe(200)
  const after = (await send("GET", `${v2}/web`)).body
  // The metric of CPU utilization comes last, since version 1 has it in its own field.
  expect(after.spec).toEqual({
    ...before.spec,
    maxReplicas: 6,
    metrics: [memory, requests, packets, queue, inContainer, cpu],
  })
  expect(after.status).toEqual(before.status)
  expect(after.metadata.annotations).toBeUndefined()
})

it("sets no target of CPU utilization where version 2 has other metrics", async () => {
  const send = clientOf()
  await send("POST", v2, autoscaler("v2", { metrics: [memory] }))
  const old = (await send("GET", `${v1}/web`)).body
  expect(old.spec.targetCPUUtilizationPercentage).toBeUndefined()
  await send("PATCH", `${v1}/web`, { spec: { maxReplicas: 7 } }, "merge")
  expect((await send("GET", `${v2}/web`)).body.spec).toMatchObject({ maxReplicas: 7, metrics: [memory] })
})

it("lets managers apply at both versions", async () => {
  const send = clientOf()
  const apply = (path: string, manager: string, body: object) =>
    send("PATCH", `${path}/web?fieldManager=${manager}&force=true`, body, "apply")
  expect((await apply(v1, "old", autoscaler("v1", { targetCPUUtilizationPercentage: 50 }))).status).toBe(201)
  const partial = { ...autoscaler("v2", {}), spec: { metrics: [memory, cpu] } }
  expect((await apply(v2, "new", partial)).status).toBe(200)
  // Go: the applier at version 1 owns a part of the list, so all of the list stays, though nobody owns the rest of it.
  const dropped = (await apply(v2, "new", { ...partial, spec: { minReplicas: 2 } })).body
  expect(dropped.spec).toMatchObject({ minReplicas: 2, maxReplicas: 5, metrics: [memory, cpu] })
  const owned = dropped.metadata.managedFields.map(({ manager, fieldsV1 }: Owner) => [manager, fieldsV1])
  const target = { "f:maxReplicas": {}, "f:scaleTargetRef": {}, "f:targetCPUUtilizationPercentage": {} }
  expect(Object.fromEntries(owned)).toEqual({
    new: { "f:spec": { "f:minReplicas": {} } },
    old: { "f:spec": target },
  })
})

interface Owner {
  readonly manager: string
  readonly fieldsV1: object
}
