// Labels, annotations, and selectors of labels.
import { byteLength } from "../../value/bytes.js"
import { own } from "../../value/object.js"
import { isMap } from "../../value/value.js"
import type { Field } from "./field.js"
import { dnsSubdomain, labelKey, labelValue } from "./names.js"
import { goStruct } from "./struct-layout.js"

/** The greatest size of the annotations of an object, in bytes. */
const mostOfAnnotations = 256 * 1024

export function checkLabels(labels: Field): void {
  for (const [key, { text }] of labels.entries()) {
    labels.holding(key).check(labelKey)
    labels.holding(text).check(labelValue)
  }
}

export function checkAnnotations(annotations: Field): void {
  let bytes = 0
  for (const [key, { text }] of annotations.entries()) {
    for (const message of labelKey(key.toLowerCase())) annotations.invalid(message, key)
    bytes += byteLength(key) + byteLength(text)
  }
  if (bytes > mostOfAnnotations) annotations.tooLong(mostOfAnnotations)
}

export function checkSelector(selector: Field): void {
  checkLabels(selector.at("matchLabels"))
  for (const expression of selector.at("matchExpressions").items()) checkExpression(expression, {})
}

interface ExpressionRules {
  /** Whether the expression may compare numbers, as those about nodes may. */
  readonly comparesNumbers?: boolean
  readonly checksValues?: boolean
}

function checkExpression(expression: Field, { comparesNumbers = false, checksValues = true }: ExpressionRules): void {
  const [operator, values, key] = [expression.at("operator"), expression.at("values"), expression.at("key")]
  if (["In", "NotIn"].includes(operator.text)) {
    if (values.size === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'")
  } else if (["Exists", "DoesNotExist"].includes(operator.text)) {
    if (values.size > 0) values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
  } else if (comparesNumbers && ["Gt", "Lt"].includes(operator.text)) {
    if (values.size !== 1) values.required("must be specified single value when `operator` is 'Lt' or 'Gt'")
  } else operator.invalid("not a valid selector operator", operator.text)
  key.holding(key.text).check(labelKey)
  if (checksValues) for (const value of values.items()) value.check(labelValue)
}

/** Checks a selector of nodes. */
export function checkNodeSelector(selector: Field): void {
  const terms = selector.at("nodeSelectorTerms")
  if (terms.size === 0) terms.required("must have at least one node selector term")
  for (const term of terms.items()) checkNodeTerm(term)
}

/** Checks a term, whose requirements a node must meet. Preferred terms may have any values. */
export function checkNodeTerm(term: Field, checksValues = true): void {
  for (const expression of term.at("matchExpressions").items()) {
    checkExpression(expression, { comparesNumbers: true, checksValues })
  }
  for (const expression of term.at("matchFields").items()) {
    const [key, operator, values] = [expression.at("key"), expression.at("operator"), expression.at("values")]
    const isKnown = ["In", "NotIn"].includes(operator.text)
    if (!isKnown) operator.invalid("not a valid selector operator", operator.text)
    else if (values.size !== 1) {
      values.required("must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
    }
    if (key.text !== "metadata.name") key.invalid("not a valid field selector key", key.text)
    else for (const value of values.items()) value.check(dnsSubdomain)
  }
}

/** Reports a selector that has changed. */
export function checkFixedSelector(spec: Field, before: Field): void {
  const selector = spec.at("selector")
  selector.immutable(before.at("selector"), goStruct(selector.value, "LabelSelector"))
}

/** Whether the selector has no requirements, so that it selects everything. */
export function isEmptySelector(selector: Field): boolean {
  return selector.at("matchLabels").size + selector.at("matchExpressions").size === 0
}

/** Whether the selector selects objects with these labels. An absent selector selects nothing. */
export function selects(selector: Field, labels: Field): boolean {
  if (!selector.isSet) return false
  const labelAt = (key: string) => (isMap(labels.value) ? own(labels.value, key) : undefined)
  const equal = selector.at("matchLabels").entries()
  if (!equal.every(([key, { text }]) => labelAt(key) === text)) return false
  return selector
    .at("matchExpressions")
    .items()
    .every(expression => {
      const label = labelAt(expression.at("key").text)
      const isAmong = expression
        .at("values")
        .items()
        .some(({ text }) => text === label)
      switch (expression.at("operator").text) {
        case "In":
          return isAmong
        case "NotIn":
          return !isAmong
        case "Exists":
          return label !== undefined
        default:
          return label === undefined
      }
    })
}
