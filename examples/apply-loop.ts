import { createApiServer } from "structured-merge-diff/apiserver"
import { Applier, sendByFetch } from "structured-merge-diff/controller"
import { kubernetesTypes } from "structured-merge-diff/kubernetes"

const { fetch } = createApiServer()
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
