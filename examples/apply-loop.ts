import { createApiServer } from "structured-merge-diff/apiserver"
import { Applier, sendByFetch } from "structured-merge-diff/controller"
import { kubernetesTypes } from "structured-merge-diff/kubernetes"

const server = createApiServer()
const { fetch } = server
const send = sendByFetch("http://cluster", { fetch })
const shops = new Applier({ manager: "shop-operator", types: kubernetesTypes, send })

const labels = { app: "shop" }
const shop = (image: string) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop" },
  spec: {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "web", image }] } },
  },
})

/** The live object, as an informer has it. */
async function live() {
  const response = await fetch(new Request("http://cluster/apis/apps/v1/namespaces/default/deployments/shop"))
  return response.ok ? response.json() : undefined
}

async function reconcile(image: string): Promise<void> {
  const { sent, reason } = await shops.apply(await live(), shop(image))
  console.log(`${image}: ${sent ? "sent" : "not sent"}, ${reason}`)
}

await reconcile("shop:1.0")
await reconcile("shop:1.0")
// shop:1.0: sent, create
// shop:1.0: not sent, unchanged

const autoscaler = new Applier({ manager: "autoscaler", types: kubernetesTypes, send })
await autoscaler.apply(await live(), { ...shop(""), spec: { replicas: 5 } })
await reconcile("shop:1.0")
const ci = new Applier({ manager: "ci", types: kubernetesTypes, send })
await ci.apply(await live(), { ...shop(""), spec: { template: shop("shop:0.9").spec.template } }, { force: true })
await reconcile("shop:1.0").catch(error => console.log(error.message))
// shop:1.0: not sent, unchanged
// Apply failed with 1 conflict: conflict with "ci": .spec.template.spec.containers[name="web"].image

const { resolution } = await shops.apply(await live(), shop("shop:1.0"), { onConflict: "overwrite" })
console.log(resolution?.overwritten.map(({ path, owners }) => `${path} was ${owners[0]?.manager}'s`).join())
await reconcile("shop:1.0")
// .spec.template.spec.containers[name="web"].image was ci's
// shop:1.0: not sent, unchanged

const prune = { selector: { set: "shop" } }

import { Cluster, type ClusterResource } from "structured-merge-diff/cluster"
import { RefusedError } from "structured-merge-diff/controller"
import { kubernetes } from "structured-merge-diff/kinds"
import { type ObjectName, planAll } from "structured-merge-diff/ownership"

/** Sends again after 429, 503, 504 and cut connections. */
async function retried<T>(request: () => Promise<T>, retries = 4): Promise<T> {
  try {
    return await request()
  } catch (error) {
    const refused = error instanceof RefusedError ? error : undefined
    const isPassing = refused ? [429, 503, 504].includes(refused.code) : error instanceof TypeError
    if (!isPassing || retries === 0) throw error
    await new Promise(resolve => setTimeout(resolve, (refused?.retryAfter ?? 1) * 1000))
    return retried(request, retries - 1)
  }
}

const gitops = new Applier({ manager: "gitops", types: kubernetes, send: request => retried(() => send(request)) })

interface Named {
  readonly apiVersion?: unknown
  readonly kind?: unknown
  readonly metadata?: unknown
}

/** Returns the group, kind, namespace and name, whatever the version. */
function keyOf({ apiVersion, kind, metadata }: Named): string {
  const { namespace = "", name } = metadata as { readonly namespace?: string; readonly name: string }
  return [String(apiVersion).replace(/\/?[^/]*$/, ""), kind, namespace, name].join(" ")
}

async function applyFolder(configs: readonly Named[]): Promise<void> {
  const cluster = new Cluster((path, request) => fetch(new Request(`http://cluster${path}`, request)))
  const resources = await cluster.ownedResources()
  const { objects } = await cluster.list(resources, { labelSelector: "set=shop" })
  const found = [...objects, ...(await cluster.liveOf(configs)).live.filter(object => object !== undefined)]
  const live = new Map(found.map(object => [keyOf(object), object]))
  const { plans, left } = planAll(configs, [...live.values()], { types: kubernetes, manager: "gitops", prune })
  for (const { target, outcome, status } of plans) {
    const key = keyOf({ ...target, metadata: target })
    const config = configs.find(each => keyOf(each) === key)
    if (config === undefined || status !== undefined) console.log(`${target.name}: ${outcome}, ${status?.message}`)
    else console.log(`${target.name}: ${(await gitops.apply(live.get(key), config)).reason}`)
  }
  for (const { target } of left) {
    const metadata = live.get(keyOf({ ...target, metadata: target }))?.metadata as { readonly uid?: string } | undefined
    await remove(resources, target, metadata?.uid)
  }
}

async function remove(resources: readonly ClusterResource[], target: ObjectName, uid?: string): Promise<void> {
  const { apiVersion, kind, namespace, name } = target
  const resource = resources.find(each => each.apiVersion === apiVersion && each.kind === kind)
  if (resource === undefined) return
  const folder = `${resource.group === "" ? "/api" : "/apis"}/${apiVersion}`
  const place = resource.namespaced ? `/namespaces/${namespace}` : ""
  const options = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid }, propagationPolicy: "Background" }
  const request = new Request(`http://cluster${folder}${place}/${resource.plural}/${name}`, {
    method: "DELETE",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(options),
  })
  const { ok, status } = await fetch(request)
  console.log(`${name}: ${ok || status === 404 ? "deleted" : `not deleted, ${status}`}`)
}

const metadata = { namespace: "default", labels: { set: "shop" } }
const settings = (color: string) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name: "settings" } },
  data: { color },
})
const page = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { ...metadata, name: "page" },
  spec: { ports: [{ port: 80 }] },
}

server.setFaults([{ match: { verb: "apply", times: 1 }, inject: { status: 429, retryAfter: 0 } }])
await applyFolder([page, settings("blue")])
await applyFolder([page, settings("blue")])
// settings: create
// page: create
// settings: unchanged
// page: unchanged

await server.patch(settings(""), { data: { color: "red" } }, { manager: "kubectl-edit" })
await applyFolder([settings("blue")])
// settings: conflict, Apply failed with 1 conflict: conflict with "kubectl-edit" using v1: .data.color
// page: deleted
