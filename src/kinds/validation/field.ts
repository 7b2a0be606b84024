// The fields of an object as validation sees them: a value with its path, and the list to which its problems are added.

import { equalValues } from "../../value/equal.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { type FieldError, fieldError } from "../refusal/field-error.js"

/** Returns the problems of a text, in an API server's words. */
export type TextCheck = (text: string) => readonly string[]

/** The greatest number of reported problems of an object. */
const mostProblems = 10_000

/** A field of an object, present or absent. Methods that report a problem add it to the list of the object. */
export class Field {
  /** Undefined if the field is absent. */
  readonly value: Value | undefined
  /** The path in errors: `spec.ports[0].name`. */
  readonly path: string
  private readonly errors: FieldError[]

  constructor(value: Value | undefined, path: string, errors: FieldError[]) {
    this.value = value
    this.path = path
    this.errors = errors
  }

  /** Returns the field below this one that the names lead to. */
  at(...names: string[]): Field {
    let field: Field = this
    for (const name of names) {
      const value = isMap(field.value) ? own(field.value, name) : undefined
      field = new Field(value, field.path === "" ? name : `${field.path}.${name}`, this.errors)
    }
    return field
  }

  /** Returns the entry of a map at this key. */
  key(key: string): Field {
    return new Field(isMap(this.value) ? own(this.value, key) : undefined, `${this.path}[${key}]`, this.errors)
  }

  /** Returns a field with the same path and another value. */
  holding(value: Value | undefined): Field {
    return new Field(value, this.path, this.errors)
  }

  /** Returns the items of a list. */
  items(): Field[] {
    const { value } = this
    return isList(value) ? value.map((item, index) => new Field(item, `${this.path}[${index}]`, this.errors)) : []
  }

  /** Returns the entries of a map with their keys. */
  entries(): (readonly [key: string, field: Field])[] {
    const { value } = this
    if (!isMap(value)) return []
    return Object.keys(value).map(key => [key, this.key(key)])
  }

  /** Whether the field has a value other than null. */
  get isSet(): boolean {
    return this.value !== undefined && this.value !== null
  }

  /** The value, if it is a string; otherwise "". */
  get text(): string {
    return typeof this.value === "string" ? this.value : ""
  }

  /** The value, if it is a number; otherwise 0. */
  get number(): number {
    return typeof this.value === "number" || typeof this.value === "bigint" ? Number(this.value) : 0
  }

  /** The value, if it is a map; otherwise an empty one. */
  get map(): MapValue {
    const { value = null } = this
    return isMap(value) ? value : {}
  }

  /** The number of items of a list or map; 0 for other values. */
  get size(): number {
    if (isList(this.value)) return this.value.length
    return isMap(this.value) ? Object.keys(this.value).length : 0
  }

  /** The number of problems of the object so far. */
  get problems(): number {
    return this.errors.length
  }

  /** Adds a problem, unless the object has too many already. */
  private report(reason: FieldError["reason"], value: Value | undefined, detail = "", isStruct = false): void {
    if (this.errors.length < mostProblems) this.errors.push(fieldError(reason, this.path, value, detail, isStruct))
  }

  required(detail = ""): void {
    this.report("FieldValueRequired", undefined, detail)
  }

  forbidden(detail: string): void {
    this.report("FieldValueForbidden", undefined, detail)
  }

  /** The message shows `struct`, or the value of the field if `struct` is undefined. */
  invalid(detail: string, struct?: Value): void {
    const value = struct === undefined ? (this.value ?? null) : struct
    this.report("FieldValueInvalid", value, detail, struct !== undefined)
  }

  /** Like `invalid`, for values that messages do not show. */
  invalidUnseen(detail: string): void {
    this.report("FieldValueInvalid", undefined, detail)
  }

  /** The message shows `struct`, or the value of the field if `struct` is undefined. */
  duplicate(struct?: Value, detail = ""): void {
    const value = struct === undefined ? (this.value ?? null) : struct
    this.report("FieldValueDuplicate", value, detail, struct !== undefined)
  }

  notFound(): void {
    this.report("FieldValueNotFound", this.value ?? "")
  }

  tooLong(most: number): void {
    this.report("FieldValueTooLong", undefined, `may not be more than ${most} bytes`)
  }

  notSupported(supported: readonly string[]): void {
    const detail = `supported values: ${supported.map(quoteGo).join(", ")}`
    this.report("FieldValueNotSupported", this.value === undefined ? "" : this.value, detail)
  }

  /** Reports an empty text as a missing value. */
  requireText(detail = ""): void {
    if (this.text === "") this.required(detail)
  }

  /** Reports a text that is not supported. */
  oneOf(supported: readonly string[]): void {
    if (!supported.includes(this.text)) this.notSupported(supported)
  }

  /** Like `oneOf`, but an absent field is fine. */
  oneOfIfSet(supported: readonly string[]): void {
    if (this.isSet) this.oneOf(supported)
  }

  /** Like `oneOf`, but reports an empty text as a missing value. */
  requiredOneOf(supported: readonly string[]): void {
    if (this.text === "") this.required()
    else this.oneOf(supported)
  }

  /** Reports the problems that the check finds. */
  check(check: TextCheck): void {
    for (const message of check(this.text)) this.invalid(message, this.text)
  }

  /** Reports the problems that the check finds as one, with `between` between them. */
  checkAsOne(check: TextCheck, between: string): void {
    const messages = check(this.text)
    if (messages.length > 0) this.invalid(messages.join(between), this.text)
  }

  /** Reports an empty text, or the problems that the check finds. */
  requiredAnd(check: TextCheck, detail = ""): void {
    if (this.text === "") this.required(detail)
    else this.check(check)
  }

  /** Reports the problems that the check finds in a text, unless it is empty. */
  checkIfGiven(check: TextCheck): void {
    if (this.text !== "") this.check(check)
  }

  /** Reports a list or a map with too many items. Returns whether it has. */
  tooMany(most: number): boolean {
    if (this.size <= most) return false
    this.report("FieldValueTooMany", this.size, `must have at most ${most} item${most === 1 ? "" : "s"}`)
    return true
  }

  /** Reports a list with `*` and other items, which the message calls `what`. Returns whether the list has `*`. */
  wildcardAlone(what: string): boolean {
    const hasWildcard = this.items().some(({ text }) => text === "*")
    if (hasWildcard && this.size > 1) this.invalid(`if '*' is present, must not specify other ${what}`)
    return hasWildcard
  }

  notNegative(): void {
    if (this.number < 0) this.invalid("must be greater than or equal to 0")
  }

  /** Reports a number outside the range. */
  between(least: number, most: number): void {
    if (this.number < least || this.number > most)
      this.invalid(`must be between ${least} and ${most}, inclusive`, this.number)
  }

  /** Reports a text that is in `seen`; otherwise adds it. */
  unique(seen: Set<string>): void {
    if (seen.has(this.text)) this.duplicate()
    else seen.add(this.text)
  }

  /** Reports a value that differs from the one of `before`. The message shows `struct`, or the value if `struct` is undefined. */
  immutable(before: Field, struct?: Value): void {
    if (this.equals(before) || this.errors.length >= mostProblems) return
    const value = struct === undefined ? (this.value ?? null) : struct
    const error = fieldError("FieldValueInvalid", this.path, value, "field is immutable", struct !== undefined)
    this.errors.push({ ...error, origin: "immutable" })
  }

  /** Whether both fields have the same value. */
  equals(other: Field): boolean {
    return equalValues(this.value ?? null, other.value ?? null)
  }
}
