// What a validator reports, and the state of one validation.
import { formatGoJson } from "../../json/json.js"
import { quoteGo } from "../../value/quote.js"
import type { Value } from "../../value/value.js"

/**
 * The kinds of errors, as Kubernetes names them in the causes of a Status. Rules never find `FieldValueNotFound` and
 * `FieldValueTypeInvalid`, which handwritten validation has.
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

/** What Kubernetes' messages begin with. */
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

/** How far a rule has come: marked `alpha` or `beta`. */
export type StabilityLevel = "alpha" | "beta"

/** One thing that is wrong with an object. */
export interface FieldError {
  /** The kind of the error. */
  readonly type: FieldErrorType
  /** Where: `spec.ports[0].name`, `labels[app]`, "" for the object itself. */
  readonly field: string
  /** What is wrong. Empty where the type says all. */
  readonly detail: string
  /** Which rule says so: `maxLength`, `format=k8s-short-name`, `union`. Empty where the type says all. */
  readonly origin: string
  /** The value that is wrong, as Go writes it to JSON; "" where there is none to quote. */
  readonly badValue: Value
  /** The level of the rule, where it has one. */
  readonly level?: StabilityLevel
}

/** What a Status says of the error, in the message of its cause: `Invalid value: -1: must be greater than or equal to 0`. */
export function fieldErrorMessage({ type, badValue, detail }: FieldError): string {
  const parts: string[] = [errorKinds[type]]
  if (!valueless.has(type)) parts.push(printed(badValue))
  if (detail !== "") parts.push(detail)
  return parts.join(": ")
}

/** The errors whose messages do not have the value. */
const valueless: ReadonlySet<FieldErrorType> = new Set([
  "FieldValueForbidden",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooShort",
  "InternalError",
])

function printed(value: Value): string {
  if (typeof value === "string") return quoteGo(value)
  return formatGoJson(value, { sorted: false })
}

/** What the object is validated for. */
export interface ValidatorOptions {
  /** The options that `ifEnabled` and `ifDisabled` ask for, on or off. One that a rule asks for and that is not here is an error. */
  readonly options?: Readonly<Record<string, boolean>> | undefined
  /** The subresource the request is for: `status`, `scale`; none for the object itself. */
  readonly subresource?: string | undefined
}

/** Validates objects of one type. Made by `compileRules`. */
export interface Validator {
  /**
   * What is wrong with `next`, in the order in which upstream's generated code finds it; nothing for a valid object. With `old`,
   * `next` replaces that: what did not change is not checked again. Values that are not of their type count as absent, so validate
   * against a schema first.
   */
  validate(next: Value, old?: Value, options?: ValidatorOptions): FieldError[]
}

/** One validation: where it is, and what it has found. */
export class Run {
  /** Whether there is an old object. */
  readonly update: boolean
  readonly errors: FieldError[] = []
  readonly #path: (string | number)[] = []
  /**
   * Whether it is only asked if anything is wrong. Then it does not matter where errors are and in which order they come, so paths are
   * not kept, and fields are checked in the order of the object.
   */
  readonly quick: boolean
  readonly #options: Readonly<Record<string, boolean>>

  constructor(update: boolean, options: Readonly<Record<string, boolean>> = {}, quick = false) {
    this.update = update
    this.quick = quick
    this.#options = options
  }

  /** Goes to a part of the current value: `.name` of a field, the index of an item, `[key]` of a map. */
  enter(step: string | number): void {
    if (!this.quick) this.#path.push(step)
  }

  /** Goes back from there. */
  leave(): void {
    if (!this.quick) this.#path.pop()
  }

  /** Whether the current value is the object itself. */
  get atRoot(): boolean {
    return this.#path.length === 0
  }

  /** Whether the option is on, or undefined if nobody says. */
  option(name: string): boolean | undefined {
    return Object.hasOwn(this.#options, name) ? this.#options[name] : undefined
  }

  /** Adds an error at the current place, or at `step` below it. Returns false. */
  fail(type: FieldErrorType, badValue: Value, detail = "", origin = "", step: string | number = ""): false {
    this.errors.push({ type, field: formatPlace(this.#path, step), detail, origin, badValue })
    return false
  }

  /** Adds the error for an option that nobody has set. Returns false. */
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
