import { formatFloat } from "../../value/number.js"
import { own } from "../../value/object.js"
import type { MapValue } from "../../value/value.js"
import { bound, general, invalid, isWhole, type Result, wrong } from "./problem.js"
import { isTrue } from "./schema.js"

/** Checks a number by its format, `multipleOf`, `minimum` and `maximum`. */
export function checkNumber(
  value: number | bigint,
  schema: MapValue,
  types: readonly string[],
  format: string,
  path: string,
  result: Result,
): void {
  const type = types.length === 1 ? (types[0] as string) : ""
  /** Whether a number has the type of the schema. `what` names the number in the problem. */
  const fits = (number: number | bigint, what: string) => {
    if (isInRange(number, type, format)) return true
    const kind = format === "" ? `${type} (default format)` : `${type} with format ${format}`
    result.add(() => general(`${what} value must be of type ${kind} in ${path}`))
    return false
  }
  fits(value, "Checked")
  const factor = own(schema, "multipleOf")
  if (typeof factor === "number") checkMultiple(value, factor, fits(factor, "MultipleOf"), path, result)
  const least = own(schema, "minimum")
  if (typeof least === "number") {
    const isExact = fits(least, "Minimum boundary")
    const excludes = isTrue(schema, "exclusiveMinimum")
    const limit = isExact && isWhole(value) ? Math.trunc(least) : least
    if (excludes ? value <= limit : value < limit) {
      const words = excludes ? "greater than" : "greater than or equal to"
      result.add(() => invalid(path, value, `should be ${words} ${isExact ? bound(value, least) : formatFloat(least)}`))
    }
  }
  const most = own(schema, "maximum")
  if (typeof most === "number") {
    const isExact = fits(most, "Maximum boundary")
    const excludes = isTrue(schema, "exclusiveMaximum")
    const limit = isExact && isWhole(value) ? Math.trunc(most) : most
    if (excludes ? value >= limit : value > limit) {
      const words = excludes ? "less than" : "less than or equal to"
      result.add(() => invalid(path, value, `should be ${words} ${isExact ? bound(value, most) : formatFloat(most)}`))
    }
  }
}

const maxInt32 = 2 ** 31
const maxInt64 = 2 ** 63
const maxFloat32 = 3.4028235677973366e38

/** Whether the number has the type and format. Types and formats without bounds accept every number. */
function isInRange(number: number | bigint, type: string, format: string): boolean {
  if (type === "integer") {
    const most = format === "int32" ? maxInt32 : maxInt64
    return (typeof number === "bigint" || Number.isInteger(number)) && number >= -most && number < most
  }
  return type !== "number" || format !== "float" || Math.abs(Number(number)) < maxFloat32
}

/** Go: if the value is an integer, the factor loses its fraction. */
function checkMultiple(value: number | bigint, factor: number, isExact: boolean, path: string, result: Result): void {
  const whole = isExact && isWhole(value)
  const used = whole ? Math.trunc(factor) : factor
  if (used <= 0) {
    const text = `factor MultipleOf declared for ${path} must be positive: ${formatFloat(used)}`
    result.add(() => wrong(path, used, text))
    return
  }
  const isMultiple = whole ? BigInt(value) % BigInt(used) === 0n : isWholeQuotient(Number(value), used)
  if (!isMultiple) {
    const shown = whole ? bound(value, factor) : formatFloat(factor)
    result.add(() => invalid(path, value, `should be a multiple of ${shown}`))
  }
}

/** Whether the quotient is an integer, apart from rounding errors. */
function isWholeQuotient(value: number, factor: number): boolean {
  const quotient = factor < 1 ? (1 / factor) * value : value / factor
  if (!(Math.abs(quotient) <= 2 ** 53)) return false
  const rounded = Math.round(quotient)
  return quotient === rounded || Math.abs(quotient - rounded) < 1e-9 * Math.abs(rounded)
}
