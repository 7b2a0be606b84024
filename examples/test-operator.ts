import assert from "node:assert/strict"
import { createApiServer } from "structured-merge-diff/apiserver"

const { fetch } = createApiServer()
const deployments = "http://cluster/apis/apps/v1/namespaces/default/deployments"

async function send(method: string, url: string, type?: string, body?: object) {
  const headers = type === undefined ? {} : { "content-type": type }
  const response = await fetch(new Request(url, { method, headers, ...(body && { body: JSON.stringify(body) }) }))
  const answer = await response.json()
  if (!response.ok) throw new Error(answer.message)
  return answer
}

function apply(fieldManager: string, name: string, spec: object) {
  const config = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec }
  return send("PATCH", `${deployments}/${name}?fieldManager=${fieldManager}`, "application/apply-patch+yaml", config)
}

interface Shop {
  readonly name: string
  readonly version: string
  readonly debug: boolean
}

function reconcile({ name, version, debug }: Shop) {
  const container = { name: "web", image: `shop:${version}`, ...(debug && { args: ["--debug"] }) }
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [container] } }
  return apply("shop-operator", name, { selector: { matchLabels: labels }, template })
}

const shop: Shop = { name: "shop", version: "1.0", debug: true }
const created = await reconcile(shop)
const again = await reconcile(shop)
assert.equal(again.metadata.resourceVersion, created.metadata.resourceVersion)
console.log("the same twice is one write")
// the same twice is one write

const scale = { spec: { replicas: 5 } }
await send("PATCH", `${deployments}/shop/scale?fieldManager=autoscaler`, "application/merge-patch+json", scale)
const { spec } = await reconcile({ ...shop, version: "1.1", debug: false })
const [web] = spec.template.spec.containers
assert.deepEqual([spec.replicas, web.image, web.args], [5, "shop:1.1", undefined])
console.log("the autoscaler keeps its replicas, and --debug is gone")
// the autoscaler keeps its replicas, and --debug is gone

const hotfix = { spec: { template: { spec: { containers: [{ name: "web", image: "shop:hotfix" }] } } } }
const edit = `${deployments}/shop?fieldManager=kubectl-edit`
await send("PATCH", edit, "application/strategic-merge-patch+json", hotfix)
await assert.rejects(reconcile({ ...shop, version: "1.2" }), {
  message:
    'Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.template.spec.containers[name="web"].image',
})
console.log("an edit by hand is a conflict that the operator has to handle")
// an edit by hand is a conflict that the operator has to handle

await assert.rejects(reconcile({ ...shop, name: "Shop" }), /metadata.name: Invalid value: "Shop"/)
console.log("a wrong name is refused")
// a wrong name is refused
