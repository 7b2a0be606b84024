// Custom resources as an API server takes them in, by the structural schema of their version (openAPIV3Schema).

import { compareStrings } from "../../value/compare.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { type FieldError, fieldError, nowhere, under } from "../refusal/field-error.js"
import { hasRules, rulesOf } from "../rules/compile.js"
import { validateRules } from "../rules/validate.js"
import { Correlated } from "../structural/correlated.js"
import { propertyOf } from "../structural/schema.js"
import { withDefaults } from "./defaults.js"
import { validateListTypes } from "./list-types.js"
import { type Pruned, prune, withoutNulls } from "./prune.js"
import { validateValue } from "./validate.js"

/**
 * The custom resource as it is stored: without fields that the schema does not declare and nulls that it does not allow, and with
 * its defaults. Shares what does not change with the input.
 */
export function readCustomResource(object: MapValue, schema: MapValue): Pruned {
  const { object: pruned, unknown } = prune(object, schema)
  return { object: withDefaults(withoutNulls(pruned, schema), schema) as MapValue, unknown }
}

/** The custom resource with its defaults. Nulls stay, as in what an apply makes of an object: validation refuses them. */
export function defaultCustomResource(object: MapValue, schema: MapValue): MapValue {
  return withDefaults(object, schema) as MapValue
}

/** What a custom resource is validated as. */
export interface ValidationOptions {
  /** The stored object, for an update: what was wrong there and did not change may stay. */
  readonly old?: MapValue | undefined
  /** `status` where the request can write nothing but that. */
  readonly subresource?: string | undefined
  /** What is wrong with it beside its schema, in its metadata for one: rules may not be run because of that. */
  readonly others?: readonly { readonly reason: string }[]
}

/**
 * What is wrong with a custom resource that `readCustomResource` returned; none if nothing is. Sorted by field and message; failed
 * rules follow, where the library that runs them was loaded.
 */
export function validateCustomResource(
  object: MapValue,
  schema: MapValue,
  { old, subresource = "", others = [] }: ValidationOptions = {},
): readonly FieldError[] {
  const correlated = old && new Correlated(object, old, schema)
  const isListChecked = old === undefined || validateListTypes(old, schema).length === 0
  const errors = [
    ...(subresource === "status"
      ? statusErrors(object, schema, correlated)
      : validateValue(object, schema, correlated)),
    ...(isListChecked ? validateListTypes(object, schema) : []),
  ]
  errors.sort((a, b) => compareStrings(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`))
  if ([...errors, ...others].some(({ reason }) => blocking.has(reason))) {
    return hasRules(schema) ? [...errors, unchecked] : errors
  }
  const rules = rulesOf(schema)?.root
  if (rules === undefined) return errors
  return [...errors, ...validateRules(rules, object, old, correlated)]
}

/** What keeps rules from being run: values on which they could fail. */
const blocking: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
])

const unchecked = fieldError(
  "FieldValueInvalid",
  nowhere,
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
)

function statusErrors(object: MapValue, schema: MapValue, old: Correlated | undefined): readonly FieldError[] {
  const status = own(object, "status")
  if (status === undefined) return []
  return validateValue(status, propertyOf(schema, "status") ?? {}, old?.field("status")).map(error =>
    under("status", error),
  )
}
