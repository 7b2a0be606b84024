import { readGoTypes } from "structured-merge-diff/gotypes"
import {
  compileRules,
  type FieldErrorType,
  fieldErrorMessage,
  shadowed,
  ValidationMetrics,
} from "structured-merge-diff/validation"

const { rules } = await readGoTypes({
  "types.go": `
package v1

type ReplicationController struct {
	// +optional
	Spec ReplicationControllerSpec \`json:"spec,omitempty"\`
}

type ReplicationControllerSpec struct {
	// +optional
	// +k8s:beta(since: "1.37")=+k8s:optional
	// +default=1
	// +k8s:beta(since: "1.37")=+k8s:minimum=0
	Replicas *int32 \`json:"replicas,omitempty"\`

	// +optional
	// +k8s:beta(since: "1.37")=+k8s:optional
	// +default=0
	// +k8s:beta(since: "1.37")=+k8s:minimum=0
	MinReadySeconds int32 \`json:"minReadySeconds,omitempty"\`

	// +optional
	// +mapType=atomic
	Selector map[string]string \`json:"selector,omitempty"\`
}
`,
})

interface ReplicationController {
  readonly spec: { readonly replicas?: number; readonly minReadySeconds?: number; readonly selector?: object }
}

const handwritten = {
  validate(object: unknown) {
    const { replicas, minReadySeconds = 0, selector = {} } = (object as ReplicationController).spec
    const error = (type: FieldErrorType, field: string, badValue: string | number = "", detail = "", origin = "") => ({
      type,
      field: `spec.${field}`,
      badValue,
      detail,
      origin,
      coveredByDeclarative: field !== "selector",
    })
    const nonnegative = (field: string, value: number) =>
      value >= 0 ? [] : [error("FieldValueInvalid", field, value, "must be greater than or equal to 0", "minimum")]
    return [
      ...nonnegative("minReadySeconds", minReadySeconds),
      ...(Object.keys(selector).length > 0 ? [] : [error("FieldValueRequired", "selector")]),
      ...(replicas === undefined ? [error("FieldValueRequired", "replicas")] : nonnegative("replicas", replicas)),
    ]
  },
}

const gates = { DeclarativeValidation: true, DeclarativeValidationBeta: true }
const metrics = new ValidationMetrics()
const controllers = shadowed({
  handwritten,
  declarative: compileRules(rules, "ReplicationController"),
  gates,
  kind: "ReplicationController",
  metrics,
  onMismatch: ({ kind, error }) => console.log(`mismatch: ${kind} ${error.field}`),
})

for (const error of controllers.validate({ spec: { replicas: -1 } })) {
  console.log(`${error.field}: ${fieldErrorMessage(error)}, by ${error.level ?? "hand"}`)
}
// spec.selector: Required value, by hand
// spec.replicas: Invalid value: -1: must be greater than or equal to 0, by beta

gates.DeclarativeValidationBeta = false
for (const { level } of controllers.validate({ spec: { replicas: -1, selector: { app: "web" } } })) {
  console.log(level ?? "hand")
}
// hand

const stored = { spec: { replicas: 1, minReadySeconds: -5, selector: { app: "web" } } }
const scaled = { spec: { ...stored.spec, replicas: 2 } }
console.log(controllers.validate(scaled, stored).length)
// mismatch: unmatched spec.minReadySeconds
// 1
console.log(metrics.text().includes("apiserver_validation_declarative_validation_mismatch_total 1\n"))
// true
