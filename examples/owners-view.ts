import { parseFieldsV1Key, valueAt } from "structured-merge-diff"
import { parseManifests } from "structured-merge-diff/io"
import { blame } from "structured-merge-diff/ownership"

const objects = parseManifests(`
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  labels: {app.kubernetes.io/part-of: shop}
  managedFields:
  - {manager: gitops, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, time: "2026-01-05T08:00:00Z",
     fieldsV1: {f:metadata: {f:labels: {f:app.kubernetes.io/part-of: {}}}, f:data: {f:theme: {}, f:currency: {}}}}
  - {manager: i18n, operation: Apply, apiVersion: v1, fieldsType: FieldsV1, time: "2026-01-06T10:00:00Z",
     fieldsV1: {f:data: {f:currency: {}, f:language: {}}}}
  - {manager: kubectl-edit, operation: Update, apiVersion: v1, fieldsType: FieldsV1, time: "2026-01-07T17:45:00Z",
     fieldsV1: {f:data: {f:banner: {}}}}
data:
  theme: dark
  currency: EUR
  language: nl
  banner: Sale!
  footer: Thanks
`)

for (const object of objects) {
  for (const { path, steps, owners } of blame(object).fields) {
    const value = valueAt(
      object,
      steps.flatMap(step => parseFieldsV1Key(step) ?? []),
    )
    const names = owners.map(({ manager, operation }) => `${manager} (${operation})`).join(", ") || "nobody"
    const isByHand = owners.length > 0 && owners.every(({ operation }) => operation === "Update")
    console.log(`${path}: ${value}, ${names}${isByHand ? `, in no configuration, written ${owners[0]?.time}` : ""}`)
  }
}
// .data.banner: Sale!, kubectl-edit (Update), in no configuration, written 2026-01-07T17:45:00Z
// .data.currency: EUR, gitops (Apply), i18n (Apply)
// .data.footer: Thanks, nobody
// .data.language: nl, i18n (Apply)
// .data.theme: dark, gitops (Apply)
// .metadata.labels.app.kubernetes.io/part-of: shop, gitops (Apply)
