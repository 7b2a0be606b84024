// The results of validating a value: its problems, and the number of checks.
import { formatGoJson } from "../../json/json.js"
import { goPrint } from "../../value/format.js"
import { formatFloat, formatNumber } from "../../value/number.js"
import { quoteGo } from "../../value/quote.js"
import type { Value } from "../../value/value.js"
import { type FieldError, fieldError, nowhere } from "../refusal/field-error.js"
import { newSteps, type Steps } from "./patterns.js"

/** A problem: its whole text, which identifies it, and its cause in a Status. */
export interface Finding {
  readonly text: string
  readonly error: FieldError
}

/** The remaining work for one object: steps, and characters of problems. */
export interface Budget extends Steps {
  text: number
}

/** The greatest number of reported problems of an object, and of their characters. */
const mostFindings = 10_000
const mostText = 4 * 1024 * 1024

/** Returns the budget for one object. */
export function newBudget(): Budget {
  return { ...newSteps(), text: mostText }
}

/** The result of checking a value against a schema. */
export class Result {
  private byText: Map<string, Finding> | undefined
  private failed = false
  private readonly budget: Budget
  /**
   * The number of checks. It measures how closely a value matches one of several alternatives: an API server shows the problems of the
   * closest one.
   */
  matches = 0

  constructor(budget: Budget) {
    this.budget = budget
  }

  /** Whether the value has no problems. */
  get isValid(): boolean {
    return !this.failed
  }

  get findings(): readonly Finding[] {
    return [...(this.byText?.values() ?? [])]
  }

  /** Adds a problem. `newFinding` is not called if too many problems have been reported. */
  add(newFinding: () => Finding): void {
    this.failed = true
    if (this.budget.text < 0) return
    const finding = newFinding()
    this.budget.text -= finding.text.length
    this.put(finding)
  }

  merge(other: Result): void {
    this.failed ||= other.failed
    for (const finding of other.byText?.values() ?? []) this.put(finding)
    this.matches += other.matches
  }

  /** Removes all problems. */
  clear(): void {
    this.byText = undefined
    this.failed = false
  }

  private put(finding: Finding): void {
    this.byText ??= new Map()
    if (this.byText.size < mostFindings && !this.byText.has(finding.text)) this.byText.set(finding.text, finding)
  }
}

/** Returns the field that an error names: `path` without its first dot. */
function fieldOf(path: string): string {
  if (path === "" || path === ".") return nowhere
  return path.startsWith(".") ? path.slice(1) : path
}

function about(path: string, rest: string): string {
  return `${path} in body ${rest}`
}

/** A value that breaks a rule. `rest` is the message after the path. */
export function invalid(path: string, value: Value, rest: string): Finding {
  return wrong(path, value, about(path, rest))
}

/** Like `invalid`, for a message that does not begin with the path. */
export function wrong(path: string, value: Value, text: string): Finding {
  return { text, error: fieldError("FieldValueInvalid", fieldOf(path), value, text) }
}

/** A value of the wrong type. `actual` is the name of its type. */
export function wrongType(path: string, expected: string, actual: string): Finding {
  const text = about(path, `must be of type ${expected}: ${quoteGo(actual)}`)
  return { text, error: fieldError("FieldValueTypeInvalid", fieldOf(path), actual, text) }
}

/** A required field that is absent. */
export function missing(path: string): Finding {
  return { text: about(path, "is required"), error: fieldError("FieldValueRequired", fieldOf(path), undefined) }
}

/** A value that is not one of the supported values. */
export function unsupported(path: string, value: Value, supported: readonly Value[]): Finding {
  const listed = supported.map(one => quoteGo(typeof one === "string" ? one : formatGoJson(one)))
  const text = about(path, `should be one of ${goPrint(supported)}`)
  const detail = `supported values: ${listed.join(", ")}`
  return { text, error: fieldError("FieldValueNotSupported", fieldOf(path), value, detail) }
}

/** A text that is too long. */
export function tooLong(path: string, most: number): Finding {
  const detail = `may not be more than ${most} ${most === 1 ? "byte" : "bytes"}`
  const text = about(path, `should be at most ${most} chars long`)
  return { text, error: fieldError("FieldValueTooLong", fieldOf(path), undefined, detail) }
}

/** A list or map that is too large. `what` names its parts in the text. */
export function tooMany(path: string, size: number, most: number, what: "items" | "properties"): Finding {
  const detail = `must have at most ${most} ${most === 1 ? "item" : "items"}`
  const text = about(path, `should have at most ${most} ${what}`)
  return { text, error: fieldError("FieldValueTooMany", fieldOf(path), size, detail) }
}

/** A problem for which an API server names no field. */
export function general(text: string): Finding {
  return { text, error: fieldError("FieldValueInvalid", nowhere, "", text) }
}

/** Formats a bound for a message about `value`: as an integer if the value is an integer, otherwise as a float. */
export function bound(value: Value, limit: number): string {
  return isWhole(value) ? formatNumber(Math.trunc(limit)) : formatFloat(limit)
}

/** Whether Go reads the value as an integer. */
export function isWhole(value: Value): boolean {
  return typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value))
}
