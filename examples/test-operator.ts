import assert from "node:assert/strict"
import { type Manifest, parseManifests } from "structured-merge-diff/io"
import { kubernetesTypes } from "structured-merge-diff/kubernetes"
import { FieldManager } from "structured-merge-diff/managedfields"

class Cluster {
  readonly objects = new Map<string, Manifest>()
  writes = 0
  private readonly manager = new FieldManager({ types: kubernetesTypes })

  apply(config: Manifest, manager: string): void {
    this.store(config, this.manager.apply(this.find(config), config, { manager }))
  }

  update(next: Manifest, manager: string): void {
    this.store(next, this.manager.update(this.find(next), next, { manager }))
  }

  find({ kind, metadata }: Manifest): Manifest | undefined {
    return this.objects.get(`${kind}/${metadata?.name}`)
  }

  private store({ kind, metadata }: Manifest, { object, changed }: { object: Manifest; changed: boolean }): void {
    if (changed) this.writes++
    this.objects.set(`${kind}/${metadata?.name}`, object)
  }
}

interface Shop {
  readonly name: string
  readonly version: string
  readonly debug: boolean
}

function reconcile(cluster: Cluster, { name, version, debug }: Shop): void {
  const container = { name: "web", image: `shop:${version}`, ...(debug && { args: ["--debug"] }) }
  const labels = { app: name }
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [container] } },
  }
  cluster.apply({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec }, "shop-operator")
}

const cluster = new Cluster()
const shop: Shop = { name: "shop", version: "1.0", debug: true }
reconcile(cluster, shop)
reconcile(cluster, shop)
assert.equal(cluster.writes, 1)
console.log("the same twice is one write")
// the same twice is one write

const scaled = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop" }, spec: { replicas: 5 } }
cluster.apply(scaled, "autoscaler")
reconcile(cluster, { ...shop, version: "1.1", debug: false })
const deployment = cluster.find(scaled)
assert.deepEqual(deployment?.spec, {
  replicas: 5,
  selector: { matchLabels: { app: "shop" } },
  strategy: {},
  template: {
    metadata: { labels: { app: "shop" } },
    spec: { containers: [{ name: "web", image: "shop:1.1" }] },
  },
})
console.log("the autoscaler keeps its replicas, and --debug is gone")
// the autoscaler keeps its replicas, and --debug is gone

const byHand = JSON.stringify(deployment).replace("shop:1.1", "shop:hotfix")
for (const edited of parseManifests(byHand)) cluster.update(edited, "kubectl-edit")
assert.throws(() => reconcile(cluster, { ...shop, version: "1.2" }), {
  message:
    'Apply failed with 1 conflict: conflict with "kubectl-edit" using apps/v1: .spec.template.spec.containers[name="web"].image',
})
console.log("an edit by hand is a conflict that the operator has to handle")
// an edit by hand is a conflict that the operator has to handle
