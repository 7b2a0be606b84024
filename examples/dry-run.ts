import { compileSchema, FieldSet, formatPath, pathOf, TypedValue, valueAt } from "structured-merge-diff"
import { type Manifest, parseManifests } from "structured-merge-diff/io"
import { kubernetesTypes } from "structured-merge-diff/kubernetes"
import { ApplyConflictError, FieldManager } from "structured-merge-diff/managedfields"

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
`)

const manager = new FieldManager({ types: kubernetesTypes })

function conflictOf(live: Manifest, desired: Manifest): ApplyConflictError | undefined {
  const attempt = manager.tryApply(live, desired, { manager: "gitops" })
  if (attempt.ok) return undefined
  if (attempt.error instanceof ApplyConflictError) return attempt.error
  throw attempt.error
}

function typed(manifest: Manifest): TypedValue {
  const found = kubernetesTypes.find(manifest.apiVersion, manifest.kind)
  if (found === undefined) throw new Error(`no type for ${manifest.apiVersion} ${manifest.kind}`)
  return TypedValue.of(manifest, compileSchema(found.schema).type(found.typeName))
}

function without(manifest: Manifest, fields: FieldSet): Manifest {
  return typed(manifest).removeItems(fields).value as Manifest
}

const bookkeeping = FieldSet.of([pathOf("metadata", "managedFields")])

function changes(live: Manifest, next: Manifest): string[] {
  const { modified, added, removed } = typed(without(live, bookkeeping)).compare(typed(without(next, bookkeeping)))
  return [
    ...Array.from(modified, path => `change ${formatPath(path)}: ${valueAt(live, path)} -> ${valueAt(next, path)}`),
    ...Array.from(added.leaves(), path => `add    ${formatPath(path)}: ${valueAt(next, path)}`),
    ...Array.from(removed.leaves(), path => `remove ${formatPath(path)}: ${valueAt(live, path)}`),
  ]
}

for (const desired of inGit) {
  const live = inCluster.find(
    ({ kind, metadata }) => kind === desired.kind && metadata?.name === desired.metadata?.name,
  )
  if (live === undefined) continue
  const conflict = conflictOf(live, desired)
  for (const { path, owner, live, configured } of conflict?.conflicts ?? []) {
    console.log(`leave  ${formatPath(path)}: ${live}, set by ${owner.manager}; Git says ${configured}`)
  }
  const yielding = conflict === undefined ? desired : without(desired, conflict.toFieldSet())
  const { object } = manager.apply(live, yielding, { manager: "gitops" })
  for (const line of changes(live, object)) console.log(line)
}
// leave  .spec.replicas: 7, set by autoscaler; Git says 3
// change .spec.template.spec.containers[name="web"].image: shop:1.0 -> shop:1.1
// remove .metadata.labels.app: shop
