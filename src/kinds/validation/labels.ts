// Labels, annotations, and selectors of labels.
import { byteLength } from "../../value/bytes.js"
import { own } from "../../value/object.js"
import { isMap } from "../../value/value.js"
import type { Field } from "./field.js"
import { dnsSubdomain, labelKey, labelValue } from "./names.js"
import { shownSelector } from "./pod-layout.js"

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
  for (const expression of selector.at("matchExpressions").items()) {
    const values = expression.at("values")
    const operator = expression.at("operator")
    switch (operator.text) {
      case "In":
      case "NotIn":
        if (values.size === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'")
        break
      case "Exists":
      case "DoesNotExist":
        if (values.size > 0) values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
        break
      default:
        operator.invalid("not a valid selector operator", operator.text)
    }
    expression.at("key").holding(expression.at("key").text).check(labelKey)
    for (const value of values.items()) value.check(labelValue)
  }
}

/** Checks a selector of nodes. */
export function checkNodeSelector(selector: Field): void {
  const terms = selector.at("nodeSelectorTerms")
  if (terms.size === 0) terms.required("must have at least one node selector term")
  for (const term of terms.items()) checkNodeTerm(term)
}

/** Checks one of the terms of which a node must meet all or one. Older terms may have values that are no values of labels. */
export function checkNodeTerm(term: Field, checksValues = true): void {
  for (const expression of term.at("matchExpressions").items()) {
    checkNodeRequirement(expression)
    expression.at("key").holding(expression.at("key").text).check(labelKey)
    if (checksValues) for (const value of expression.at("values").items()) value.check(labelValue)
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

function checkNodeRequirement(expression: Field): void {
  const [operator, values] = [expression.at("operator"), expression.at("values")]
  switch (operator.text) {
    case "In":
    case "NotIn":
      if (values.size === 0) values.required("must be specified when `operator` is 'In' or 'NotIn'")
      break
    case "Exists":
    case "DoesNotExist":
      if (values.size > 0) values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
      break
    case "Gt":
    case "Lt":
      if (values.size !== 1) values.required("must be specified single value when `operator` is 'Lt' or 'Gt'")
      break
    default:
      operator.invalid("not a valid selector operator", operator.text)
  }
}

/** Reports a selector that has changed. */
export function checkFixedSelector(spec: Field, before: Field): void {
  const selector = spec.at("selector")
  selector.immutable(before.at("selector"), shownSelector(selector.value ?? null))
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
