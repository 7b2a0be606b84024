// Conditions on the fields of a struct: which of them are set, and which texts some of them hold. Unions are written in this part of CEL
// and of JSON Schema. cel.ts and keywords.ts read conditions; this file evaluates them in states.

/** A condition, or a part of one that is a string or a number. */
export type Condition =
  | { readonly kind: "literal"; readonly value: boolean | number | string }
  | { readonly kind: "has"; readonly field: string }
  /** The text in the field. */
  | { readonly kind: "text"; readonly field: string }
  | { readonly kind: "not"; readonly part: Condition }
  | { readonly kind: "and" | "or" | "sum"; readonly parts: readonly Condition[] }
  | { readonly kind: "if"; readonly test: Condition; readonly yes: Condition; readonly no: Condition }
  | { readonly kind: "compare"; readonly operator: Operator; readonly left: Condition; readonly right: Condition }
  /** The number of parts that hold. */
  | { readonly kind: "count"; readonly parts: readonly Condition[] }

export type Operator = "==" | "!=" | "<" | "<=" | ">" | ">="

/** The texts of all fields that are set. A field has the text `something` if only its presence matters; absent fields are missing. */
export type State = ReadonlyMap<string, string>

/** A text that differs from all texts in a condition. */
export const something = "\u0000something"

/** Thrown if a condition can't be read, because it states something that no union states. The message is the reason. */
export class Unreadable extends Error {}

/** Whether the condition holds. A condition that fails to evaluate does not hold. */
export function holds(condition: Condition, state: State): boolean {
  return evaluate(condition, state) === true
}

/** Returns the value; undefined for an error. As in CEL, `false && error` is false and `true || error` is true, in either order. */
function evaluate(condition: Condition, state: State): boolean | number | string | undefined {
  switch (condition.kind) {
    case "literal":
      return condition.value
    case "has":
      return state.has(condition.field)
    case "text":
      return state.get(condition.field)
    case "not": {
      const value = evaluate(condition.part, state)
      return typeof value === "boolean" ? !value : undefined
    }
    case "and":
    case "or":
      return junction(condition.parts, state, condition.kind === "or")
    case "if": {
      const test = evaluate(condition.test, state)
      return typeof test === "boolean" ? evaluate(test ? condition.yes : condition.no, state) : undefined
    }
    case "compare":
      return compare(condition.operator, evaluate(condition.left, state), evaluate(condition.right, state))
    case "sum":
      return total(condition.parts.map(part => evaluate(part, state)))
    case "count":
      return total(
        condition.parts.map(part => {
          const value = evaluate(part, state)
          return typeof value === "boolean" ? Number(value) : undefined
        }),
      )
  }
}

function junction(parts: readonly Condition[], state: State, decides: boolean): boolean | undefined {
  const values = parts.map(part => evaluate(part, state))
  if (values.includes(decides)) return decides
  return values.every(value => value === !decides) ? !decides : undefined
}

function total(values: readonly (boolean | number | string | undefined)[]): number | undefined {
  let sum = 0
  for (const value of values) {
    if (typeof value !== "number") return undefined
    sum += value
  }
  return sum
}

type Scalar = boolean | number | string | undefined

function compare(operator: Operator, left: Scalar, right: Scalar): boolean | undefined {
  if (left === undefined || right === undefined || typeof left !== typeof right) return undefined
  if (operator === "==") return left === right
  if (operator === "!=") return left !== right
  if (typeof left !== "number" || typeof right !== "number") return undefined
  if (operator === "<") return left < right
  if (operator === "<=") return left <= right
  return operator === ">" ? left > right : left >= right
}

/**
 * Throws Unreadable for a condition that can't be evaluated in states: one that uses a field in any other way than comparing its text with
 * a constant.
 */
export function checkTypes(condition: Condition): void {
  expectType(condition, "boolean")
}

type TypeName = "boolean" | "number" | "string"

function expectType(condition: Condition, type: TypeName): void {
  if (conditionType(condition) !== type)
    throw new Unreadable("it uses a field for something other than comparing its text")
}

function conditionType(condition: Condition): TypeName {
  switch (condition.kind) {
    case "literal":
      return typeof condition.value as TypeName
    case "has":
      return "boolean"
    case "text":
      return "string"
    case "not":
      expectType(condition.part, "boolean")
      return "boolean"
    case "and":
    case "or":
    case "count":
      for (const part of condition.parts) expectType(part, "boolean")
      return condition.kind === "count" ? "number" : "boolean"
    case "sum":
      for (const part of condition.parts) expectType(part, "number")
      return "number"
    case "if":
      expectType(condition.test, "boolean")
      expectType(condition.no, conditionType(condition.yes))
      return conditionType(condition.no)
    case "compare": {
      const { operator, left, right } = condition
      const type = conditionType(left)
      expectType(right, type)
      const equality = operator === "==" || operator === "!="
      if (!equality && type !== "number") throw new Unreadable("it orders values")
      const variable = left.kind !== "literal" && right.kind !== "literal"
      if (type === "string" && variable) throw new Unreadable("it compares fields with each other")
      return "boolean"
    }
  }
}

/** Returns the parts of a condition, starting with itself. */
export function partsOf(condition: Condition): Condition[] {
  switch (condition.kind) {
    case "not":
      return [condition, ...partsOf(condition.part)]
    case "and":
    case "or":
    case "sum":
    case "count":
      return [condition, ...condition.parts.flatMap(partsOf)]
    case "if":
      return [condition, ...partsOf(condition.test), ...partsOf(condition.yes), ...partsOf(condition.no)]
    case "compare":
      return [condition, ...partsOf(condition.left), ...partsOf(condition.right)]
    default:
      return [condition]
  }
}
