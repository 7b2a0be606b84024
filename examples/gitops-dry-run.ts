import { parseManifests } from "structured-merge-diff/io"
import { kubernetes } from "structured-merge-diff/kinds"
import { planAll } from "structured-merge-diff/ownership"

const inCluster = parseManifests(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  namespace: default
  labels: {app: shop}
  managedFields:
  - {manager: gitops, operation: Apply, apiVersion: apps/v1, fieldsType: FieldsV1, time: "2026-01-05T08:00:00Z",
     fieldsV1: {f:metadata: {f:labels: {f:app: {}}},
                f:spec: {f:template: {f:spec: {f:containers: {'k:{"name":"web"}': {.: {}, f:name: {}, f:image: {}}}}}}}}
  - {manager: autoscaler, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1, time: "2026-01-05T09:30:00Z",
     fieldsV1: {f:spec: {f:replicas: {}}}}
spec:
  replicas: 7
  template:
    spec:
      containers:
      - {name: web, image: "shop:1.0"}
`)

const inGit = parseManifests(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
spec:
  replicas: 3
  template:
    spec:
      containers:
      - {name: web, image: "shop:1.1"}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  theme: dark
`)

for (const { target, outcome, changes } of planAll(inGit, inCluster, { types: kubernetes, manager: "gitops" }).plans) {
  console.log(`${target.kind} ${target.name}: ${outcome}`)
  for (const { action, path, from, to, because, owners, contested } of outcome === "create" ? [] : changes) {
    const whose = owners.map(({ manager }) => `, ${contested ? "in conflict with" : "owned too by"} ${manager}`)
    console.log(`  ${action} ${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)} (${because}${whose.join("")})`)
  }
}
// ConfigMap settings: create
// Deployment shop: conflict
//   remove .metadata.labels: {"app":"shop"} -> undefined (no-longer-applied)
//   change .spec.replicas: 7 -> 3 (configured, in conflict with autoscaler)
//   change .spec.template.spec.containers[name="web"].image: "shop:1.0" -> "shop:1.1" (configured)
