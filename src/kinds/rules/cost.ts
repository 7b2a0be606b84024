// The costs of rules. A server stops a rule that costs too much, and all rules of an object once they cost too much together. Costs are
// counted nearly as in cel-go: one for each step, ten for a new list, and more for functions that go through texts and lists.
//
// The library does not count costs. Therefore a counting function, which sees the values of a node and of its parts, replaces the `evaluate` of
// each node of a compiled expression.

import { oncePer } from "../../value/once-per.js"
import { newRegexBudget, type RegexBudget } from "../structural/patterns.js"

/** A real server's limits for one rule, and for all rules of an object. */
const mostOfRule = 1_000_000
export const mostOfObject = 10_000_000

/** The value or the error of an expression, and its cost. */
export interface Evaluation {
  readonly value?: unknown
  readonly error?: unknown
  readonly cost: number
}

/** The error of an expression that costs more than a server allows. */
export class TooExpensive extends Error {
  constructor() {
    super("operation cancelled: actual cost limit exceeded")
  }
}

/** Counts the costs of the rules of one object. */
export class CostMeter {
  /** The remaining steps for regular expressions, in all rules of the object. */
  readonly regexBudget: RegexBudget = newRegexBudget()
  /** The values of nodes whose parents are not evaluated yet, the innermost last. */
  readonly values: unknown[] = []
  private cost = 0

  /** Runs an expression whose nodes are counted. Its error is a TooExpensive if it costs too much. */
  run(expression: () => unknown): Evaluation {
    running = this
    this.cost = 0
    this.values.length = 0
    try {
      const value = expression()
      // Macros and logical operators ignore the failure of a part.
      this.spend(0)
      return { value, cost: this.cost }
    } catch (error) {
      return { error: this.cost > mostOfRule ? new TooExpensive() : error, cost: this.cost }
    }
  }

  /** Adds to the cost of the running expression. Throws a TooExpensive if it costs too much. */
  spend(more: number): void {
    this.cost += more
    if (this.cost > mostOfRule) this.stop()
  }

  /** Stops the running expression. */
  stop(): never {
    this.cost = Number.POSITIVE_INFINITY
    throw new TooExpensive()
  }
}

let running = new CostMeter()

/** Returns the meter of the running expression. Expressions and functions need it, because all objects share them. */
export function runningMeter(): CostMeter {
  return running
}

/** The properties of the library's nodes that are used here. */
export interface Node {
  readonly op: string
  readonly args: unknown
  readonly pos: number
  readonly checkedType?: { readonly name: string }
  readonly meta: {
    readonly alternate?: Node
    readonly macro?: { readonly args?: unknown; readonly macroHasProps?: readonly Node[] }
  }
  evaluate: (evaluator: unknown, ast: unknown, context: unknown) => unknown
}

/** Makes the nodes of an expression count their costs. The expression must have been checked. */
export function count(root: unknown): void {
  forEachNode(root, countNode)
}

/** Returns the operands of a node, or the arguments of a call. */
export function nodesIn(node: Node): Node[] {
  const prototype = Object.getPrototypeOf(node)
  const parts = Array.isArray(node.args) ? node.args.flat(Number.POSITIVE_INFINITY) : [node.args]
  return parts.filter((part): part is Node => Object.getPrototypeOf(part ?? 0) === prototype)
}

/** Visits the nodes of an expression, macros expanded, with the cost of each that its surroundings add. */
export function forEachNode(root: unknown, visit: (node: Node, more: number) => void): void {
  const prototype = Object.getPrototypeOf(root)
  const isNode = (value: unknown): value is Node => Object.getPrototypeOf(value ?? 0) === prototype
  const ofItems = new Map<Node, number>()
  const pending: unknown[] = [root]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (Array.isArray(next)) for (const part of next) pending.push(part)
    else if (isNode(next)) {
      visit(next, ofItems.get(next) ?? 0)
      pending.push(next.args, next.meta.alternate ?? [], next.meta.macro?.args ?? [])
    } else if (isComprehension(next)) {
      ofItems.set(next.step, next.condition === undefined ? eachItem : eachCondition)
      pending.push(next.iterable, next.init, next.step)
    }
  }
}

