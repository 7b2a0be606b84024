// Runs the check of a built-in kind, which is in the file of its family, in families/. field.ts words the problems; the other files here
// check parts that several kinds have in common. Problems are in the order of a server. Where Go's order is random, because it iterates over a
// map, keys are in their order in the object.

import type { MapValue } from "../../value/value.js"
import type { FieldError } from "../refusal/field-error.js"
import { Field } from "./field.js"

/** Reports the problems of an object, which replaces `before`. */
export type KindCheck = (object: Field, before: Field | undefined) => void

/** The checks of a kind by the subresource that a request names; "" for the object itself. */
export type KindChecks = Readonly<Record<string, KindCheck>>

/**
 * Returns the problems that the check for this subresource finds in an object, each once. `before` is the stored object that it replaces;
 * undefined for a new one.
 */
export function problemsBy(
  checks: KindChecks,
  subresource: string,
  object: MapValue,
  before: MapValue | undefined,
): readonly FieldError[] {
  const check = Object.hasOwn(checks, subresource) ? checks[subresource] : undefined
  const errors: FieldError[] = []
  check?.(new Field(object, "", errors), before && new Field(before, "", []))
  const isSame = (a: FieldError) => (b: FieldError) => a.field === b.field && a.message === b.message
  return errors.filter((error, index) => errors.findIndex(isSame(error)) === index)
}
