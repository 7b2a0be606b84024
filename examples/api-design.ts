import type { MapValue } from "structured-merge-diff"
import { readGoTypes } from "structured-merge-diff/gotypes"
import { formatYaml } from "structured-merge-diff/io"
import { FieldManager } from "structured-merge-diff/managedfields"
import { TypeConverter } from "structured-merge-diff/openapi"
import { explain } from "structured-merge-diff/ownership"
import { compileRules, fieldErrorMessage, shadowed } from "structured-merge-diff/validation"

const source = `
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Backup copies the data of an application, again and again.
type Backup struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`

	Spec BackupSpec \`json:"spec"\`
	// +optional
	Status BackupStatus \`json:"status,omitempty"\`
}

type BackupSpec struct {
	// +k8s:unionDiscriminator
	// +required
	Target Target \`json:"target"\`
	// +k8s:unionMember
	// +k8s:optional
	Bucket *Bucket \`json:"bucket,omitempty"\`
	// +k8s:unionMember
	// +k8s:optional
	Volume *Volume \`json:"volume,omitempty"\`

	// +k8s:listType=map
	// +k8s:listMapKey=name
	// +k8s:optional
	// +k8s:maxItems=4
	Schedules []Schedule \`json:"schedules,omitempty"\`
}

// +enum
// +k8s:enum
type Target string

const (
	TargetBucket Target = "Bucket"
	TargetVolume Target = "Volume"
)

type Bucket struct {
	// +k8s:required
	Region string \`json:"region"\`
}

type Volume struct {
	// +k8s:required
	// +k8s:format=k8s-long-name
	Claim string \`json:"claim"\`
}

type Schedule struct {
	// +k8s:required
	// +k8s:format=k8s-short-name
	Name string \`json:"name"\`
	// +k8s:beta(since: "1.37")=+k8s:minimum=1
	Keep int32 \`json:"keep"\`
}

type BackupStatus struct {
	// +k8s:listType=map
	// +k8s:listMapKey=type
	// +k8s:optional
	// +k8s:item(type: "Verified")=+k8s:zeroOrOneOfMember
	// +k8s:item(type: "Damaged")=+k8s:zeroOrOneOfMember
	Conditions []metav1.Condition \`json:"conditions,omitempty"\`
}
`

const { schema, unions, openapi, rules, warnings } = await readGoTypes({ "types.go": source })
console.log(`${warnings.length} warnings`)
// 0 warnings

for (const { name, type } of schema.types.find(({ name }) => name === "v1.BackupSpec")?.map?.fields ?? []) {
  console.log(`${name}: ${JSON.stringify(type)}`)
}
for (const {
  name,
  unions: [union = {}],
} of unions.types) {
  const members = union.fields?.map(({ fieldName, item }) => (item ? fieldName + JSON.stringify(item) : fieldName))
  console.log(`${name}: ${union.cardinality} of ${members?.join(", ")}`)
}
// bucket: {"namedType":"v1.Bucket"}
// schedules: {"list":{"elementType":{"namedType":"v1.Schedule"},"elementRelationship":"associative","keys":["name"]}}
// target: {"scalar":"string"}
// volume: {"namedType":"v1.Volume"}
// v1.BackupSpec: exactlyOne of bucket, volume
// v1.BackupStatus: atMostOne of conditions{"type":"Verified"}, conditions{"type":"Damaged"}

const { schemas } = openapi.components as { schemas: MapValue }
console.log(formatYaml(schemas["v1.BackupSpec"] ?? {}))
// type: object
// properties:
//   target:
//     default: ""
//     type: string
//     enum:
//     - Bucket
//     - Volume
//     x-kubernetes-unions:
//       fieldMembers:
//         Bucket:
//           name: bucket
//         Volume:
//           name: volume
//   bucket:
//     $ref: '#/components/schemas/v1.Bucket'
//   volume:
//     $ref: '#/components/schemas/v1.Volume'
//   schedules:
//     x-kubernetes-list-type: map
//     x-kubernetes-list-map-keys:
//     - name
//     type: array
//     items:
//       $ref: '#/components/schemas/v1.Schedule'
// required:
// - target
//

const types = new TypeConverter([{ document: openapi }], { unionMode: "repair" })
const server = { types, unions: "extended" } as const
const backup = (spec: MapValue) => ({ apiVersion: "example.com/v1", kind: "Backup", metadata: { name: "shop" }, spec })

const manager = new FieldManager(server)
const bucket = { target: "Bucket", bucket: { region: "eu" }, schedules: [{ name: "daily", keep: 7 }] }
const live = manager.apply(undefined, backup(bucket), { manager: "shop-team" }).object
const config = backup({ target: "Volume", volume: { claim: "data" }, schedules: [{ name: "weekly", keep: 4 }] })
for (const { path, union, ways } of explain(live, config, { ...server, manager: "storage-team" }).conflicts) {
  console.log(union ? `${path} (${union.text})` : path)
  for (const [way, { applicability, reason }] of Object.entries(ways))
    console.log(`- ${way}, ${applicability}: ${reason}`)
}
// .spec.target
// - relinquish, unsure: shop-team alone would decide; .spec.volume would go too
// - share, unsure: an apply with it is refused: Backup.example.com "shop" is invalid: spec: Invalid value: "": applied discriminator (Bucket) doesn't match applied field (volume)
// - overwrite, unsure: shop-team keeps 3 of its 5 fields; a union clears .spec.bucket; shop-team would be in conflict with you next time

