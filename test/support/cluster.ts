/** A test API server with owned objects, as a cluster. */
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"
import type { ClusterFetch } from "../../src/tools/cluster/requests.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "./definition.js"

const parts = {
  ...{ type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
  items: {
    ...{ type: "object", required: ["name"] },
    properties: { name: { type: "string" }, count: { type: "integer" } },
  },
}
const properties = { spec: { type: "object", properties: { size: { type: "integer" }, parts } } }
const schema = { openAPIV3Schema: { type: "object", properties } }
const gadgets = definitionOf("Gadget", {
  group: "example.org",
  spec: {
    names: { plural: "gadgets", singular: "gadget", kind: "Gadget", shortNames: ["gd"], categories: ["all"] },
    versions: ["v1", "v1beta1"].map(name => ({ name, served: true, storage: name === "v1", schema })),
  },
})

export const shop = (replicas: number): MapValue => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop", labels: { app: "shop" } },
  spec: {
    replicas,
    selector: { matchLabels: { app: "shop" } },
    template: {
      metadata: { labels: { app: "shop" } },
      spec: { containers: [{ name: "web", image: "web:1.0" }] },
    },
  },
})

export const gadget = (apiVersion: string, part: string): MapValue => ({
  apiVersion,
  kind: "Gadget",
  metadata: { name: "lamp", labels: { app: "shop" } },
  spec: { parts: [{ name: part, count: 1 }] },
})

/** Returns a server with a Deployment, a ConfigMap and a Gadget in the namespace `web`, each with several owners. */
export async function ownedObjects(): Promise<ApiServer> {
  const server = createApiServer({ crds: [gadgets], clock: () => new Date("2026-01-02T03:04:05Z") })
  server.load([{ apiVersion: "v1", kind: "Namespace", metadata: { name: "web" } }])
  const deployment = "/apis/apps/v1/namespaces/web/deployments/shop"
  await applyTo(server, deployment, shop(3), "web-team")
  await applyTo(server, deployment, { ...shop(5), spec: { replicas: 5 } }, "autoscaler", true)
  const data = (text: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "shop", labels: { app: "shop" } },
    data: { zebra: text, apple: text },
  })
  await applyTo(server, "/api/v1/namespaces/web/configmaps/shop", data("x"), "web-team")
  await applyTo(
    server,
    "/apis/example.org/v1beta1/namespaces/web/gadgets/lamp",
    gadget("example.org/v1beta1", "a"),
    "old",
  )
  await applyTo(server, "/apis/example.org/v1/namespaces/web/gadgets/lamp", gadget("example.org/v1", "b"), "new")
  return server
}

async function applyTo(server: ApiServer, path: string, object: object, manager: string, force = false): Promise<void> {
  const response = await server.fetch(
    new Request(`http://server${path}?fieldManager=${manager}&force=${force}`, {
      method: "PATCH",
      headers: { "content-type": "application/apply-patch+yaml" },
      body: JSON.stringify(object),
    }),
  )
  if (!response.ok) throw new Error(await response.text())
}

/** Returns the `fetch` of a Cluster for this server. `answer` may answer a request in its place. */
export function fetchFrom(
  server: ApiServer,
  answer: (path: string) => Response | undefined = () => undefined,
): ClusterFetch {
  return async (path, request) => answer(path) ?? (await server.fetch(new Request(`http://server${path}`, request)))
}

/** Returns a Status as servers send it. */
export function refusalOf(code: number, reason: string, message: string): Response {
  const status = { kind: "Status", apiVersion: "v1", status: "Failure", message, reason, code }
  return new Response(JSON.stringify(status), { status: code })
}

/** Returns the event of an audit log about an apply that creates the object at this path. `answer` is the text of the object afterwards. */
export function eventOf(path: string, object: MapValue, answer: string): string {
  const [, group = "", version = "", namespace = "", resource = "", name = ""] =
    /^\/apis\/([^/]+)\/([^/]+)\/namespaces\/([^/]+)\/([^/]+)\/(.+)$/.exec(path) ?? []
  const event = {
    kind: "Event",
    apiVersion: "audit.k8s.io/v1",
    level: "RequestResponse",
    stage: "ResponseComplete",
    requestURI: `${path}?fieldManager=web-team&force=true`,
    verb: "patch",
    user: { username: "admin" },
    userAgent: "curl",
    objectRef: { apiGroup: group, apiVersion: version, namespace, resource, name },
    responseStatus: { code: 201 },
    requestObject: object,
    responseObject: JSON.parse(answer),
    requestReceivedTimestamp: "2026-01-02T03:04:05.000000Z",
  }
  return `${JSON.stringify(event)}\n`
}
