// Definitions of kinds, as people paste them.
import { formatYaml, parseYaml } from "structured-merge-diff/io"
import type { MapValue } from "../../src/index.js"
import { definitionOf } from "../../test/support/definition.js"

/** Returns the CustomResourceDefinition of a kind with these properties, which are YAML, and with these subresources. */
export function crdOf(kind: string, properties: string, subresources: MapValue = {}): string {
  const schema = { properties: parseYaml(properties) as MapValue }
  return formatYaml(definitionOf(kind, { schema, version: { subresources } }))
}

/** The Go types of the kind Lamp. */
export const lampInGo = `// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Lamp struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty"\`
	Spec LampSpec     \`json:"spec,omitempty"\`
}

type LampSpec struct {
	// Color is what it shines in.
	// +default="red"
	// +required
	Color string \`json:"color"\`
}
`
