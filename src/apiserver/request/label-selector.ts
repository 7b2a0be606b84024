// Parses label selectors, with the messages of a real server about malformed ones.

import { badRequest, joinFieldErrors, type Problem } from "../../kinds/refusal/failure.js"
import { labelKey, labelValue } from "../../kinds/validation/names.js"
import { quoteGo } from "../../value/quote.js"

/** One requirement of a label selector. */
export interface LabelRequirement {
  readonly key: string
  readonly operator: "exists" | "!" | Operator
  readonly values: readonly string[]
}

const token = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)/y
const operators = ["in", "notin", "=", "==", "!=", ">", "<"] as const
type Operator = (typeof operators)[number]
const isOperator = (text: string): text is Operator => operators.some(operator => operator === text)
const isIdentifier = (text: string) => text !== "" && !/^[=!(),<>]/.test(text)

/** Returns the requirements of a selector. Throws a RequestFailure for a malformed selector. */
export function parseLabelSelector(text: string): LabelRequirement[] {
  const parser = new Parser(text)
  const requirements: LabelRequirement[] = []
  while (parser.peek() !== "") {
    const next = parser.peek()
    if (!isIdentifier(next) && next !== "!") throw badRequest(found(next, "!, identifier, or 'end of string'"))
    requirements.push(parser.requirement())
    const separator = parser.take()
    if (separator === "") break
    if (separator !== ",") throw badRequest(found(separator, "',' or 'end of string'"))
    const after = parser.peek()
    if (!isIdentifier(after) && after !== "!") throw badRequest(found(after, "identifier after ','"))
  }
  return requirements
}

class Parser {
  private readonly tokens: string[] = []
  private at = 0

  constructor(text: string) {
    token.lastIndex = 0
    for (let match = token.exec(text); match !== null; match = token.exec(text)) this.tokens.push(match[1] as string)
  }

  peek(): string {
    return this.tokens[this.at] ?? ""
  }

  take(): string {
    return this.tokens[this.at++] ?? ""
  }

  requirement(): LabelRequirement {
    const isAbsent = this.peek() === "!"
    if (isAbsent) this.take()
    const key = this.take()
    if (!isIdentifier(key)) throw inRequirement(found(key, "identifier"))
    check(problemsOf("<nil>", key, labelKey(key)))
    const isLast = this.peek() === "" || this.peek() === ","
    if (isAbsent || isLast) return { key, operator: isAbsent ? "!" : "exists", values: [] }
    const operator = this.take()
    if (!isOperator(operator)) throw inRequirement(found(operator, "in, notin, =, ==, !=, gt, lt"))
    const values = operator === "in" || operator === "notin" ? this.values() : [this.exactValue()]
    const comparesNumbers = operator === ">" || operator === "<"
    const problems = values.map((value, i) => [
      ...problemsOf(`values[${i}]`, value, comparesNumbers && !/^[-+]?\d{1,19}$/.test(value) ? [notInteger] : []),
      ...problemsOf(`values[${i}][${key}]`, value, labelValue(value)),
    ])
    check(problems.flat())
    return { key, operator, values }
  }

  private exactValue(): string {
    if (this.peek() === "" || this.peek() === ",") return ""
    const value = this.take()
    if (!isIdentifier(value)) throw inRequirement(found(value, "identifier"))
    return value
  }

  private values(): string[] {
    const open = this.take()
    if (open !== "(") throw inRequirement(`found '${open}' expected: '('`)
    const values: string[] = []
    let expectsValue = true
    for (;;) {
      const next = this.take()
      if (isIdentifier(next) && expectsValue) {
        values.push(next)
        expectsValue = false
      } else if (next === "," || next === ")") {
        if (expectsValue) values.push("")
        if (next === ")") return [...new Set(values)].sort()
        expectsValue = true
      } else if (expectsValue) {
        const first = values.length === 0
        throw inRequirement(found(next, first ? "',', ')' or identifier" : "',', or identifier"))
      } else throw inRequirement(found(next, "',' or ')'"))
    }
  }
}

type FieldProblem = Pick<Problem, "field" | "message">

const notInteger = "for 'Gt', 'Lt' operators, the value must be an integer"

function problemsOf(field: string, value: string, problems: readonly string[]): FieldProblem[] {
  return problems.length === 0 ? [] : [{ field, message: `Invalid value: ${quoteGo(value)}: ${problems.join("; ")}` }]
}

function check(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw inRequirement(joinFieldErrors(problems))
}

function found(text: string, expected: string): string {
  return `found '${text}', expected: ${expected}`
}

function inRequirement(problem: string) {
  return badRequest(`unable to parse requirement: ${problem}`)
}
