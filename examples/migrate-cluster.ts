import { createApiServer } from "structured-merge-diff/apiserver"

const server = createApiServer({ seed: 1 })
const { fetch } = server
const map = (name: string, data: object) => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } },
  data,
})
const annotations = (config: object) => ({
  metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(config) } },
})
for (const config of [map("settings", { color: "blue", size: "1" }), map("banner", { text: "Sale!" })]) {
  await server.create(config, { manager: "kubectl-client-side-apply" })
  await server.patch(config, annotations(config), { manager: "kubectl-client-side-apply" })
}
await server.create(map("release", { tier: "web" }), { manager: "helm" })
await server.patch(map("banner", {}), { data: { text: "Closed" } }, { manager: "kubectl-edit" })

const manifests = [
  map("settings", { color: "blue" }),
  map("banner", { text: "Sale!" }),
  map("release", { tier: "web" }),
]

import { Cluster, clusterKinds } from "structured-merge-diff/cluster"
import { transfer } from "structured-merge-diff/managers"
import { planAll } from "structured-merge-diff/ownership"

const cluster = new Cluster((path, request) => fetch(new Request(`http://cluster${path}`, request)))
const { objects, failures } = await cluster.list(await cluster.ownedResources())
for (const { resource, message } of failures) console.log(`${resource.plural} can't be read: ${message}`)
const types = await clusterKinds(cluster, [...manifests, ...objects])

const from = ["kubectl-client-side-apply", "kubectl-last-applied", "helm"]
const movesOf = (live: readonly object[]) =>
  live
    .map(object => transfer(object, { types, from, operation: "Update", to: "gitops" }))
    .filter(({ outcome }) => outcome === "change")
const moves = movesOf(objects)

const { plans } = planAll(
  manifests,
  moves.map(({ object }) => object),
  { types, manager: "gitops" },
)
for (const { target, outcome, changes, conflicts } of plans) {
  console.log(`${target.name}: ${outcome}`)
  for (const { path, owner, live, configured } of conflicts) {
    console.log(`  ${path}: ${owner.manager} has set ${live}, the manifest has ${configured}`)
  }
  for (const { action, path } of changes) console.log(`  ${action} ${path}`)
}

// settings: change
//   remove .data.size
//   remove .metadata.annotations
// banner: conflict
//   .data.text: kubectl-edit has set Closed, the manifest has Sale!
//   change .data.text
//   remove .metadata.annotations
// release: change

import { equalValues } from "structured-merge-diff"
import { formatPatch } from "structured-merge-diff/managers"

/** The object without its resourceVersion, which every write changes. */
const content = (object: object) => {
  const { metadata, ...rest } = object as { readonly metadata: object }
  return { ...rest, metadata: { ...metadata, resourceVersion: "" } }
}

for (const { target, patch, object } of moves) {
  const headers = { "content-type": "application/json-patch+json" }
  const init = { method: "PATCH", headers, body: formatPatch(patch) }
  const response = await fetch(new Request(`http://cluster${await cluster.pathOf(target)}`, init))
  if (!response.ok) throw new Error(`${target.kind} ${target.name}: ${await response.text()}`)
  if (!equalValues(content(await response.json()), content(object))) {
    throw new Error(`${target.kind} ${target.name}: the server has stored something else`)
  }
}

const after = await cluster.list(await cluster.ownedResources())
console.log(`${movesOf(after.objects).length} objects left to move`)
for (const { target, outcome } of planAll(manifests, after.objects, { types, manager: "gitops" }).plans) {
  console.log(`${target.name}: ${outcome}`)
}
// 0 objects left to move
// settings: change
// banner: conflict
// release: change
