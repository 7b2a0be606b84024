import { parseManifests } from "structured-merge-diff/io"
import { ownedObject } from "structured-merge-diff/view"

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
  for (const { text, owners, fields } of ownedObject(object).lines) {
    const names = owners.map(({ manager }) => manager).join(", ")
    const isByHand = fields.some(({ byHand }) => byHand)
    console.log(`${text}${names && `  # ${names}`}${isByHand ? ", by hand" : ""}`)
  }
}
// apiVersion: v1
// kind: ConfigMap
// metadata:
//   name: settings
//   labels:
//     app.kubernetes.io/part-of: shop  # gitops
// data:
//   theme: dark  # gitops
//   currency: EUR  # gitops, i18n
//   language: nl  # i18n
//   banner: Sale!  # kubectl-edit, by hand
//   footer: Thanks
