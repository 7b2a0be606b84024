// Rule documents: Go types, and the validation rules of their markers, as plain data.
//
//   package: v1
//   types:
//     Ingress:
//       fields:
//       - {name: Host, json: host, omitempty: true, type: string, rules: [{tag: optional}, {tag: format, value: k8s-long-name}]}
//       - {name: Ports, json: ports, type: "[]Port", rules: [{tag: listType, value: map}, {tag: listMapKey, value: number}]}
//     Port:
//       fields:
//       - {name: Number, json: number, type: int32, rules: [{tag: minimum, value: 1}]}
//       - {name: Mode, json: mode, type: "*Mode"}
//     Mode:
//       type: string
//       rules: [{tag: enum}]
//       constants: [{name: ModeFast, value: Fast}, {name: ModeSafe, value: Safe}]
//
// A type is described as Go declares it, because Go decides what is absent: a field of type `string` that a document leaves out is
// the empty string, a `*string` is nil. A document says it marker by marker and field by field, in the order of the source.
import { SchemaError } from "../../errors.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"

/** Types and their rules. A YAML or JSON document of this shape is one as it is. */
export interface RuleDocument {
  /** The name of the Go package, which one message of the validator prints. */
  readonly package?: string
  /**
   * The types by name, as field types spell them: `Port`, or with a qualifier (`metav1.ObjectMeta`) for a type of another package.
   * A type with a qualifier that is not listed is opaque: nothing in it is validated.
   */
  readonly types: Readonly<Record<string, RuleType>>
}

/** A declared type: a struct (`fields`), a name for another type (`type`), or a struct that JSON has in a form of its own (`zero`). */
export interface RuleType {
  /** The fields of a struct, in the order of the source. */
  readonly fields?: readonly RuleField[]
  /** What the type is a name of, if it is no struct: `string`, `int32`, `[]Port`, `map[string]Port`, the name of another type. */
  readonly type?: string
  /**
   * What Go writes to JSON for the zero value, if the type is a struct with a JSON form of its own (`metav1.Time`, `resource.Quantity`).
   * Such a type has neither fields nor a type here, and nothing in it is validated.
   */
  readonly zero?: string | number | null
  /** The rules of the type, in the order of the source. */
  readonly rules?: readonly Rule[]
  /** The constants of the type, which are the values of an `enum`. */
  readonly constants?: readonly RuleConstant[]
}

/** A field of a struct. */
export interface RuleField {
  /** The name in Go, which is also the name of a union's member unless the rule gives another. */
  readonly name: string
  /** The name in JSON, from the field's json tag; the name in Go if absent. */
  readonly json?: string
  /** Whether the field is an embedded struct without a name in JSON: its fields are those of the struct around it. */
  readonly embedded?: boolean
  /** Whether the json tag says `omitempty` or `omitzero`. Matters only to the values that errors quote. */
  readonly omitempty?: boolean
  /**
   * The type as Go spells it: `string`, `bool`, `int`, `int32`, `uint64`, `float64`, `[]byte`, `any`; the name of a type; and
   * `*T`, `[]T`, `map[string]T` of another.
   */
  readonly type: string
  /** What `+default` says, parsed as JSON. An optional field with a default is required of the object that is validated. */
  readonly default?: unknown
  /** The rules of the field, in the order of the source. */
  readonly rules?: readonly Rule[]
}

/** A constant of a named string type. */
export interface RuleConstant {
  /** The name in Go. */
  readonly name: string
  /** The value. */
  readonly value: string
  /** `enumExclude`, by itself or as payload of `ifEnabled` or `ifDisabled`. */
  readonly rules?: readonly Rule[]
}

/**
 * One marker. `+k8s:maxLength=3` is `{tag: maxLength, value: 3}`, `+k8s:unionMember(union: "u", memberName: "A")` is
 * `{tag: unionMember, args: {union: u, memberName: A}}`, and `+k8s:ifEnabled("Gate")=+k8s:required` is
 * `{tag: ifEnabled, arg: Gate, payload: {tag: required}}`.
 */
export interface Rule {
  /** The name of the marker without `+k8s:`. */
  readonly tag: string
  /** The argument without a name. */
  readonly arg?: RuleValue
  /** The arguments with names, in the order of the source. */
  readonly args?: Readonly<Record<string, RuleValue>>
  /** What comes after `=`, unless that is a marker. */
  readonly value?: RuleValue
  /** The marker that comes after `=`. */
  readonly payload?: Rule
}

/** An argument or value of a marker. */
export type RuleValue = string | number | bigint | boolean

/** Throws a SchemaError unless the document has a map of types. What is wrong inside a type is reported when it is compiled. */
export function requireRuleTypes(argument: string, document: unknown): void {
  const types = isMap(document as Value) ? own(document as MapValue, "types") : undefined
  if (!isMap(types ?? null)) {
    throw new SchemaError(
      `${argument}.types: expected a map of types by their names; readGoTypes and rulesForSchema make such documents`,
    )
  }
  for (const name of Object.keys(types as MapValue)) {
    if (!isMap(own(types as MapValue, name) as Value))
      throw new SchemaError(`${argument}.types.${name}: expected a map`)
  }
}