/** A macro such as `all`, which evaluates `step` for each item of a list. */
export interface Comprehension {
  readonly iterVarName: string
  readonly iterable: Node
  readonly init: Node
  readonly step: Node
  /** Whether to continue, for macros that may skip the rest of the list. */
  readonly condition?: unknown
}

export function isComprehension(value: unknown): value is Comprehension {
  return typeof value === "object" && value !== null && "iterable" in value && "step" in value
}

/** The cost of each item of a list, without the cost of the step. */
const eachItem = 1
const eachCondition = 3
/** The library makes a message for each failure, which marks the position in the expression. */
const newFailure = 20
const newList = 10
const newMap = 30

/** Makes a node count its cost, plus `more` each time. */
function countNode(node: Node, more: number): void {
  const fixed = fixedCost(node)
  let evaluate = node.evaluate
  const counted = (evaluator: unknown, ast: unknown, context: unknown): unknown => {
    const meter = running
    const { values } = meter
    const before = values.length
    meter.spend(more + (fixed ?? 0))
    let value: unknown
    try {
      value = evaluate.call(node, evaluator, ast, context)
      if (fixed === undefined) meter.spend(costOfParts(node, values.slice(before), value))
    } catch (error) {
      values.length = before
      meter.spend(newFailure)
      throw error
    }
    values.length = before
    values.push(value)
    return value
  }
  // The library replaces the function when it evaluates the node for the first time.
  const set = (next: Node["evaluate"]): void => {
    evaluate = next
  }
  Object.defineProperty(node, "evaluate", { configurable: true, get: () => counted, set })
}

/** Functions that take as long for a large value as for a small one. */
const free: ReadonlySet<unknown> = new Set([
  "has",
  "size",
  "type",
  "dyn",
  "of",
  "none",
  "or",
  "orValue",
  "hasValue",
  "value",
])

/** Returns the cost of a node; undefined if it depends on the values of its parts. */
function fixedCost({ op, args, meta }: Node): number | undefined {
  // Macros are expanded, and the nodes of the expansion are counted.
  if (meta.alternate !== undefined) return 0
  switch (op) {
    case "id":
    case ".":
    case ".?":
    case "[]":
    case "[?]":
    case "!_":
    case "-_":
      return 1
    case "list":
    case "accuPush":
      return newList
    case "map":
      return newMap
    case "call":
    case "rcall":
      return free.has((args as readonly unknown[])[0]) ? 1 : undefined
  }
  return op in comparison || op in arithmetic || op === "in" ? undefined : 0
}

export const comparison = { "==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true }
const arithmetic = { "+": true, "-": true, "*": true, "/": true, "%": true }

function costOfParts({ op, args }: Node, parts: readonly unknown[], value: unknown): number {
  if (op in comparison) return costOfWeight(Math.min(...parts.map(weightOf)))
  if (op in arithmetic) return costOfWeight(weightOf(value))
  if (op === "in") return sizeOfList(parts[1]) + costOfWeight(weightOf(parts[1]))
  // The library evaluates the last argument first.
  const [text = 0, second = 0] = parts.map(weightOf).reverse()
  switch ((args as readonly unknown[])[0]) {
    case "contains":
      return costOfWeight(text) * costOfWeight(second)
    case "goMatches":
    case "find":
    case "findAll":
      return costOfWeight(text + 1) * Math.ceil(second / 4)
  }
  return costOfWeight(parts.reduce((sum: number, part) => sum + weightOf(part), weightOf(value)))
}

/** Returns the cost of going through texts of `weight` characters, or through `weight` values. */
function costOfWeight(weight: number): number {
  return Math.ceil(weight / 10)
}

function sizeOfList(value: unknown): number {
  return Array.isArray(value) ? value.length : value instanceof Set ? value.size : 0
}

/** Returns the number of characters of a text, or the number of values and their characters in a list or map. */
function weightOf(value: unknown): number {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 1
  return weightOfParts(value)
}

const weightOfParts = oncePer((value: object): number => {
  let weight = 1
  if (value instanceof Map) for (const [key, inner] of value) weight += weightOf(key) + weightOf(inner)
  else if (Array.isArray(value) || value instanceof Set) for (const inner of value) weight += weightOf(inner)
  return weight
})
