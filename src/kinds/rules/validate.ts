// Runs the rules of a schema on custom resources, with an API server's words for those that fail.

import { byteLength } from "../../value/bytes.js"
import { compareStrings } from "../../value/compare.js"
import { own } from "../../value/object.js"
import { quoteGo } from "../../value/quote.js"
import { isList, isMap, type ListValue, type Value } from "../../value/value.js"
import { type FieldError, fieldError, nowhere } from "../refusal/field-error.js"
import { type Correlated, itemLike } from "../structural/correlated.js"
import type { Rule, RuleNode, Values } from "./compile.js"
import { CostMeter, mostOfObject, TooExpensive } from "./cost.js"
import { fieldPathOf } from "./field-path.js"

/** The old values at one point of the traversal: of the value itself, and of the nearest value around it that has one. */
interface Trace {
  readonly here: Correlated | undefined
  readonly around: Correlated | undefined
}

/**
 * Returns the failures of the rules for a custom resource or a part of one, sorted by field. `old` is the stored object if the request is an
 * update, and `correlated` pairs the two.
 */
export function validateRules(
  root: RuleNode,
  object: Value,
  old: Value | undefined,
  correlated: Correlated | undefined,
): readonly FieldError[] {
  const run: Run = { errors: [], meter: new CostMeter(), left: mostOfObject }
  runRules(root, object, old, "", { here: correlated, around: undefined }, run)
  return run.errors.sort((a, b) => compareStrings(a.field, b.field))
}

/** The run of the rules of one object: the failures, and the remaining cost. Once that is negative, no more rules are run. */
interface Run {
  readonly errors: FieldError[]
  readonly meter: CostMeter
  left: number
}

function runRules(node: RuleNode, value: Value, old: Value | undefined, path: string, trace: Trace, run: Run): void {
  if (value === null) return
  for (const rule of node.rules) runRule(node, rule, value, old, path, trace, run)
  if (isList(value)) runItemRules(node, value, old, path, trace, run)
  if (!isMap(value)) return
  const before = isMap(old) ? old : {}
  for (const key in value) {
    const inner = value[key] as Value
    const step = fieldOf(trace, key)
    if (node.rest !== undefined) runRules(node.rest, inner, own(before, key), `${path}[${key}]`, step, run)
    const field = node.fields.get(key)
    if (field !== undefined) runRules(field, inner, own(before, key), path === "" ? key : `${path}.${key}`, step, run)
  }
}

function runItemRules(
  { items, schema }: RuleNode,
  list: ListValue,
  old: Value | undefined,
  path: string,
  trace: Trace,
  run: Run,
): void {
  if (items === undefined) return
  list.forEach((item, i) => {
    const before = isList(old) ? itemLike(old, item, schema) : undefined
    const step = trace.here === undefined ? trace : { here: trace.here.item(i), around: trace.here }
    runRules(items, item, before, `${path}[${i}]`, step, run)
  })
}

function fieldOf(trace: Trace, name: string): Trace {
  if (trace.here === undefined) return trace
  if (trace.around === undefined && (name === "apiVersion" || name === "kind"))
    return { here: undefined, around: undefined }
  return { here: trace.here.field(name), around: trace.here }
}

function runRule(
  node: RuleNode,
  rule: Rule,
  value: Value,
  old: Value | undefined,
  path: string,
  trace: Trace,
  run: Run,
): void {
  const hasOld = old !== undefined && old !== null
  if (run.left < 0 || (rule.usesOldSelf && !hasOld && !rule.optional)) return
  const type = String(own(node.schema, "type") ?? "")
  const fieldPath = path === "" ? nowhere : path
  const fail = (text: string) => run.errors.push(fieldError("FieldValueInvalid", fieldPath, type, text))
  let values: Values | undefined
  const evaluation = run.meter.run(() => {
    const before = hasOld ? node.declared.read(old) : undefined
    const self = node.declared.read(value)
    values = rule.usesOldSelf ? { self, oldSelf: rule.optional ? node.optional(before) : before } : { self }
    return rule.run(values)
  })
  run.left -= evaluation.cost
  if ("error" in evaluation) {
    const ruleText = String(own(rule.given, "message") ?? "").trim() || String(own(rule.given, "rule")).trim()
    fail(failureText(evaluation.error, ruleText))
    return
  }
  if (run.left < 0) {
    fail("validation failed due to running out of cost budget, no further validation rules will be run")
    return
  }
  if (evaluation.value === true) return
  const message = values && messageOf(rule, values, run)
  if (!rule.usesOldSelf && (trace.here ?? trace.around)?.isUnchanged === true) return
  const error = failed(node, rule, value, path, message)
  run.errors.push(run.left < 0 ? fieldError("FieldValueInvalid", error.field, type, message) : error)
}

/** Returns the message for a rule that failed to evaluate. */
function failureText(error: unknown, ruleText: string): string {
  const text = wordsOf(error)
  if (error instanceof TooExpensive) {
    return `'${text}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText}`
  }
  return text === "no such overload"
    ? `'${text}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText}`
    : `${text} evaluating rule: ${ruleText}`
}

/** Returns an API server's words for the error of an expression. */
export function wordsOf(error: unknown): string {
  const { code, summary, message = String(error) } = error as { code?: string; summary?: string; message?: string }
  const text = summary ?? message
  switch (code) {
    case "no_such_overload":
    case "no_matching_overload":
      return "no such overload"
    case "no_such_key":
      return text.replace("No such key", "no such key")
    case "index_out_of_bounds":
      return `index out of bounds: ${/index (-?\d+) /.exec(text)?.[1] ?? ""}`
    case "numeric_overflow":
      return "integer overflow"
    case "modulo_by_zero":
      return "modulus by zero"
    default:
      return text
  }
}

/** Evaluates a rule's message expression. Returns undefined if it fails or its text can't be shown. */
function messageOf({ given, message }: Rule, values: Values, run: Run): string | undefined {
  if (message === undefined) return undefined
  const { value, error, cost } = run.meter.run(() => message(values))
  run.left -= cost
  if (error instanceof TooExpensive) {
    const source = quoteGo(String(own(given, "messageExpression")))
    return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${source}`
  }
  if (run.left < 0) {
    return "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
  }
  const trimmed = typeof value === "string" ? value.trim() : ""
  const isTooLong = byteLength(trimmed) > maxMessageBytes
  return trimmed === "" || isTooLong || trimmed.includes("\n") ? undefined : trimmed
}

const maxMessageBytes = 5 * 1024

function failed(node: RuleNode, { given }: Rule, value: Value, path: string, message: string | undefined): FieldError {
  const plain = String(own(given, "message") ?? "").trim()
  const detail = message ?? (plain || `failed rule: ${String(own(given, "rule")).trim()}`)
  const below = fieldPathOf(node.schema, String(own(given, "fieldPath") ?? ""))
  const field = below === undefined ? path : path === "" ? below : `${path}.${below}`
  const fieldPath = field === "" ? nowhere : field
  // Messages do not show lists and maps.
  const shown = typeof value === "object" ? undefined : value
  switch (own(given, "reason")) {
    case "FieldValueForbidden":
      return fieldError("FieldValueForbidden", fieldPath, undefined, detail)
    case "FieldValueRequired":
      return fieldError("FieldValueRequired", fieldPath, undefined, detail)
    case "FieldValueDuplicate":
      return fieldError("FieldValueDuplicate", fieldPath, shown)
    default:
      return fieldError("FieldValueInvalid", fieldPath, shown, detail)
  }
}
