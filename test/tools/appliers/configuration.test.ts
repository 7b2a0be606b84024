/** The configuration that a tool sends. The recordings have those of the released tools. */
import { expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { plan } from "../../../src/tools/ownership/plan.js"
import { simulate } from "../../../src/tools/simulator/index.js"
import type { MapValue } from "../../../src/value/value.js"
import { definitionOf } from "../../support/definition.js"

const types = kubernetes
const map = (metadata: MapValue = {}): MapValue => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "web", ...metadata },
})

it("has no labels whose values are unknown", () => {
  const labels = (live: MapValue | undefined, origin?: { name: string; namespace: string }) =>
    (plan(live, map(), { types, as: "flux", ...(origin && { origin }) }).object.metadata as MapValue).labels
  expect(labels(undefined)).toBeUndefined()
  expect(JSON.stringify(plan(undefined, map(), { types, as: "flux" }))).not.toContain("labels")
  const name = { "kustomize.toolkit.fluxcd.io/name": "apps" }
  expect(labels(map({ labels: name }))).toEqual(name)
  expect(labels(undefined, { name: "web", namespace: "fleet" })).toEqual({
    "kustomize.toolkit.fluxcd.io/name": "web",
    "kustomize.toolkit.fluxcd.io/namespace": "fleet",
  })
})

/** The names and protocols of ports that Flux owns. */
function ownedIn(kind: string, apiVersion: string, spec: MapValue, served = types): string[] {
  const config = { apiVersion, kind, metadata: { name: "web" }, spec }
  const planned = plan(undefined, config, { types: served, as: "flux", origin: { name: "a", namespace: "b" } })
  expect(planned.outcome).toBe("create")
  const entries = JSON.stringify((planned.object.metadata as MapValue).managedFields)
  return ["f:protocol", "f:targetPort"].filter(name => entries.includes(`"${name}"`))
}

const labels = { app: "web" }
const pod = { containers: [{ name: "web", image: "a", ports: [{ containerPort: 80 }] }] }
const template = { metadata: { labels }, spec: pod }
const job = { template: { ...template, spec: { ...pod, restartPolicy: "Never" } } }
const selector = { matchLabels: labels }

it.each<[kind: string, apiVersion: string, spec: MapValue]>([
  ["Pod", "v1", pod],
  ["Deployment", "apps/v1", { selector, template }],
  ["StatefulSet", "apps/v1", { selector, template, serviceName: "web" }],
  ["DaemonSet", "apps/v1", { selector, template }],
  ["ReplicaSet", "apps/v1", { selector, template }],
  ["Job", "batch/v1", job],
  ["CronJob", "batch/v1", { schedule: "* * * * *", jobTemplate: { spec: job } }],
])("has the protocols of ports in a %s, as Flux sends it", (kind, apiVersion, spec) => {
  expect(ownedIn(kind, apiVersion, spec)).toEqual(["f:protocol"])
})

it("has protocols and target ports in a Service of Kubernetes, but not in one of a custom resource", () => {
  const ports = [{ port: 80 }]
  expect(ownedIn("Service", "v1", { ports })).toEqual(["f:protocol", "f:targetPort"])
  const port = { type: "object", properties: { port: { type: "integer" }, protocol: { type: "string" } } }
  const listed = { type: "array", items: port, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["port"] }
  const required = { ...listed, items: { ...port, required: ["port"] } }
  const spec = { type: "object", properties: { ports: required } }
  const definition = definitionOf("Service", { schema: { properties: { spec } } })
  expect(ownedIn("Service", "example.com/v1", { ports }, types.with([definition]))).toEqual([])
})

it("is refused for a tool that does not apply", () => {
  expect(() => plan(undefined, map(), { types, as: "helm3" })).toThrow("Helm 3 does not apply: it replaces objects")
})

it("is not sent in a simulation if the tool skips the object", () => {
  const hook = map({ annotations: { "helm.sh/hook": "pre-upgrade" } })
  const simulation = simulate({ types, objects: [map()] })
  const { before, after } = simulation.apply("helm", { ...hook, data: { a: "1" } }, { as: "helm" })
  expect(after).toBe(before)
})
