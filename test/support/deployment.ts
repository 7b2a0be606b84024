import type { MapValue } from "../../src/value/value.js"

/** Returns a Deployment that a server accepts, with the additional fields `spec`, and the additional fields `container` of its container. */
export function wholeDeployment(spec: MapValue, container: MapValue = {}): MapValue {
  const labels = { app: "web" }
  const containers = [{ name: "web", image: "web:1", ...container }]
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } }, ...spec },
  }
}
