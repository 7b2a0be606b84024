import type { MapValue } from "../../src/value/value.js"

/** A Deployment that a server accepts. `spec` has more fields than those that every Deployment needs, and `container` those of its container. */
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
