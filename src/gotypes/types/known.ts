// Types that most API types use, known without their sources. Types with their own JSON form are taken from here even if there is
// a source, since their Go declarations don't show that form.
import type { Atom } from "../../schema/schema.js"
import { deducedAtom } from "../../schema/untyped.js"
import type { MapValue } from "../../value/value.js"

/** A type with its own JSON form. */
export interface KnownType {
  /** The name of its definition; undefined if it is written in place. */
  readonly name: string | undefined
  readonly definition: MapValue
  /** The type in the schema of an API server; undefined if it follows from the definition. */
  readonly atom: Atom | undefined
  /** How validation treats the type: as another type, or as a struct with this zero value in JSON; undefined if nothing is known. */
  readonly rules?: { readonly type: string } | { readonly zero: string | number | null }
}

/** The package of ObjectMeta. */
export const meta = "k8s.io/apimachinery/pkg/apis/meta/v1"
const dateTime: MapValue = { type: "string", format: "date-time" }

/** The definition of a type that accepts any JSON. */
export const anything: MapValue = { "x-kubernetes-preserve-unknown-fields": true }

/** The types by import path and Go name. */
const knownTypes: ReadonlyMap<string, KnownType> = new Map([
  named(meta, "Time", dateTime, null),
  named(meta, "MicroTime", dateTime, null),
  named(meta, "Duration", { type: "string" }, "0s"),
  named(meta, "FieldsV1", { type: "object" }, null),
  inPlace("time.Time", dateTime, { zero: "0001-01-01T00:00:00Z" }),
  inPlace("time.Duration", { type: "integer", format: "int64" }, { type: "int64" }),
  inPlace("encoding/json.RawMessage", anything, { type: "any" }),
  named("k8s.io/apimachinery/pkg/api/resource", "Quantity", { oneOf: [{ type: "string" }, { type: "number" }] }, "0"),
  named(
    "k8s.io/apimachinery/pkg/util/intstr",
    "IntOrString",
    { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
    0,
    { scalar: "untyped" },
  ),
  named("k8s.io/apimachinery/pkg/runtime", "RawExtension", { type: "object" }, null),
  ...["v1", "v1beta1"].map(version =>
    named(`k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/${version}`, "JSON", anything, null, deducedAtom),
  ),
  ...protobuf("duration", "Duration", { type: "string" }),
  ...protobuf("timestamp", "Timestamp", dateTime),
  ...protobuf("struct", "Struct", { type: "object", ...anything }),
  ...protobuf("struct", "Value", anything),
  ...protobuf("struct", "ListValue", { type: "array", items: anything }),
  ...protobuf("any", "Any", { type: "object", ...anything }),
  ...protobuf("empty", "Empty", { type: "object" }),
  ...protobuf("fieldmask", "FieldMask", { type: "string" }),
  ...protobuf("wrappers", "BoolValue", { type: "boolean" }),
  ...["DoubleValue", "FloatValue"].flatMap(name => protobuf("wrappers", name, { type: "number" })),
  // Protobuf writes 64-bit integers as strings, but also reads the numbers that CRDs require.
  ...["Int32Value", "UInt32Value", "Int64Value", "UInt64Value"].flatMap(name =>
    protobuf("wrappers", name, { type: "integer" }),
  ),
  ...protobuf("wrappers", "StringValue", { type: "string" }),
  ...protobuf("wrappers", "BytesValue", { type: "string", format: "byte" }),
])

/** A message with a special JSON form in protobuf, by the current and the former path of its package. */
function protobuf(name: string, type: string, definition: MapValue): [string, KnownType][] {
  return [`google.golang.org/protobuf/types/known/${name}pb`, `github.com/golang/protobuf/ptypes/${name}`].map(path =>
    inPlace(`${path}.${type}`, definition, { zero: null }),
  )
}

function named(
  path: string,
  name: string,
  definition: MapValue,
  zero: string | number | null,
  atom?: Atom,
): [string, KnownType] {
  return [`${path}.${name}`, { name: friendly(path, name), definition, atom, rules: { zero } }]
}

function inPlace(name: string, definition: MapValue, rules: KnownType["rules"]): [string, KnownType] {
  return [name, { name: undefined, definition, atom: undefined, ...(rules && { rules }) }]
}

/** Returns the known type of an imported package; undefined for other types. */
export function knownType(path: string, name: string): KnownType | undefined {
  return knownTypes.get(`${path}.${name}`)
}

/** Returns the name of a Go type in Kubernetes' OpenAPI: `io.k8s.api.core.v1.Pod` for Pod of `k8s.io/api/core/v1`. */
export function friendly(path: string, name: string): string {
  const [host, ...rest] = path.split("/") as [string, ...string[]] // a text has at least one part
  return [...host.split(".").reverse(), ...rest, name].join(".")
}

/** Sources of packages, used if the caller has none: the fields of these types, without documentation. */
export const knownPackages: ReadonlyMap<string, string> = new Map([
  [
    meta,
    `// +k8s:openapi-model-package=io.k8s.apimachinery.pkg.apis.meta.v1
package v1

import (
	types "k8s.io/apimachinery/pkg/types"
)

type TypeMeta struct {
	Kind       string \`json:"kind,omitempty"\`
	APIVersion string \`json:"apiVersion,omitempty"\`
}

type ListMeta struct {
	SelfLink           string \`json:"selfLink,omitempty"\`
	ResourceVersion    string \`json:"resourceVersion,omitempty"\`
	Continue           string \`json:"continue,omitempty"\`
	RemainingItemCount *int64 \`json:"remainingItemCount,omitempty"\`
}

type ObjectMeta struct {
	Name                       string            \`json:"name,omitempty"\`
	GenerateName               string            \`json:"generateName,omitempty"\`
	Namespace                  string            \`json:"namespace,omitempty"\`
	SelfLink                   string            \`json:"selfLink,omitempty"\`
	UID                        types.UID         \`json:"uid,omitempty"\`
	ResourceVersion            string            \`json:"resourceVersion,omitempty"\`
	Generation                 int64             \`json:"generation,omitempty"\`
	CreationTimestamp          Time              \`json:"creationTimestamp,omitempty"\`
	DeletionTimestamp          *Time             \`json:"deletionTimestamp,omitempty"\`
	DeletionGracePeriodSeconds *int64            \`json:"deletionGracePeriodSeconds,omitempty"\`
	Labels                     map[string]string \`json:"labels,omitempty"\`
	Annotations                map[string]string \`json:"annotations,omitempty"\`
	// +listType=map
	// +listMapKey=uid
	OwnerReferences []OwnerReference \`json:"ownerReferences,omitempty"\`
	// +listType=set
	Finalizers []string \`json:"finalizers,omitempty"\`
	// +listType=atomic
	ManagedFields []ManagedFieldsEntry \`json:"managedFields,omitempty"\`
}

// +structType=atomic
type OwnerReference struct {
	APIVersion         string    \`json:"apiVersion"\`
	Kind               string    \`json:"kind"\`
	Name               string    \`json:"name"\`
	UID                types.UID \`json:"uid"\`
	Controller         *bool     \`json:"controller,omitempty"\`
	BlockOwnerDeletion *bool     \`json:"blockOwnerDeletion,omitempty"\`
}

type ManagedFieldsEntry struct {
	Manager     string    \`json:"manager,omitempty"\`
	Operation   string    \`json:"operation,omitempty"\`
	APIVersion  string    \`json:"apiVersion,omitempty"\`
	Time        *Time     \`json:"time,omitempty"\`
	FieldsType  string    \`json:"fieldsType,omitempty"\`
	FieldsV1    *FieldsV1 \`json:"fieldsV1,omitempty"\`
	Subresource string    \`json:"subresource,omitempty"\`
}

// +structType=atomic
type LabelSelector struct {
	MatchLabels map[string]string \`json:"matchLabels,omitempty"\`
	// +listType=atomic
	MatchExpressions []LabelSelectorRequirement \`json:"matchExpressions,omitempty"\`
}

type LabelSelectorRequirement struct {
	Key      string \`json:"key"\`
	Operator string \`json:"operator"\`
	// +listType=atomic
	Values []string \`json:"values,omitempty"\`
}

type Condition struct {
	Type               string \`json:"type"\`
	Status             string \`json:"status"\`
	ObservedGeneration int64  \`json:"observedGeneration,omitempty"\`
	LastTransitionTime Time   \`json:"lastTransitionTime"\`
	Reason             string \`json:"reason"\`
	Message            string \`json:"message"\`
}

type GroupKind struct {
	Group string \`json:"group"\`
	Kind  string \`json:"kind"\`
}

type GroupResource struct {
	Group    string \`json:"group"\`
	Resource string \`json:"resource"\`
}

type GroupVersionKind struct {
	Group   string \`json:"group"\`
	Version string \`json:"version"\`
	Kind    string \`json:"kind"\`
}

type GroupVersionResource struct {
	Group    string \`json:"group"\`
	Version  string \`json:"version"\`
	Resource string \`json:"resource"\`
}

type ConditionStatus string

type FieldsType string

type LabelSelectorOperator string

type ManagedFieldsOperationType string
`,
  ],
  [
    "k8s.io/apimachinery/pkg/types",
    `package types

type UID string

type NodeName string

type NamespacedName struct {
	Namespace string
	Name      string
}
`,
  ],
])
