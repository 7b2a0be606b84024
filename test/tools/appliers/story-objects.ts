/** The objects and steps that stories share. */
import type { MapValue, Value } from "../../../src/value/value.js"
import type { StoryStep } from "./stories.js"

const labels = { app: "web" }

export function deployment(spec: MapValue = {}, metadata: MapValue = {}, container: MapValue = {}): MapValue {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", ...metadata },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1", ...container }] } },
      ...spec,
    },
  }
}

export function configMap(data: MapValue, metadata: MapValue = {}): MapValue {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web", ...metadata }, data }
}

export function service(spec: MapValue): MapValue {
  return { apiVersion: "v1", kind: "Service", metadata: { name: "web" }, spec: { selector: labels, ...spec } }
}

export function secret(parts: MapValue): MapValue {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "web" }, type: "Opaque", ...parts }
}

export const autoscaler: MapValue = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    minReplicas: 1,
    maxReplicas: 5,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } }],
  },
}

const { scaleTargetRef, minReplicas, maxReplicas } = autoscaler.spec as Readonly<Record<string, Value>>
export const olderAutoscaler = {
  ...autoscaler,
  apiVersion: "autoscaling/v1",
  spec: { scaleTargetRef: scaleTargetRef ?? {}, minReplicas: minReplicas ?? 0, maxReplicas: maxReplicas ?? 0 },
}

export const scaled: StoryStep = { patch: { spec: { replicas: 7 } }, manager: "autoscaler", subresource: "scale" }
export const forget: StoryStep = { patch: { metadata: { managedFields: [{}] } }, manager: "janitor" }
