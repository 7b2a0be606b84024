// The results of validating a value: problems with their texts, and how many checks the value was put to.
import { formatGoJson } from "../../json/json.js"
import { goPrint } from "../../value/format.js"
import { formatFloat, formatNumber } from "../../value/number.js"
import { quoteGo } from "../../value/quote.js"
import type { Value } from "../../value/value.js"
import { type FieldError, fieldError, nowhere } from "../refusal/field-error.js"
import { newSteps, type Steps } from "./patterns.js"

/** A problem: the whole text, by which problems are told apart, and the cause that it becomes. */
export interface Finding {
  readonly text: string
  readonly error: FieldError
}

/** The work that is left for one object: steps, and characters of problems. */
export interface Budget extends Steps {
  text: number
}

/** How many problems of an object are told. */
const mostFindings = 10_000
const mostText = 4 * 1024 * 1024

/** The work for one object. */
export function newBudget(): Budget {
  return { ...newSteps(), text: mostText }
}

/** The result of checking a value against a schema. */
export class Result {
  private byText: Map<string, Finding> | undefined
  private failed = false
  private readonly budget: Budget
  /**
   * How many checks were made, which says how near a value came to one of several alternatives: an API server shows the problems
   * of that one.
   */
  matches = 0

  constructor(budget: Budget) {
    this.budget = budget
  }

  /** Whether nothing was found. */
  get isValid(): boolean {
    return !this.failed
  }

  get findings(): readonly Finding[] {
    return [...(this.byText?.values() ?? [])]
  }

  /** Notes that something was found. `describe` makes the finding, unless enough of them are told. */
  add(describe: () => Finding): void {
    this.failed = true
    if (this.budget.text < 0) return
    const finding = describe()
    this.budget.text -= finding.text.length
    this.put(finding)
  }

  merge(other: Result): void {
    this.failed ||= other.failed
    for (const finding of other.byText?.values() ?? []) this.put(finding)
    this.matches += other.matches
  }

  /** Forgets what was found. */
  clear(): void {
    this.byText = undefined
    this.failed = false
  }

  private put(finding: Finding): void {
    this.byText ??= new Map()
    if (this.byText.size < mostFindings && !this.byText.has(finding.text)) this.byText.set(finding.text, finding)
  }
}

/** The field that an error names: `path` without its first dot. */
function fieldOf(path: string): string {
  if (path === "" || path === ".") return nowhere
  return path.startsWith(".") ? path.slice(1) : path
}

function about(path: string, rest: string): string {
  return `${path} in body ${rest}`
}

/** A value that breaks a rule, with the words that say so. */
export function invalid(path: string, value: Value, rest: string): Finding {
  return wrong(path, value, about(path, rest))
}

/** As `invalid`, where the text does not begin with the path. */
export function wrong(path: string, value: Value, text: string): Finding {
  return { text, error: fieldError("FieldValueInvalid", fieldOf(path), value, text) }
}

/** A value of another type; `found` is the name of its own. */
export function wrongType(path: string, expected: string, found: string): Finding {
  const text = about(path, `must be of type ${expected}: ${quoteGo(found)}`)
  return { text, error: fieldError("FieldValueTypeInvalid", fieldOf(path), found, text) }
}

/** A field that is not there. */
export function missing(path: string): Finding {
  return { text: about(path, "is required"), error: fieldError("FieldValueRequired", fieldOf(path), undefined) }
}

/** A value that is not among those listed. */
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

/** A list or map that is too large; `what` is what the whole text counts. */
export function tooMany(path: string, size: number, most: number, what: "items" | "properties"): Finding {
  const detail = `must have at most ${most} ${most === 1 ? "item" : "items"}`
  const text = about(path, `should have at most ${most} ${what}`)
  return { text, error: fieldError("FieldValueTooMany", fieldOf(path), size, detail) }
}

/** A problem for which an API server names no field. */
export function general(text: string): Finding {
  return { text, error: fieldError("FieldValueInvalid", nowhere, "", text) }
}

/** The number as messages show a bound: an integer beside an integer, else a float. */
export function bound(value: Value, limit: number): string {
  return isWhole(value) ? formatNumber(Math.trunc(limit)) : formatFloat(limit)
}

/** Whether the value is an integer to Go. */
export function isWhole(value: Value): boolean {
  return typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value))
}
