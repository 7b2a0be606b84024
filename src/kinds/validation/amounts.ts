// Numbers of Pods that may be percentages.
import type { Field } from "./field.js"
import { percent } from "./names.js"

/** Checks a number that may be a percentage. */
export function checkIntOrPercent(field: Field): void {
  if (typeof field.value === "string") field.check(percent)
  else field.notNegative()
}

/** Returns the number or the percentage; 0 for other texts. */
export function amount(field: Field): number {
  return typeof field.value === "string" ? Number.parseInt(field.value, 10) || 0 : field.number
}

/** Checks that a percentage is not above 100. */
export function checkAtMostAll(field: Field): void {
  if (typeof field.value === "string" && percent(field.value).length === 0 && amount(field) > 100) {
    field.invalid("must not be greater than 100%")
  }
}
