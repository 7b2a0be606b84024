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
// the empty string, a `*string` is nil. A document lists fields and markers one by one, in the order of the source.
import { SchemaError } from "../../errors.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"

/** Types and their rules. A YAML or JSON document of this shape can be used directly. */
export interface RuleDocument {
  /** The name of the Go package. One message of the validator prints it. */
  readonly package?: string
  /**
   * The types by name, spelled as in the types of fields: `Port`, or with a qualifier (`metav1.ObjectMeta`) for a type of another package.
   * A type with a qualifier that is not listed is opaque: nothing in it is validated.
   */
  readonly types: Readonly<Record<string, RuleType>>
}

/** A declared type: a struct (`fields`), a name for another type (`type`), or a struct with a JSON form of its own (`zero`). */
export interface RuleType {
  /** The fields of a struct, in the order of the source. */
  readonly fields?: readonly RuleField[]
  /**
   * The type that this one is a name for, unless it is a struct: `string`, `int32`, `[]Port`, `map[string]Port`, or the name of another
   * type.
   */
  readonly type?: string
  /**
   * The JSON that Go writes for the zero value of a struct with a JSON form of its own (`metav1.Time`, `resource.Quantity`). Such a type
   * has neither `fields` nor `type`, and nothing in it is validated.
   */
  readonly zero?: string | number | null
  /** The rules of the type, in the order of the source. */
  readonly rules?: readonly Rule[]
  /** The constants of the type, which are the values of an `enum`. */
  readonly constants?: readonly RuleConstant[]
}

/** A field of a struct. */
export interface RuleField {
  /** The name in Go. A union's member has the same name unless the rule gives another. */
  readonly name: string
  /** The name in JSON, from the field's json tag; defaults to the name in Go. */
  readonly json?: string
  /** Whether the field is an embedded struct without a name in JSON, so that its fields count as fields of the outer struct. */
  readonly embedded?: boolean
  /** Whether the json tag says `omitempty` or `omitzero`. This affects only the values that errors quote. */
  readonly omitempty?: boolean
  /**
   * The type as Go spells it: `string`, `bool`, `int`, `int32`, `uint64`, `float64`, `[]byte`, `any`; the name of a type; or `*T`, `[]T`,
   * `map[string]T` with another type.
   */
  readonly type: string
  /** The value of `+default`, parsed as JSON. An optional field with a default must be present in a validated object. */
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
  /** `enumExclude`, either alone or as the payload of `ifEnabled` or `ifDisabled`. */
  readonly rules?: readonly Rule[]
}

/**
 * One marker.
 * - `+k8s:maxLength=3` is `{tag: maxLength, value: 3}`.
 * - `+k8s:unionMember(union: "u", memberName: "A")` is `{tag: unionMember, args: {union: u, memberName: A}}`.
 * - `+k8s:ifEnabled("Gate")=+k8s:required` is `{tag: ifEnabled, arg: Gate, payload: {tag: required}}`.
 */
export interface Rule {
  /** The name of the marker without `+k8s:`. */
  readonly tag: string
  /** The unnamed argument. */
  readonly arg?: RuleValue
  /** The named arguments, in the order of the source. */
  readonly args?: Readonly<Record<string, RuleValue>>
  /** The value after `=`, unless it is a marker. */
  readonly value?: RuleValue
  /** The marker after `=`. */
  readonly payload?: Rule
}

/** An argument or value of a marker. */
export type RuleValue = string | number | bigint | boolean

/** Throws a SchemaError unless the document has a map of types. Errors inside a type are reported when the type is compiled. */
export function requireRuleTypes(argument: string, document: unknown): void {
  const types = isMap(document as Value) ? own(document as MapValue, "types") : undefined
  if (!isMap(types)) {
    throw new SchemaError(
      `${argument}.types: expected a map of types by their names; readGoTypes and rulesForSchema make such documents`,
    )
  }
  for (const name of Object.keys(types as MapValue)) {
    if (!isMap(own(types as MapValue, name) as Value))
      throw new SchemaError(`${argument}.types.${name}: expected a map`)
  }
}