const moved = manager.apply(live, config, { manager: "storage-team", force: true }).object
console.log(JSON.stringify(moved.spec))
// {"target":"Volume","schedules":[{"name":"daily","keep":7},{"name":"weekly","keep":4}],"volume":{"claim":"data"}}

const { volume, ...known } = moved.spec
const written = { ...moved, spec: { ...known, schedules: [] } }
const outcome = (action: () => { object: MapValue }) => {
  try {
    return JSON.stringify(action().object.spec)
  } catch (error) {
    return (error as Error).message
  }
}
for (const policy of ["off", "v4", "kep-2022-draft", "extended"] as const) {
  const fields = new FieldManager({ types, unions: policy })
  console.log(`${policy}: ${outcome(() => fields.update(moved, written, { manager: "old-client" }))}`)
}
const applied = backup({ schedules: [{ name: "hourly", keep: 24 }] })
console.log(`applied: ${outcome(() => manager.apply(moved, applied, { manager: "old-client" }))}`)
// off: {"target":"Volume","schedules":[]}
// v4: {"target":"Volume","schedules":[]}
// kep-2022-draft: {"target":"Volume","schedules":[],"volume":{"claim":"data"}}
// extended: Backup.example.com "shop" is invalid: spec.volume: Invalid value: "": must be specified when `target` is "Volume"
// applied: {"target":"Volume","schedules":[{"name":"daily","keep":7},{"name":"weekly","keep":4},{"name":"hourly","keep":24}],"volume":{"claim":"data"}}

const { target, ...undiscriminated } = bucket
const stored = backup(undiscriminated)
const edited = backup({ ...undiscriminated, schedules: [] })
for (const policy of ["kep-2022", "extended"] as const) {
  const fields = new FieldManager({ types, unions: policy })
  console.log(`${policy}: ${outcome(() => fields.update(stored, edited, { manager: "old-client" }))}`)
}
// kep-2022: Backup.example.com "shop" is invalid: [spec.target: Required value, spec.bucket: Invalid value: "": may only be specified when `target` is "Bucket"]
// extended: {"bucket":{"region":"eu"},"schedules":[],"target":"Bucket"}

const backups = compileRules(rules, "Backup")
const old = { name: "Daily", keep: 0 }
const before = backup({ ...bucket, schedules: [old] })
const after = backup({ ...bucket, bucket: {}, schedules: [{ name: "hourly", keep: -1 }, old] })
for (const error of backups.validate(after, before)) console.log(`${error.field}: ${fieldErrorMessage(error)}`)

const condition = { status: "True", reason: "Restored", message: "", lastTransitionTime: "2026-01-09T12:00:00Z" }
const conditions = [
  { ...condition, type: "Verified" },
  { ...condition, type: "Damaged" },
]
for (const { field, detail } of backups.validate({ ...backup(bucket), status: { conditions } }))
  console.log(`${field}: ${detail}`)
// spec.bucket.region: Required value
// spec.schedules[0].keep: Invalid value: -1: must be greater than or equal to 1
// status.conditions: must specify at most one of: `conditions[{"type": "Verified"}]`, `conditions[{"type": "Damaged"}]`

interface Backup {
  readonly spec: { readonly schedules?: readonly { readonly keep: number }[] }
}
const handwritten = {
  validate: (object: unknown) =>
    ((object as Backup).spec.schedules ?? []).flatMap(({ keep }, i) => {
      const error = {
        type: "FieldValueInvalid",
        field: `spec.schedules[${i}].keep`,
        badValue: keep,
        origin: "minimum",
      } as const
      return keep < 0 ? [{ ...error, detail: "must be greater than or equal to 0", coveredByDeclarative: true }] : []
    }),
}
const gates = { DeclarativeValidation: true, DeclarativeValidationBeta: false }
const shadow = shadowed({
  handwritten,
  declarative: backups,
  gates,
  onMismatch: ({ kind, error }) => console.log(`${kind}: ${error.field}`),
})
const daily = { name: "daily", keep: 0 }
for (const on of [false, true]) {
  gates.DeclarativeValidationBeta = on
  const errors = shadow.validate(backup({ ...bucket, schedules: [daily, { name: "hourly", keep: -1 }] }))
  console.log(`beta ${on ? "on" : "off"}:`, errors.map(({ field, badValue }) => `${field} ${badValue}`).join(", "))
}
// extra: spec.schedules[0].keep
// beta off: spec.schedules[1].keep -1
// extra: spec.schedules[0].keep
// beta on: spec.schedules[0].keep 0, spec.schedules[1].keep -1
