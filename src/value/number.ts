// Numbers as Go prints them. JavaScript finds the same shortest digits; where the exponent form begins, and how an
// exponent is written, differ.

/** The number as `%v` prints it. A `number` that is a safe integer is printed as an int64, any other `number` as a float. */
export function formatNumber(value: number | bigint): string {
  if (typeof value === "bigint" || (Number.isSafeInteger(value) && !Object.is(value, -0))) return value.toString()
  return formatFloat(value)
}

/** The float as `%v` prints it: with an exponent below 1e-4 and from 1e6 up. */
export function formatFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? "-0" : "0"
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf"
  const size = Math.abs(value)
  return size < 1e-4 || size >= 1e6 ? padExponent(value.toExponential()) : value.toString()
}

/** Pads the exponent of a number that JavaScript printed to two digits: `1e-07`. */
export function padExponent(text: string): string {
  return text.replace(/(?<=e[-+])(?=\d$)/, "0")
}
