import { parseManifests } from "structured-merge-diff/io"
import { kubernetes } from "structured-merge-diff/kinds"
import { explain, planAll } from "structured-merge-diff/ownership"

const inCluster = parseManifests(`
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
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

const text = `
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
`

const request = { types: kubernetes, manager: "gitops", source: { file: "app/shop.yaml", text } }
const { plans } = planAll(parseManifests(text), inCluster, request)
for (const { target, outcome, changes, refusal, config, live } of plans) {
  console.log(`${target.kind} ${target.name}: ${refusal?.message ?? outcome}`)
  for (const { path, from, to, because, contested } of outcome === "create" ? [] : changes) {
    console.log(`${contested ? "!" : " "} ${path}: ${JSON.stringify(from)} -> ${JSON.stringify(to)} (${because})`)
  }
  for (const { path, source, owners, ways } of explain(live, config, request).conflicts) {
    console.log(`${source?.file}:${source?.line}: ${path} is owned by ${owners.map(({ manager }) => manager)}`)
    for (const [way, { applicability, reason }] of Object.entries(ways))
      console.log(`  ${way}, ${applicability}: ${reason}`)
  }
}
const refused = plans.filter(({ status }) => status !== undefined)
console.log(`${refused.length} of ${plans.length} applies would be refused`)
// ConfigMap settings: create
// Deployment shop: conflict
//   .metadata.labels: {"app":"shop"} -> undefined (no-longer-applied)
// ! .spec.replicas: 7 -> 3 (configured)
//   .spec.template.spec.containers[name="web"].image: "shop:1.0" -> "shop:1.1" (configured)
// app/shop.yaml:7: .spec.replicas is owned by autoscaler
//   relinquish, safe: autoscaler alone would decide
//   share, unsure: you would own it together with autoscaler, but be in conflict again once autoscaler writes another value
//   overwrite, unsure: autoscaler loses its only field; autoscaler may write it again
// 1 of 2 applies would be refused
