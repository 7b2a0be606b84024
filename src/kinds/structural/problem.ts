// The results of validating a value: its problems, and the number of checks.
import { formatGoJson, type Parity } from "../../json/json.js"
import { goPrint } from "../../value/format.js"
import { formatFloat, formatNumber } from "../../value/number.js"
import { quoteGo } from "../../value/quote.js"
import type { Value } from "../../value/value.js"
import { type FieldError, fieldError, nowhere } from "../refusal/field-error.js"
import { newRegexBudget, type RegexBudget } from "./patterns.js"

/** A problem of a value by its schema: its whole text, which identifies it, and its cause in a Status. */
export interface SchemaProblem {
  readonly text: string
  readonly error: FieldError
}

/** The remaining work for one object: steps, and characters of problems. */
export interface Budget extends RegexBudget {
  text: number
  /** The release whose words the problems have. */
  readonly parity: Parity
}

/** The greatest number of reported problems of an object, and of their characters. */
const mostProblems = 10_000
const mostText = 4 * 1024 * 1024

/** Returns the budget for one object. */
export function newBudget(parity: Parity = "v6"): Budget {
  return { ...newRegexBudget(), text: mostText, parity }
}

/** The result of checking a value against a schema. */
export class Result {
  private byText: Map<string, SchemaProblem> | undefined
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

  get problems(): readonly SchemaProblem[] {
    return [...(this.byText?.values() ?? [])]
  }

  /** Adds a problem. `newProblem` is not called if too many problems have been reported. */
  add(newProblem: () => SchemaProblem): void {
    this.failed = true
    if (this.budget.text < 0) return
    const problem = newProblem()
    this.budget.text -= problem.text.length
    this.put(problem)
  }

  merge(other: Result): void {
    this.failed ||= other.failed
    for (const problem of other.byText?.values() ?? []) this.put(problem)
    this.matches += other.matches
  }

  /** Removes all problems. */
  clear(): void {
    this.byText = undefined
    this.failed = false
  }

  private put(problem: SchemaProblem): void {
    this.byText ??= new Map()
    if (this.byText.size < mostProblems && !this.byText.has(problem.text)) this.byText.set(problem.text, problem)
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

/** Returns the problem that a value breaks a rule. `rest` is the message after the path. */
export function invalid(path: string, value: Value, rest: string): SchemaProblem {
  return wrong(path, value, about(path, rest))
}

/** Like `invalid`, for a message that does not begin with the path. */
export function wrong(path: string, value: Value, text: string): SchemaProblem {
  return { text, error: fieldError("FieldValueInvalid", fieldOf(path), value, text) }
}

/** Returns the problem that a value has the wrong type. `actual` is the name of its type. */
export function wrongType(path: string, expected: string, actual: string): SchemaProblem {
  const text = about(path, `must be of type ${expected}: ${quoteGo(actual)}`)
  return { text, error: fieldError("FieldValueTypeInvalid", fieldOf(path), actual, text) }
}

/** Returns the problem that a required field is absent. */
export function missing(path: string): SchemaProblem {
  return { text: about(path, "is required"), error: fieldError("FieldValueRequired", fieldOf(path), undefined) }
}

/** Returns the problem that a value is not one of the supported values. */
export function unsupported(path: string, value: Value, supported: readonly Value[]): SchemaProblem {
  const listed = supported.map(one => quoteGo(typeof one === "string" ? one : formatGoJson(one)))
  const text = about(path, `should be one of ${goPrint(supported)}`)
  const detail = `supported values: ${listed.join(", ")}`
  return { text, error: fieldError("FieldValueNotSupported", fieldOf(path), value, detail) }
}

/** Returns the problem that a text is too long. */
export function tooLong(path: string, most: number): SchemaProblem {
  const detail = `may not be more than ${most} ${most === 1 ? "byte" : "bytes"}`
  const text = about(path, `should be at most ${most} chars long`)
  return { text, error: fieldError("FieldValueTooLong", fieldOf(path), undefined, detail) }
}

/** Returns the problem that a list or map is too large. `what` names its parts in the text. */
export function tooMany(path: string, size: number, most: number, what: "items" | "properties"): SchemaProblem {
  const detail = `must have at most ${most} ${most === 1 ? "item" : "items"}`
  const text = about(path, `should have at most ${most} ${what}`)
  return { text, error: fieldError("FieldValueTooMany", fieldOf(path), size, detail) }
}

/** Returns the problem that a list or map is too small. Only servers of 1.38, which has v7, have a reason for it. */
export function tooFew(
  path: string,
  size: number,
  least: number,
  what: "items" | "properties",
  parity: Parity,
): SchemaProblem {
  const rest = `should have at least ${least} ${what}`
  if (parity === "v6") return invalid(path, size, rest)
  const detail = `must have at least ${least} ${least === 1 ? "item" : "items"}`
  return { text: about(path, rest), error: fieldError("FieldValueTooFew", fieldOf(path), size, detail) }
}

/** Returns a problem for which an API server names no field. */
export function general(text: string): SchemaProblem {
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
