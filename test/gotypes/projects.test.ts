/** Compares Go types with the CRD that controller-gen makes from them, as `npm run gotypes -- projects` does for projects. */
import { describe, expect, it } from "vitest"
import { readGoTypes } from "../../src/gotypes/index.js"
import { parseYaml } from "../../src/io/index.js"
import { schemaFromCRD } from "../../src/openapi/index.js"
import { applyUnionOverlay } from "../../src/union/index.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"
import { type Comparison, compareTypes } from "./crd-differences.js"

const source = `package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

type Plan struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`
	Spec PlanSpec \`json:"spec"\`
}

type PlanSpec struct {
	// +listType:=set
	Tags []string \`json:"tags,omitempty"\`
	// +listType:=map
	// +listMapKey:=name
	// +listMapKey:=port
	Steps []Step \`json:"steps,omitempty"\`
	// +mapType:=atomic
	Labels map[string]string \`json:"labels,omitempty"\`
	Ref Reference \`json:"ref,omitempty"\`
	// +kubebuilder:pruning:PreserveUnknownFields
	Values *Choice \`json:"values,omitempty"\`
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:EmbeddedResource
	Input any \`json:"input,omitempty"\`
	At metav1.Time \`json:"at,omitempty"\`
}

type Step struct {
	Name string \`json:"name"\`
	// +kubebuilder:default:=80
	Port int32 \`json:"port,omitempty"\`
	Max *intstr.IntOrString \`json:"max,omitempty"\`
}

// +kubebuilder:validation:ExactlyOneOf=a;b
type Choice struct {
	A *string \`json:"a,omitempty"\`
	B *int \`json:"b,omitempty"\`
}

// +structType:=atomic
type Named struct {
	Name string \`json:"name,omitempty"\`
}

type Reference struct {
	Named \`json:",inline"\`
	Kind string \`json:"kind,omitempty"\`
}
`

const schema = parseYaml(`
required: [spec]
properties:
  apiVersion: {type: string}
  kind: {type: string}
  metadata: {type: object}
  spec:
    type: object
    properties:
      tags: {type: array, items: {type: string}, x-kubernetes-list-type: set}
      steps:
        type: array
        items:
          type: object
          required: [name]
          properties:
            name: {type: string}
            port: {type: integer, format: int32, default: 80}
            max: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
        x-kubernetes-list-type: map
        x-kubernetes-list-map-keys: [name, port]
      labels: {type: object, additionalProperties: {type: string}, x-kubernetes-map-type: atomic}
      ref:
        type: object
        properties: {name: {type: string}, kind: {type: string}}
        x-kubernetes-map-type: atomic
      values:
        type: object
        properties: {a: {type: string}, b: {type: integer}}
        x-kubernetes-preserve-unknown-fields: true
        x-kubernetes-validations:
        - rule: "[has(self.a),has(self.b)].filter(x,x==true).size() == 1"
      input: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}
      at: {type: string, format: date-time}
`) as MapValue

async function compared(go: string): Promise<Comparison> {
  const types = await readGoTypes({ "types.go": go }, { path: "example.com/v1", group: "example.com" })
  const crd = schemaFromCRD(definitionOf("Plan", { schema }), { unionMode: "from-validation" })
  const comparison: Comparison = { places: 0, unions: 0, found: [] }
  compareTypes(
    { schema: crd.schema, name: crd.kinds[0]?.typeName ?? "" },
    { schema: applyUnionOverlay(types.schema, types.unions), name: types.kinds[0]?.typeName ?? "" },
    comparison,
  )
  return comparison
}

describe("Go types and their CRD", () => {
  it("differ where controller-gen has no type, and where it lets an embedded struct say how the outer one is merged", async () => {
    const { found, places, unions } = await compared(source)
    expect(found).toEqual([
      { path: ".spec.ref", crd: "atomic struct", go: "separable struct" },
      { path: ".spec.steps[].max", crd: "any JSON", go: "untyped" },
    ])
    expect([places, unions]).toEqual([58, 1])
  })

  it.each([
    ["listType:=set", "listType=atomic", ".spec.tags: associative list / atomic list"],
    ["mapType:=atomic", "mapType=granular", ".spec.labels: atomic map / separable map"],
    ["+listMapKey:=port", "no key", ".spec.steps: associative list by name, port / associative list by name"],
    ["ExactlyOneOf=a;b", "AtMostOneOf=a;b", ".spec.values: exactlyOne of a, b / atMostOne of a, b"],
    ['json:"kind,', 'json:"kinds,', ".spec.ref.kind: a field / none"],
    ['json:"kind,', 'json:"kinds,', ".spec.ref.kinds: none / a field"],
    ["B *int ", "B *bool ", ".spec.values.b: numeric / boolean"],
  ])("differ if %s is %s", async (text, other, expected) => {
    const { found } = await compared(source.replace(text, other))
    expect(found.map(({ path, crd, go }) => `${path}: ${crd} / ${go}`)).toContain(expected)
  })
})
