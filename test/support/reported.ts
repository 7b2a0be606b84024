/** Problems that users of other tools reported, as requests. Plans, the simulator, an Applier and the test API server have to answer alike. */
import { createApiServer } from "../../src/apiserver/index.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "./definition.js"
import { wholeDeployment } from "./deployment.js"

/** A definition whose v1beta1 has no access policy. The release that serves v1beta3 fills one in (flux2#5715). */
export function bucketsDefinition(release: "v1beta1" | "v1beta3"): MapValue {
  const schema = (properties: MapValue) => ({
    openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
  })
  const size = { size: { type: "integer" } }
  const accessPolicy = { accessPolicy: { type: "string", default: "Private" } }
  const old = { name: "v1beta1", served: true, storage: release === "v1beta1", schema: schema(size) }
  const latest = { name: "v1beta3", served: true, storage: true, schema: schema({ ...size, ...accessPolicy }) }
  return definitionOf("Bucket", { spec: { versions: release === "v1beta1" ? [old] : [old, latest] } })
}

export function bucket(version: string, size: number): MapValue {
  const metadata = { name: "b", namespace: "default" }
  return { apiVersion: `example.com/${version}`, kind: "Bucket", metadata, spec: { size } }
}

/** Two handlers of a hook that may have one (kustomize-controller#1722, kubernetes#108081). */
export const handlers = {
  exec: preStop({ exec: { command: ["sleep", "5"] } }),
  httpGet: preStop({ httpGet: { path: "/", port: 80 } }),
} as const

function preStop(handler: MapValue): MapValue {
  return wholeDeployment({}, { lifecycle: { preStop: handler } })
}

/** A Deployment with values that a server stores in another form, or not at all. */
export function inAnotherForm(): MapValue {
  const config = wholeDeployment({}, { resources: { limits: { memory: "1024Mi" } } })
  const { template } = config.spec as { readonly template: MapValue }
  const spec = { ...(template.spec as MapValue), hostNetwork: false }
  return { ...config, spec: { ...(config.spec as MapValue), template: { ...template, spec } } }
}

/** Versions that no server of the release serves. */
export const gone: readonly MapValue[] = [
  ["extensions/v1beta1", "Ingress"],
  ["apps/v1beta1", "Deployment"],
].map(([apiVersion = "", kind = ""]) => ({ apiVersion, kind, metadata: { name: "web", namespace: "default" } }))

/** A definition with all kinds of rules. */
export const gauges = definitionOf("Gauge", {
  schema: {
    properties: {
      spec: {
        type: "object",
        "x-kubernetes-validations": [{ rule: "self.low <= self.high", message: "low is above high" }],
        properties: {
          unit: { type: "string", enum: ["bar", "psi"] },
          low: { type: "integer", minimum: 0, default: 0 },
          high: { type: "integer", default: 10 },
          label: { type: "string", maxLength: 3 },
          wired: { type: "string" },
          radio: { type: "string" },
        },
        oneOf: [{ required: ["wired"] }, { required: ["radio"] }],
      },
    },
  },
})

export function gauge(spec: MapValue): MapValue {
  const metadata = { name: "g", namespace: "default" }
  return { apiVersion: "example.com/v1", kind: "Gauge", metadata, spec: { wired: "a", ...spec } }
}

/** Values that break a rule of a Gauge, each with a part of the refusal. */
export const brokenGauges: readonly (readonly [rule: string, spec: MapValue, message: string])[] = [
  ["oneOf", { radio: "b" }, '"spec" must validate one and only one schema (oneOf)'],
  ["enum", { unit: "mm" }, 'spec.unit: Unsupported value: "mm": supported values: "bar", "psi"'],
  ["minimum", { low: -1 }, "spec.low in body should be greater than or equal to 0"],
  ["maxLength", { label: "long" }, "spec.label: Too long: may not be more than 3 bytes"],
  ["a rule in CEL", { low: 11 }, "low is above high"],
]

/** Returns a test API server, and requests to one of its objects. */
export function serverOf(path: string, crds: readonly MapValue[] = []) {
  const { fetch } = createApiServer({ crds, clock: () => new Date("2026-01-01T00:00:00Z") })
  const send = async (method: string, to: string, body?: MapValue, type = "application/json"): Promise<MapValue> => {
    const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": type } }
    const response = await fetch(new Request(`http://localhost${to}`, { method, ...init }))
    if (response.status === 404 && response.headers.get("content-type")?.startsWith("text/plain"))
      return { code: 404, reason: "NotFound" }
    return (await response.json()) as MapValue
  }
  const applyType = "application/apply-patch+yaml"
  return {
    fetch,
    get: (from = path) => send("GET", from),
    send: (method: string, body: MapValue, manager: string) => {
      const to = method === "POST" ? path.slice(0, path.lastIndexOf("/")) : path
      return send(method, `${to}?fieldManager=${manager}`, body)
    },
    scale: (body: MapValue) => send("PATCH", `${path}/scale`, body, "application/merge-patch+json"),
    patch: (body: MapValue) => send("PATCH", path, body, "application/merge-patch+json"),
    apply: (manager: string, config: MapValue, force = false, to = path) =>
      send("PATCH", `${to}?fieldManager=${manager}&force=${force}`, config, applyType),
    /** Installs the definition. It replaces an earlier definition of the same name. */
    define: (definition: MapValue) => {
      const { name } = definition.metadata as { readonly name: string }
      const to = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}?fieldManager=admin&force=true`
      return send("PATCH", to, definition, applyType)
    },
  }
}

export const deploymentPath = "/apis/apps/v1/namespaces/default/deployments/web"
export const gaugePath = "/apis/example.com/v1/namespaces/default/gauges/g"
export const bucketPath = (version: string) => `/apis/example.com/${version}/namespaces/default/buckets/b`
