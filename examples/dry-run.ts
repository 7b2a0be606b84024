import { compileSchema, FieldSet, formatPath, pathOf, TypedValue, valueAt } from "structured-merge-diff"
import { type Manifest, parseManifests } from "structured-merge-diff/io"
import { kubernetesTypes } from "structured-merge-diff/kubernetes"
import { ApplyConflictError, FieldManager } from "structured-merge-diff/managedfields"

const [live] = parseManifests(`
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

const [desired] = parseManifests(`
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
`)

const manager = new FieldManager({ types: kubernetesTypes })
const attempt = manager.tryApply(live, desired, { manager: "gitops" })
if (attempt.ok || !(attempt.error instanceof ApplyConflictError)) throw new Error("this example is about a conflict")
for (const { path, owner } of attempt.error.conflicts) {
  const [now, wanted] = [valueAt(live, path), valueAt(desired, path)]
  console.log(`${formatPath(path)}: ${now}, set by ${owner.manager}; Git says ${wanted}`)
}
// .spec.replicas: 7, set by autoscaler; Git says 3

function typed(manifest: Manifest): TypedValue {
  const found = kubernetesTypes.find(manifest.apiVersion, manifest.kind)
  if (found === undefined) throw new Error(`no type for ${manifest.apiVersion} ${manifest.kind}`)
  return TypedValue.of(manifest, compileSchema(found.schema).type(found.typeName))
}

const yielding = typed(desired).removeItems(attempt.error.toFieldSet()).value as Manifest
const { object: result } = manager.apply(live, yielding, { manager: "gitops" })

const bookkeeping = FieldSet.of([pathOf("metadata", "managedFields")])
const { modified, added, removed } = typed(live)
  .removeItems(bookkeeping)
  .compare(typed(result).removeItems(bookkeeping))
for (const path of modified) console.log("change", formatPath(path), valueAt(live, path), "->", valueAt(result, path))
for (const path of added.leaves()) console.log("add   ", formatPath(path), valueAt(result, path))
for (const path of removed.leaves()) console.log("remove", formatPath(path), valueAt(live, path))
// change .spec.template.spec.containers[name="web"].image shop:1.0 -> shop:1.1
// remove .metadata.labels.app shop
