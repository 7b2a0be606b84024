import { createApiServer } from "structured-merge-diff/apiserver"
import { parseManifests } from "structured-merge-diff/io"
import { kubernetes } from "structured-merge-diff/kinds"
import { planAll } from "structured-merge-diff/ownership"

const definitions = parseManifests(`
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
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              currency: {type: string, default: EUR}
              shelves:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items:
                  type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    books: {type: integer, minimum: 0}
`)
const kinds = kubernetes.with(definitions)

const live = parseManifests(`
apiVersion: example.com/v1
kind: Shop
metadata:
  name: corner
  namespace: default
  managedFields:
  - {manager: ann, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1,
     fieldsV1: {f:spec: {f:shelves: {'k:{"name":"crime"}': {.: {}, f:name: {}, f:books: {}}}}}}
  - {manager: bob, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1,
     fieldsV1: {f:spec: {f:shelves: {'k:{"name":"poetry"}': {.: {}, f:name: {}, f:books: {}}}}}}
spec:
  currency: EUR
  shelves:
  - {name: crime, books: 30}
  - {name: poetry, books: 7}
`)

const manifests = parseManifests(`
apiVersion: example.com/v1
kind: Shop
metadata: {name: corner, namespace: default}
spec:
  shelves:
  - {name: crime, books: 31}
  - {name: poetry, books: 8}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: corner, namespace: default}
spec:
  selector: {matchLabels: {app: corner}}
  template:
    metadata: {labels: {app: corner}}
    spec: {containers: [{name: web, image: "shop:1"}]}
---
apiVersion: example.com/v1
kind: Shop
metadata: {name: annex, namespace: default}
spec:
  shelves: [{name: travel, books: -1}]
`)

for (const { target, outcome, changes, refusal } of planAll(manifests, live, { types: kinds, manager: "ann" }).plans) {
  console.log(`${target.kind} ${target.name}: ${outcome}`)
  for (const { path, from, to, contested } of outcome === "create" ? [] : changes) {
    console.log(`  ${path}: ${from} -> ${to}${contested ? ", contested" : ""}`)
  }
  if (refusal) console.log(`  ${refusal.message}`)
}
// Deployment corner: create
// Shop corner: conflict
//   .spec.shelves[name="crime"].books: 30 -> 31
//   .spec.shelves[name="poetry"].books: 7 -> 8, contested
// Shop annex: refused
//   Shop.example.com "annex" is invalid: spec.shelves[0].books: Invalid value: -1: spec.shelves[0].books in body should be greater than or equal to 0

const server = createApiServer({ crds: definitions })
const opened = { apiVersion: "example.com/v1", kind: "Shop", metadata: { name: "annex" }, spec: {} }
console.log(JSON.stringify((await server.apply(opened, { manager: "ann" })).spec))
// {"currency":"EUR"}
