// The defaults of fields: from markers, and the zero values that Go writes.
import { formatValue } from "../value/format.js"
import { own } from "../value/object.js"
import { isList, isMap, type Value } from "../value/value.js"
import type { GoTypesPlace } from "./source/errors.js"
import { flatFields, type JsonField } from "./types/fields.js"
import type { Markers } from "./types/markers.js"
import type { Followed, Shapes } from "./types/shape.js"

/** Returns the default from the markers of a field; undefined without one. `all` has all markers that apply to the field. */
export function markedDefault(shapes: Shapes, field: JsonField, all: readonly Markers[]): Value | undefined {
  const [marked] = all.flatMap(markers => markers.named("default"))
  if (marked === undefined) return kubebuilderDefault(all)
  const text = marked.text ?? ""
  const value = shapes.defaultOf(text, field)
  if (value === undefined) {
    shapes.findings.error(field.place, `+default is neither JSON nor the name of a constant: ${text}`)
  } else checkEnums(shapes, value, field.followed, field.place)
  return value
}

/** Returns the value of `+kubebuilder:default`: JSON, or an unquoted string. Lists in braces, which controller-gen accepts, are ignored. */
function kubebuilderDefault(all: readonly Markers[]): Value | undefined {
  const [marked] = all.flatMap(markers => markers.named("kubebuilder:default"))
  if (marked?.text === undefined) return undefined
  try {
    return JSON.parse(marked.text) as Value
  } catch {
    return /^[[{]/.test(marked.text) ? undefined : String(marked.value)
  }
}

/** Reports the parts of a default that are not values of their enums. */
function checkEnums(shapes: Shapes, value: Value, followed: Followed, place: GoTypesPlace): void {
  const { shape } = followed
  const values = shapes.enumOf(followed)
  if (values !== undefined && value !== null && !values.some(allowed => allowed === value)) {
    const allowed = values.map(text => JSON.stringify(text)).join(", ")
    shapes.findings.error(place, `+default ${formatValue(value)} is not in the enum: ${allowed}`)
  }
  if (shape.kind === "struct" && isMap(value)) {
    for (const { name, followed: inner } of flatFields(shapes, shape)) {
      const part = own(value, name)
      if (part !== undefined) checkEnums(shapes, part, inner, place)
    }
  }
  if (shape.kind !== "list" && shape.kind !== "map") return
  const parts = isList(value) ? value : isMap(value) ? Object.values(value) : []
  const element = shapes.follow(shape.element, shape.from, place)
  for (const part of parts) checkEnums(shapes, part, element, place)
}

/** Returns the JSON that Go writes for an unset field; undefined if Go omits the field. */
export function zeroOf({ followed: { shape, pointer }, omitEmpty }: JsonField): Value | undefined {
  if (pointer) return undefined
  if (shape.kind === "struct" || shape.kind === "outside") return {}
  if (shape.kind !== "scalar" || omitEmpty || shape.format === "byte") return undefined
  return shape.type === "string" ? "" : shape.type === "boolean" ? false : 0
}
