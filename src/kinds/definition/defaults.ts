// Checks that the schema allows its defaults.

import { equalValues } from "../../value/equal.js"
import { isMap, type MapValue } from "../../value/value.js"
import { missingNames } from "../custom/embedded.js"
import { prunedDefault } from "../custom/prune.js"
import { validateValue } from "../custom/validate.js"
import { type FieldError, nowhere } from "../refusal/field-error.js"
import { rulesOf } from "../rules/compile.js"
import { validateRules } from "../rules/validate.js"
import { defaultOf, isTrue } from "../structural/schema.js"
import type { Field } from "../validation/field.js"

/** Adds the problems of the defaults of a structural schema. Like an API server, ignores defaults below `additionalProperties`. */
export function checkDefaults(field: Field, errors: FieldError[], insideMeta = false, isRoot = true): void {
  if (!isMap(field.value)) return
  const schema = field.value as MapValue
  const value = defaultOf(schema)
  const isResource = isRoot || isTrue(schema, "x-kubernetes-embedded-resource")
  if (value !== undefined) checkDefault(schema, field.at("default"), errors, insideMeta)
  checkDefaults(field.at("items"), errors, insideMeta && !isResource, false)
  for (const [name, property] of field.at("properties").entries()) {
    const isMeta = isResource && ["metadata", "apiVersion", "kind"].includes(name)
    checkDefaults(property, errors, isMeta || (insideMeta && !isResource), false)
  }
}

function checkDefault(schema: MapValue, field: Field, errors: FieldError[], insideMeta: boolean): void {
  const value = defaultOf(schema) ?? null
  if (!insideMeta && !equalValues(prunedDefault(schema) ?? null, value)) field.invalid("must not have unknown fields")
  const missing = missingNames(value, schema, field.path)
  errors.push(...missing)
  if (missing.length > 0) return
  const valueErrors = validateValue(value, schema)
  const rules = valueErrors.length === 0 ? rulesOf(schema, { part: true })?.root : undefined
  // A default must be valid both as an unchanged value and as a new one.
  const failed = rules && validateRules(rules, value, value, undefined)
  const atLast = rules && failed?.length === 0 ? validateRules(rules, value, undefined, undefined) : failed
  for (const error of [...valueErrors, ...(atLast ?? [])]) errors.push(below(field.path, error))
}

function below(path: string, error: FieldError): FieldError {
  return { ...error, field: error.field === nowhere || error.field === "" ? path : `${path}.${error.field}` }
}
