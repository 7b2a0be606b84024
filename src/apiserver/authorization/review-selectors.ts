// The selectors of an access review. Roles don't look at them: a review is checked as on a server, and says which selectors can't be read.

import { RequestFailure } from "../../kinds/refusal/failure.js"
import type { Field } from "../../kinds/validation/field.js"
import { labelKey, labelValue } from "../../kinds/validation/names.js"
import { mapAt, mapsAt, textAt, textsAt } from "../../value/fields.js"
import type { MapValue } from "../../value/value.js"
import { parseLabelSelector } from "../request/label-selector.js"
import { readFieldTerms } from "../request/selectors.js"

export type SelectorName = "fieldSelector" | "labelSelector"

/** Reports a selector that has both forms or none, and requirements that are not well-formed. Any operator is fine. */
export function checkSelector(selector: Field, name: SelectorName): void {
  if (!selector.isSet) return
  const [raw, requirements] = [selector.at("rawSelector"), selector.at("requirements")]
  if (raw.text !== "" && requirements.size > 0) raw.invalid("may not specified at the same time as requirements")
  if (raw.text === "" && requirements.size === 0) {
    requirements.required(`when ${selector.path} is specified, requirements or rawSelector is required`)
  }
  for (const requirement of requirements.items()) {
    const [key, operator, values] = [requirement.at("key"), requirement.at("operator").text, requirement.at("values")]
    if (name === "fieldSelector") key.requireText("must be specified")
    if (["In", "NotIn"].includes(operator) && values.size === 0) {
      values.required("must be specified when `operator` is 'In' or 'NotIn'")
    } else if (["Exists", "DoesNotExist"].includes(operator) && values.size > 0) {
      values.forbidden("may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
    }
    if (name === "fieldSelector") continue
    key.holding(key.text).check(labelKey)
    for (const value of values.items()) value.check(labelValue)
  }
}

/** Returns a sentence for each selector of the attributes that can't be read, or only in part. */
export function unreadSelectors(attributes: MapValue): string[] {
  return (["fieldSelector", "labelSelector"] as const).flatMap(name => {
    const selector = mapAt(attributes, name)
    const requirements = mapsAt(selector, "requirements")
    const readable = requirements.filter(each => isReadable(each, name))
    const isRead = requirements.length > 0 ? readable.length === requirements.length : isParsed(selector, name)
    if (isRead) return []
    const partly = readable.length > 0 ? "partially " : ""
    return [`spec.resourceAttributes.${name} ${partly}ignored due to parse error`]
  })
}

function isReadable(requirement: MapValue, name: SelectorName): boolean {
  const operator = textAt(requirement, "operator")
  const count = textsAt(requirement, "values").length
  if (name === "labelSelector") return ["In", "NotIn", "Exists", "DoesNotExist"].includes(operator)
  return ["In", "NotIn"].includes(operator) && count === 1
}

function isParsed(selector: MapValue, name: SelectorName): boolean {
  const raw = textAt(selector, "rawSelector")
  try {
    if (name === "labelSelector") parseLabelSelector(raw)
    else readFieldTerms(raw)
    return true
  } catch (error) {
    if (error instanceof RequestFailure) return false
    throw error
  }
}
