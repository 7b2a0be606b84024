// Numbers as Go reads and writes them in JSON. JavaScript finds the same shortest digits, but writes exponents differently.
import { padExponent, shortestDigits } from "../value/number.js"

/** The number these digits (with an optional sign) stand for: exact within 64 bits, beyond them the nearest float. */
export function parseInteger(digits: string): number | bigint {
  const float = Number(digits)
  if (Number.isSafeInteger(float)) return float + 0 // the integer -0 is 0
  const exact = BigInt(digits)
  return BigInt.asIntN(64, exact) === exact ? exact : float
}

/** The number as JSON: plain digits from 1e-6 up to 1e21, two exponent digits at least (`1e-07`). */
export function formatNumberAsJson(value: number | bigint): string {
  return padExponent(shortestDigits(value))
}
