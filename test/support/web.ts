import type { MapValue } from "../../src/value/value.js"

const labels = { app: "web" }

/** A Deployment that a server accepts, with this in its spec and in its only container. */
export function deployment(spec: MapValue = {}, container: MapValue = {}): MapValue {
  const containers = [{ name: "web", image: "web:1", ...container }]
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } }, ...spec },
  }
}
