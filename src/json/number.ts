// Numbers as Go reads and writes them in JSON. JavaScript finds the same shortest digits, but writes exponents differently.
import { padExponent, shortestDigits } from "../value/number.js"

/** Parses digits with an optional sign: exact within 64 bits, the nearest float beyond. */
export function parseInteger(digits: string): number | bigint {
  const float = Number(digits)
  if (Number.isSafeInteger(float)) return float + 0 // the integer -0 is 0
  const exact = BigInt(digits)
  return BigInt.asIntN(64, exact) === exact ? exact : float
}

/** Writes the number as JSON: plain digits from 1e-6 up to 1e21, at least two exponent digits otherwise (`1e-07`). */
export function formatNumberAsJson(value: number | bigint): string {
  return padExponent(shortestDigits(value))
}
