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

import { Cluster } from "structured-merge-diff/cluster"
import { type ApplierOnConflict, withRetries } from "structured-merge-diff/controller"
import { kubernetes } from "structured-merge-diff/kinds"
import { planAll } from "structured-merge-diff/ownership"

async function planFolder(cluster: Cluster, configs: readonly object[]) {
  const { live } = await cluster.liveOf(configs)
  const { objects } = await cluster.list(await cluster.ownedResources(), { labelSelector: "set=shop" })
  const prune = { selector: { set: "shop" } }
  return planAll(configs, [...live, ...objects], { types: kubernetes, manager: "gitops", prune })
}

const gitops = new Applier({ manager: "gitops", types: kubernetes, send: withRetries(send) })

async function applyFolder(configs: readonly object[], onConflict: ApplierOnConflict = "report"): Promise<void> {
  const cluster = new Cluster((path, request) => fetch(new Request(`http://cluster${path}`, request)))
  const { plans, left } = await planFolder(cluster, configs)
  for (const { target, config, live, outcome, status } of plans) {
    const apply = () => gitops.apply(live, config, { onConflict }).catch((error: Error) => ({ reason: error.message }))
    console.log(`${target.name}: ${outcome === "refused" ? status?.message : (await apply()).reason}`)
  }
  for (const { target, uid } of left) {
    const options = { preconditions: { uid }, propagationPolicy: "Background" }
    const init = { method: "DELETE", headers: { "content-type": "application/json" }, body: JSON.stringify(options) }
    const { status } = await fetch(new Request(`http://cluster${await cluster.pathOf(target)}`, init))
    console.log(`${target.name}: DELETE ${status}`)
  }
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
await applyFolder([settings("blue")], "overwrite")
// settings: conflict
// page: DELETE 200
// settings: change
