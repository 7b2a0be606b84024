// What an API server finds wrong with the values of an object of a built-in kind. The file of its family, in families/, has the check of
// each kind; field.ts has the words in which problems are told, and the other files here what several kinds are made of. The order of
// problems is that of a server, where it has one: it looks at maps in a random order, this at the order of their keys.

import type { FieldError } from "../../requests/field-error.js"
import type { MapValue } from "../../value/value.js"
import { Field } from "./field.js"

/** Reports what is wrong with an object; `before` is the one that it takes the place of. */
export type KindCheck = (object: Field, before: Field | undefined) => void

/**
 * What the check of a kind finds wrong with the values of an object to be stored in the place of `before`, which is undefined if the
 * object is new; each problem once.
 */
export function problemsBy(check: KindCheck, object: MapValue, before: MapValue | undefined): readonly FieldError[] {
  const found: FieldError[] = []
  check(new Field(object, "", found), before && new Field(before, "", []))
  const isSame = (a: FieldError) => (b: FieldError) => a.field === b.field && a.message === b.message
  return found.filter((error, index) => found.findIndex(isSame(error)) === index)
}
