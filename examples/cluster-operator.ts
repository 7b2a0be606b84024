import {
  AppsV1Api,
  CustomObjectsApi,
  type Informer,
  KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  type V1Deployment,
  type V1ObjectMeta,
} from "@kubernetes/client-node"
import { Applier, type ApplyConfiguration, sendByClient } from "structured-merge-diff/controller"
import { kubernetes } from "structured-merge-diff/kinds"

interface Shop {
  apiVersion: "example.com/v1"
  kind: "Shop"
  metadata: V1ObjectMeta
  spec?: { image: string; replicas?: number }
  status?: { ready?: boolean }
}

/** Keeps a Deployment and the status of each Shop. Returns a function that stops the operator. */
export async function startOperator(config: KubeConfig, definition: object) {
  const send = sendByClient(KubernetesObjectApi.makeApiClient(config))
  const applier = new Applier({ manager: "shop-operator", types: kubernetes.with([definition]), send })
  const [apps, custom] = [config.makeApiClient(AppsV1Api), config.makeApiClient(CustomObjectsApi)]
  const kind = { group: "example.com", version: "v1", plural: "shops" }
  const listShops = (): Promise<KubernetesListObject<Shop>> => custom.listCustomObjectForAllNamespaces(kind)
  const shops = makeInformer<Shop>(config, "/apis/example.com/v1/shops", listShops)
  const listDeployments = () => apps.listDeploymentForAllNamespaces()
  const deployments = makeInformer<V1Deployment>(config, "/apis/apps/v1/deployments", listDeployments)

  async function reconcile(name: string, namespace: string): Promise<void> {
    const shop = shops.get(name, namespace)
    if (shop?.spec === undefined || shop.metadata.deletionTimestamp !== undefined) return
    const { apiVersion, kind, spec } = shop
    const ownerReferences = [{ apiVersion, kind, name, uid: shop.metadata.uid ?? "", controller: true }]
    const labels = { shop: name }
    const deployment: ApplyConfiguration<V1Deployment> = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, ownerReferences },
      spec: {
        ...(spec.replicas !== undefined && { replicas: spec.replicas }),
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: spec.image }] } },
      },
    }
    const live = deployments.get(name, namespace)
    const { object } = await applier.apply<V1Deployment>(live, deployment, { onConflict: "relinquish" })
    const ready = (object.status?.readyReplicas ?? 0) > 0
    const status: ApplyConfiguration<Shop> = { apiVersion, kind, metadata: { name, namespace }, status: { ready } }
    await applier.apply(shop, status, { subresource: "status" })
  }

  const waiting = new Set<string>()
  let isRunning = true
  let turn = Promise.resolve()
  const later = (task: () => void) => setTimeout(() => isRunning && task(), 1000)
  const changed = (object: KubernetesObject) => {
    const { name = "", namespace = "" } = object.metadata ?? {}
    const key = `${namespace}/${name}`
    if (waiting.has(key)) return
    waiting.add(key)
    turn = turn.then(async () => {
      waiting.delete(key)
      if (isRunning) await reconcile(name, namespace).catch(error => failed(object, error))
    })
  }
  const failed = (object: KubernetesObject, error: Error) => {
    if (isRunning) console.error(error.message)
    later(() => changed(object))
  }
  async function follow<T extends KubernetesObject>(informer: Informer<T>): Promise<void> {
    const start = () => informer.start().catch(restart)
    const restart = () => void later(start)
    informer.on("error", restart)
    informer.on("change", changed)
    informer.on("delete", changed)
    await start()
  }
  await follow(deployments)
  await follow(shops)
  return async () => {
    isRunning = false
    await Promise.all([shops.stop(), deployments.stop(), turn])
  }
}

import { createApiServer } from "structured-merge-diff/apiserver"
import { listen } from "structured-merge-diff/apiserver/node"
import { parseManifests } from "structured-merge-diff/io"

const [definition = {}] = parseManifests(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: shops.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: shops, kind: Shop}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {image: {type: string}, replicas: {type: integer}}}
          status: {type: object, properties: {ready: {type: boolean}}}
`)

const server = createApiServer({ seed: 1, controllers: true, crds: [definition] })
const { kubeconfig, close } = await listen({ server })
const config = new KubeConfig()
config.loadFromString(kubeconfig)
const stop = await startOperator(config, definition)

const metadata = { name: "corner", namespace: "default" }
const shop: Shop = { apiVersion: "example.com/v1", kind: "Shop", metadata, spec: { image: "shop:1.0", replicas: 2 } }
const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata }
await server.apply(shop, { manager: "ann" })
await server.waitFor(shop, ({ status }) => status?.ready === false)
server.clock.advance(10_000)
await server.waitFor(shop, ({ status }) => status?.ready === true)
console.log("the shop is ready")
await server.delete(shop)
await server.waitForDeletion(deployment)
console.log("the Deployment went with it")
// the shop is ready
// the Deployment went with it
await stop()
await close()
