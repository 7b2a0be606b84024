/** Compares our errors with those of code that validation-gen wrote. */
import { formatGoJson } from "../../src/json/json.js"
import type { FieldError, StabilityLevel, Validator } from "../../src/validation/rules/report.js"
import type { Value } from "../../src/value/value.js"

/** A question about a type of a package (`tag`), and the answer of the generated code. */
export interface Answer {
  readonly tag: string
  readonly type: string
  readonly new: Value
  readonly old: Value
  readonly options?: Readonly<Record<string, boolean>>
  readonly subresources?: readonly string[]
  readonly errors: readonly Described[]
  /** Whether Go returns the errors in another order each time. */
  readonly unordered?: boolean
}

/** A recorded error. Its bad value is JSON. */
export interface Described {
  readonly type: string
  readonly field: string
  readonly detail: string
  readonly origin: string
  readonly badValue: string
  readonly level?: StabilityLevel
}

/** Returns the errors that a validator finds. */
export function answerTo({ new: next, old, options, subresources = [] }: Answer, validator: Validator): Described[] {
  const subresource = subresources.join("/")
  return validator.validate(next, old, { ...(options && { options }), subresource }).map(describeError)
}

function describeError({ badValue, level, ...error }: FieldError): Described {
  return { ...error, badValue: formatGoJson(badValue, { sorted: false }), ...(level && { level }) }
}

/** Returns the recorded answer and that of `ask`; undefined if they are the same. */
export function differenceOf(answer: Answer, ask: () => readonly Described[]): unknown {
  const linesOf = (errors: readonly Described[]) => {
    const lines = errors.map(({ type, field, detail, origin, badValue, level = "" }) =>
      [type, field, detail, origin, badValue, level].join(" | "),
    )
    return answer.unordered ? lines.sort() : lines
  }
  let got: string[]
  try {
    got = linesOf(ask())
  } catch (error) {
    got = [String(error)]
  }
  const want = linesOf(answer.errors)
  return JSON.stringify(got) === JSON.stringify(want) ? undefined : { ...answer, errors: want, got }
}
