// Numbers as Go prints them. JavaScript finds the same shortest digits, but uses exponents for other numbers and writes them in another way.
import type { Value } from "./value.js"

/** Returns the shortest digits that mean this number, as JavaScript and Go's encoding/json write them (`1e-7`), with the sign of -0. */
export function shortestDigits(value: number | bigint): string {
  return Object.is(value, -0) ? "-0" : String(value)
}

/** Returns a bigint as the nearest float, and any other value itself. The result is the same for equal numbers. */
export function asFloat(value: Value): Value {
  return typeof value === "bigint" ? Number(value) : value
}

/** Whether the number stands for an int64. Any other `number` is a float. */
export function isInteger(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0)
}

/** Returns the number as `%v` prints it. A `number` that is a safe integer is printed as an int64, any other `number` as a float. */
export function formatNumber(value: number | bigint): string {
  return typeof value === "bigint" || isInteger(value) ? value.toString() : formatFloat(value)
}

/** Returns the float as `%v` prints it: with an exponent below 1e-4 and from 1e6 up. */
export function formatFloat(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"
  const size = Math.abs(value)
  return size !== 0 && (size < 1e-4 || size >= 1e6) ? padExponent(value.toExponential()) : shortestDigits(value)
}

/** Pads the exponent of a number that JavaScript printed to two digits: `1e-07`. */
export function padExponent(text: string): string {
  return text.replace(/(?<=e[-+])(?=\d$)/, "0")
}
