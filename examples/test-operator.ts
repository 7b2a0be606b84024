import type { ApiServer } from "structured-merge-diff/apiserver"
import { Applier, sendByFetch } from "structured-merge-diff/controller"
import { kubernetes } from "structured-merge-diff/kinds"
import { test as base, expect } from "structured-merge-diff/vitest"

interface Shop {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string }
  readonly spec: { readonly version: string; readonly debug?: boolean }
}

/** Returns the function that brings the objects of a Shop up to date. */
function shopOperator(applier: Applier) {
  return async ({ metadata: { name, namespace, uid }, spec }: Shop) => {
    const ownerReferences = [{ apiVersion: "example.com/v1", kind: "Shop", name, uid }]
    const metadata = { name, namespace, ownerReferences }
    const labels = { app: name }
    const web = { name: "web", image: `shop:${spec.version}`, args: spec.debug ? ["--debug"] : undefined }
    const template = { metadata: { labels }, spec: { containers: [web] } }
    const deployment = { selector: { matchLabels: labels }, template }
    await applier.apply(undefined, { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: deployment })
    const service = { selector: labels, ports: [{ port: 80 }] }
    await applier.apply(undefined, { apiVersion: "v1", kind: "Service", metadata, spec: service })
  }
}

const version = {
  ...{ name: "v1", served: true, storage: true },
  schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
}
const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.example.com" },
  spec: { group: "example.com", scope: "Namespaced", names: { plural: "shops", kind: "Shop" }, versions: [version] },
}
const test = base.extend({ serverOptions: { crds: [definition] } })

const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "shop" } }
const shop = { apiVersion: "example.com/v1", kind: "Shop", metadata: { name: "shop", namespace: "default" } }

async function reconcile(server: ApiServer, spec: Shop["spec"]) {
  const stored = await server.apply({ ...shop, spec }, { manager: "ann" })
  const send = sendByFetch("http://cluster", server)
  await shopOperator(new Applier({ manager: "shop-operator", types: kubernetes, send }))(stored)
}

test("the same twice is one write", async ({ server }) => {
  await reconcile(server, { version: "1.0" })
  const { resourceVersion } = server
  await reconcile(server, { version: "1.0" })
  expect(server.resourceVersion).toBe(resourceVersion)
})
// ✓ the same twice is one write

test("the autoscaler keeps its replicas, and --debug is gone", async ({ server }) => {
  await reconcile(server, { version: "1.0", debug: true })
  await server.scale(deployment, 5, { manager: "autoscaler" })
  await reconcile(server, { version: "1.1" })
  const live = await server.get(deployment)
  expect(live).toHaveProperty("spec.replicas", 5)
  expect(live).toBeOwnedBy("shop-operator", '.spec.template.spec.containers[name="web"].image')
  expect(live).not.toHaveProperty("spec.template.spec.containers[0].args")
})
// ✓ the autoscaler keeps its replicas, and --debug is gone

test("an edit by hand is a conflict that the operator has to handle", async ({ server }) => {
  await reconcile(server, { version: "1.0" })
  const containers = [{ name: "web", image: "shop:hotfix" }]
  await server.patch(deployment, { spec: { template: { spec: { containers } } } }, { manager: "kubectl-edit" })
  const image = '.spec.template.spec.containers[name="web"].image'
  await expect(reconcile(server, { version: "1.1" })).toConflictWith("kubectl-edit", image)
})
// ✓ an edit by hand is a conflict that the operator has to handle

test("the objects of a shop go with it", async ({ server }) => {
  await reconcile(server, { version: "1.0" })
  await server.delete(shop)
  await server.waitForDeletion(deployment)
})
// ✓ the objects of a shop go with it
