import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import { type FieldError, fieldError } from "../refusal/field-error.js"
import { isTrue } from "../structural/schema.js"
import { forEachPart } from "../structural/walk.js"

/** Reports resources inside a custom resource that do not name their version or their kind. */
export function validateEmbedded(value: Value, schema: MapValue): readonly FieldError[] {
  const errors: FieldError[] = []
  forEachPart(value, schema, (part, partSchema, path) => errors.push(...missingNames(part, partSchema, path)))
  return errors
}

/** Reports an absent `apiVersion` or `kind`, if the value is an embedded resource. */
export function missingNames(value: Value, schema: MapValue, path: string): readonly FieldError[] {
  if (!isTrue(schema, "x-kubernetes-embedded-resource") || !isMap(value)) return []
  const missing = ["apiVersion", "kind"].filter(name => own(value, name) === undefined)
  return missing.map(name => fieldError("FieldValueRequired", `${path}.${name}`, undefined))
}
