// The errors that a validator reports, and the state of one validation.
import { formatGoJson } from "../../json/json.js"
import { formatNumber } from "../../value/number.js"
import { quoteGo } from "../../value/quote.js"
import type { Value } from "../../value/value.js"

/**
 * The types of errors, as Kubernetes names them in the causes of a Status. Rules never report `FieldValueNotFound` or
 * `FieldValueTypeInvalid`; handwritten validation does.
 */
export type FieldErrorType =
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueInvalid"
  | "FieldValueNotFound"
  | "FieldValueNotSupported"
  | "FieldValueRequired"
  | "FieldValueTooFew"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTooShort"
  | "FieldValueTypeInvalid"
  | "InternalError"

/** The first words of Kubernetes' messages, by the type of the error. */
export const errorKinds: Readonly<Record<FieldErrorType, string>> = {
  FieldValueDuplicate: "Duplicate value",
  FieldValueForbidden: "Forbidden",
  FieldValueInvalid: "Invalid value",
  FieldValueNotFound: "Not found",
  FieldValueNotSupported: "Unsupported value",
  FieldValueRequired: "Required value",
  FieldValueTooFew: "Too few",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  FieldValueTooShort: "Too short",
  FieldValueTypeInvalid: "Invalid value",
  InternalError: "Internal error",
}

/** The maturity of a rule that is marked `alpha` or `beta`. */
export type StabilityLevel = "alpha" | "beta"

/** One error in an object. */
export interface FieldError {
  /** The type of the error. */
  readonly type: FieldErrorType
  /** The path of the value: `spec.ports[0].name`, `labels[app]`, "" for the object itself. */
  readonly field: string
  /** The problem. Empty if the type of the error says everything. */
  readonly detail: string
  /** The rule that was violated: `maxLength`, `format=k8s-short-name`, `union`. Empty if the type of the error says everything. */
  readonly origin: string
  /** The invalid value, as Go writes it to JSON; "" if there is nothing to quote. */
  readonly badValue: Value
  /** The stability level of the rule, if it has one. */
  readonly level?: StabilityLevel
}

/** Returns the message that a Status gives for the error in its causes: `Invalid value: -1: must be greater than or equal to 0`. */
export function fieldErrorMessage({ type, badValue, detail }: FieldError): string {
  return errorMessage(type, valueless.has(type) ? undefined : badValue, detail)
}

/** Returns a message of this type, which shows `value` unless it is undefined. `sorted` says whether to sort the keys of maps. */
export function errorMessage(type: FieldErrorType, value: Value | undefined, detail: string, sorted = false): string {
  const parts: string[] = [errorKinds[type]]
  if (value !== undefined) parts.push(shownValue(value, sorted))
  if (detail !== "") parts.push(detail)
  return parts.join(": ")
}

/** The types of errors whose messages do not quote the value. */
const valueless: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueForbidden",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooShort",
  "InternalError",
])

function shownValue(value: Value, sorted: boolean): string {
  if (typeof value === "string") return quoteGo(value)
  if (typeof value === "number" || typeof value === "bigint") return formatNumber(value)
  return formatGoJson(value, { sorted })
}

/** Options of one validation. */
export interface ValidatorOptions {
  /**
   * The options that `ifEnabled` and `ifDisabled` depend on, on or off. If a rule needs an option that is missing here, that is an error.
   */
  readonly options?: Readonly<Record<string, boolean>> | undefined
  /** The subresource of the request: `status` or `scale`; absent for the object itself. */
  readonly subresource?: string | undefined
}

/** Validates objects of one type. Made by `compileRules`. */
export interface Validator {
  /**
   * Returns the errors of `next`, in the order in which upstream's generated code finds them; an empty list if the object is valid. If
   * `old` is given, `next` replaces it, and unchanged values are not checked again. Values that do not have the type of their field count
   * as absent, so validate against a schema first.
   */
  validate(next: Value, old?: Value, options?: ValidatorOptions): FieldError[]
}

/** The state of one validation: the current path and the errors so far. */
export class Run {
  /** Whether there is an old object. */
  readonly update: boolean
  readonly errors: FieldError[] = []
  private readonly path: (string | number)[] = []
  /**
   * Whether the caller only wants to know if there are errors. Their paths and order then do not matter, so no path is kept, and fields are
   * checked in the order of the object.
   */
  readonly quick: boolean
  private readonly options: Readonly<Record<string, boolean>>

  constructor(update: boolean, options: Readonly<Record<string, boolean>> = {}, quick = false) {
    this.update = update
    this.quick = quick
    this.options = options
  }

  /** Enters a part of the current value: `.name` for a field, an index for an item, `[key]` for a map. */
  enter(step: string | number): void {
    if (!this.quick) this.path.push(step)
  }

  /** Returns to the parent of the current value. */
  leave(): void {
    if (!this.quick) this.path.pop()
  }

  /** Whether the current value is the object itself. */
  get atRoot(): boolean {
    return this.path.length === 0
  }

  /** Whether the option is on; undefined if it was not given. */
  option(name: string): boolean | undefined {
    return Object.hasOwn(this.options, name) ? this.options[name] : undefined
  }

  /** Adds an error at the current path, or at `step` below it. Returns false. */
  fail(type: FieldErrorType, badValue: Value, detail = "", origin = "", step: string | number = ""): false {
    this.errors.push({ type, field: formatPlace(this.path, step), detail, origin, badValue })
    return false
  }

  /** Adds the error for an option that was not given. Returns false. */
  failOption(name: string): false {
    return this.fail("InternalError", {}, `undefined validation option "${name}"`)
  }

  /** Marks the errors from index `from` on. */
  mark(level: StabilityLevel, from: number): void {
    for (let i = from; i < this.errors.length; i++) this.errors[i] = { ...(this.errors[i] as FieldError), level }
  }
}

function formatPlace(path: readonly (string | number)[], step: string | number): string {
  let text = ""
  for (const part of [...path, step]) text += typeof part === "number" ? `[${part}]` : part
  return text.startsWith(".") ? text.slice(1) : text
}
