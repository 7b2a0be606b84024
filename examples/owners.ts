import { formatPath, valueAt } from "structured-merge-diff"
import { type Manifest, parseManifests } from "structured-merge-diff/io"
import { decodeFields, type ManagedFieldsEntry, readManagedFields } from "structured-merge-diff/managedfields"

const objects = parseManifests(`
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  managedFields:
  - {manager: gitops, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, time: "2026-01-05T08:00:00Z",
     fieldsV1: {f:data: {f:theme: {}, f:currency: {}}}}
  - {manager: i18n, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, time: "2026-01-06T10:00:00Z",
     fieldsV1: {f:data: {f:currency: {}, f:language: {}}}}
  - {manager: kubectl-edit, operation: Update, apiVersion: v1, fieldsType: FieldsV1, time: "2026-01-07T17:45:00Z",
     fieldsV1: {f:data: {f:banner: {}}}}
data:
  theme: dark
  currency: EUR
  language: nl
  banner: Sale!
`)

interface Row {
  readonly field: string
  readonly value: unknown
  readonly owners: ManagedFieldsEntry[]
}

function ownership(object: Manifest): Row[] {
  const rows = new Map<string, Row>()
  for (const entry of readManagedFields(object) ?? []) {
    for (const path of decodeFields(entry.fieldsV1).set.leaves()) {
      const field = formatPath(path)
      const row = rows.get(field) ?? { field, value: valueAt(object, path), owners: [] }
      row.owners.push(entry)
      rows.set(field, row)
    }
  }
  return [...rows.values()]
}

for (const { field, value, owners } of objects.flatMap(ownership)) {
  const names = owners.map(({ manager, operation }) => `${manager} (${operation})`).join(", ")
  console.log(`${field.padEnd(15)} ${String(value).padEnd(6)} ${names}`)
}
// .data.currency  EUR    gitops (Apply), i18n (Apply)
// .data.theme     dark   gitops (Apply)
// .data.language  nl     i18n (Apply)
// .data.banner    Sale!  kubectl-edit (Update)

for (const { field, owners } of objects.flatMap(ownership)) {
  if (owners.some(({ operation }) => operation === "Apply")) continue
  console.log(`${field} is in no configuration; last written ${owners[0]?.time}`)
}
// .data.banner is in no configuration; last written 2026-01-07T17:45:00Z
