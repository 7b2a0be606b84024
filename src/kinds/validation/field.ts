// The fields of an object as validators look at them: a value with its path, and where the problems of it go.

import { equalValues } from "../../value/equal.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import { isList, isMap, type Value } from "../../value/value.js"
import { type FieldError, fieldError } from "../refusal/field-error.js"

/** What is wrong with a text, in an API server's words; none if nothing is. */
export type TextCheck = (text: string) => readonly string[]

/** How many problems of an object are told. */
export const mostProblems = 10_000

/** A field of an object, present or not. Its methods that report a problem add it to the list of the object. */
export class Field {
  /** Undefined if the field is absent. */
  readonly value: Value | undefined
  /** As errors name it: `spec.ports[0].name`. */
  readonly path: string
  private readonly found: FieldError[]

  constructor(value: Value | undefined, path: string, found: FieldError[]) {
    this.value = value
    this.path = path
    this.found = found
  }

  /** The field below this one that the names lead to. */
  at(...names: string[]): Field {
    let field: Field = this
    for (const name of names) {
      const value = isMap(field.value) ? own(field.value, name) : undefined
      field = new Field(value, field.path === "" ? name : `${field.path}.${name}`, this.found)
    }
    return field
  }

  /** The value of a map at this key. */
  key(key: string): Field {
    return new Field(isMap(this.value) ? own(this.value, key) : undefined, `${this.path}[${key}]`, this.found)
  }

  /** The same path with another value. */
  holding(value: Value | undefined): Field {
    return new Field(value, this.path, this.found)
  }

  /** The items of a list. */
  items(): Field[] {
    const { value } = this
    return isList(value) ? value.map((item, index) => new Field(item, `${this.path}[${index}]`, this.found)) : []
  }

  /** The values of a map with their keys. */
  entries(): (readonly [key: string, field: Field])[] {
    const { value } = this
    if (!isMap(value)) return []
    return Object.keys(value).map(key => [key, this.key(key)])
  }

  /** Whether there is a value other than null. */
  get isSet(): boolean {
    return this.value !== undefined && this.value !== null
  }

  /** The text; "" if there is none. */
  get text(): string {
    return typeof this.value === "string" ? this.value : ""
  }

  /** The number; 0 if there is none. */
  get number(): number {
    return typeof this.value === "number" || typeof this.value === "bigint" ? Number(this.value) : 0
  }

  /** How many items a list or map has; 0 if there is none. */
  get size(): number {
    if (isList(this.value)) return this.value.length
    return isMap(this.value) ? Object.keys(this.value).length : 0
  }

  /** How many problems the object has so far. */
  get problems(): number {
    return this.found.length
  }

  /** Adds a problem, unless the object has enough of them: nobody reads so many. */
  private report(reason: FieldError["reason"], value: Value | undefined, detail = "", isStruct = false): void {
    if (this.found.length < mostProblems) this.found.push(fieldError(reason, this.path, value, detail, isStruct))
  }

  required(detail = ""): void {
    this.report("FieldValueRequired", undefined, detail)
  }

  forbidden(detail: string): void {
    this.report("FieldValueForbidden", undefined, detail)
  }

  /** `struct` is what the message shows, if that is not the value of the field. */
  invalid(detail: string, struct?: Value): void {
    const value = struct ?? this.value ?? null
    this.report("FieldValueInvalid", value, detail, struct !== undefined)
  }

  /** As `invalid`, for values that messages do not show. */
  invalidUnseen(detail: string): void {
    this.report("FieldValueInvalid", undefined, detail)
  }

  /** `struct` is what the message shows, if that is not the value of the field. */
  duplicate(struct?: Value): void {
    const value = struct ?? this.value ?? null
    this.report("FieldValueDuplicate", value, "", struct !== undefined)
  }

  notFound(): void {
    this.report("FieldValueNotFound", this.value ?? "")
  }

  tooLong(most: number): void {
    this.report("FieldValueTooLong", undefined, `may not be more than ${most} bytes`)
  }

  notSupported(supported: readonly string[]): void {
    const detail = `supported values: ${supported.map(quoteGo).join(", ")}`
    this.report("FieldValueNotSupported", this.value ?? "", detail)
  }

  /** Reports a text that is not one of those supported. */
  oneOf(supported: readonly string[]): void {
    if (!supported.includes(this.text)) this.notSupported(supported)
  }

  /** As `oneOf`, but reports an empty text as a value that is required. */
  requiredOneOf(supported: readonly string[]): void {
    if (this.text === "") this.required()
    else this.oneOf(supported)
  }

  /** Reports what the check finds in the text. */
  check(check: TextCheck): void {
    for (const message of check(this.text)) this.invalid(message, this.text)
  }

  /** Reports a text that is empty, or what the check finds in it. */
  requiredAnd(check: TextCheck): void {
    if (this.text === "") this.required()
    else this.check(check)
  }

  notNegative(): void {
    if (this.number < 0) this.invalid("must be greater than or equal to 0")
  }

  /** Reports a number outside the range. */
  between(least: number, most: number): void {
    if (this.number < least || this.number > most)
      this.invalid(`must be between ${least} and ${most}, inclusive`, this.number)
  }

  /** Reports a text that was among those seen before; adds it to them otherwise. */
  unique(seen: Set<string>): void {
    if (seen.has(this.text)) this.duplicate()
    else seen.add(this.text)
  }

  /** Reports a value other than that of the field before. `struct` is what the message shows, if that is not the value. */
  immutable(before: Field, struct?: Value): void {
    if (!this.equals(before)) this.invalid("field is immutable", struct)
  }

  /** Whether both fields have the same value. */
  equals(other: Field): boolean {
    return equalValues(this.value ?? null, other.value ?? null)
  }
}
