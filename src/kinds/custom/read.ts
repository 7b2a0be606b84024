// Reads and validates custom resources as an API server does, by the structural schema of their version (openAPIV3Schema).

import type { Parity } from "../../json/json.js"
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
 * Returns the custom resource as it is stored: with its defaults, and without fields that the schema does not declare and nulls that it does
 * not allow. The result shares unchanged parts with the input.
 */
export function readCustomResource(object: MapValue, schema: MapValue): Pruned {
  const { object: pruned, unknown } = prune(object, schema)
  return { object: withDefaults(withoutNulls(pruned, schema), schema) as MapValue, unknown }
}

/** Returns the custom resource with its defaults. Nulls stay, as they do in the result of an apply: validation refuses them. */
export function defaultCustomResource(object: MapValue, schema: MapValue): MapValue {
  return withDefaults(object, schema) as MapValue
}

/** The circumstances under which a custom resource is validated. */
export interface ValidationOptions {
  /** The stored object, if the request is an update: its invalid parts may stay if they did not change. */
  readonly old?: MapValue | undefined
  /** The release whose words the problems have; v6 if absent. */
  readonly parity?: Parity | undefined
  /** `status` if the request can write only the status. */
  readonly subresource?: string | undefined
  /** Problems of the object that follow those that the schema finds. */
  readonly scale?: readonly FieldError[]
  /** Further problems, which are sorted among those of lists. */
  readonly more?: readonly FieldError[]
  /** Problems that do not come from the schema, such as those of the metadata. Because of them, rules may not be run. */
  readonly others?: readonly { readonly reason: string }[]
}

/**
 * Returns the problems of a custom resource that `readCustomResource` returned, sorted by field and message. Failed rules follow them, if the
 * library that runs rules was loaded.
 */
export function validateCustomResource(
  object: MapValue,
  schema: MapValue,
  { old, parity, subresource = "", scale = [], more = [], others = [] }: ValidationOptions = {},
): readonly FieldError[] {
  const correlated = old && new Correlated(object, old, schema)
  const isListChecked = old === undefined || validateListTypes(old, schema).length === 0
  const values =
    subresource === "status"
      ? statusErrors(object, schema, correlated, parity)
      : validateValue(object, schema, correlated, parity)
  const errors = [
    ...values.toSorted(byText),
    ...scale,
    ...[...more, ...(isListChecked ? validateListTypes(object, schema) : [])].toSorted(byText),
  ]
  if ([...errors, ...others].some(({ reason }) => blocking.has(reason))) {
    return hasRules(schema) ? [...errors, unchecked] : errors
  }
  const rules = rulesOf(schema)?.root
  if (rules === undefined) return errors
  return [...errors, ...validateRules(rules, object, old, correlated)]
}

const byText = (a: FieldError, b: FieldError): number =>
  compareStrings(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`)

/** Problems with these reasons keep rules from being run: a rule could fail on such a value. */
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

function statusErrors(
  object: MapValue,
  schema: MapValue,
  old: Correlated | undefined,
  parity: Parity | undefined,
): readonly FieldError[] {
  const status = own(object, "status")
  if (status === undefined) return []
  return validateValue(status, propertyOf(schema, "status") ?? {}, old?.field("status"), parity).map(error =>
    under("status", error),
  )
}
