// Quantities such as `500m` and `1Gi`, as Kubernetes writes them.
import { shortestDigits } from "./number.js"
import type { Value } from "./value.js"

const decimal: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  "": 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const binary: Readonly<Record<string, number>> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 }
const decimalSuffixes = new Map(Object.entries(decimal).map(([suffix, exponent]) => [exponent, suffix]))
const binarySuffixes = new Map(Object.entries(binary).map(([suffix, exponent]) => [exponent, suffix]))
const most = 2n ** 63n - 1n

type Format = "decimal" | "exponent" | "binary"

/** `unscaled` times ten to the power of `exponent`. */
export interface Amount {
  readonly unscaled: bigint
  readonly exponent: number
}

/**
 * Returns the quantity as an API server writes it after reading it: `1024Mi` becomes `1Gi`, 0.5 becomes `500m`. A quantity that is already
 * in its usual form does not change. Throws a RangeError, in an API server's words, if the value is not a quantity.
 */
export function formatQuantity(value: Value): string {
  return formatText(quantityText(value))
}

/** Returns a number below 0 if the first quantity is smaller, 0 if they are equal. Throws a RangeError if a value is not a quantity. */
export function compareQuantities(a: Value, b: Value): number {
  const [left, right] = [readParts(quantityText(a)).amount, readParts(quantityText(b)).amount]
  const sign = signOf(left.unscaled)
  if (sign !== signOf(right.unscaled)) return sign - signOf(right.unscaled)
  // Only if both have the same number of digits are their exponents sure to be close, so that the exact comparison below is cheap.
  const digits = digitsOf(left) - digitsOf(right)
  if (digits !== 0 && sign !== 0) return digits * sign
  const exponent = Math.min(left.exponent, right.exponent)
  return sign === 0 ? 0 : signOf(atExponent(left, exponent).unscaled - atExponent(right, exponent).unscaled)
}

/** Returns the sum of two quantities in the form of the first, or of the second if the first is 0. Throws the same errors as `formatQuantity`. */
export function addQuantities(a: Value, b: Value): string {
  const [left, right] = [readParts(quantityText(a)), readParts(quantityText(b))]
  const exponent = Math.min(left.amount.exponent, right.amount.exponent)
  const unscaled = atExponent(left.amount, exponent).unscaled + atExponent(right.amount, exponent).unscaled
  return formatBounded({ unscaled, exponent }, left.amount.unscaled === 0n ? right.format : left.format)
}

/** Returns the quantity as a number, rounded. Throws the same errors as `formatQuantity`. */
export function quantityNumber(value: Value): number {
  const { unscaled, exponent } = readParts(quantityText(value)).amount
  return Number(`${unscaled}e${exponent}`)
}

function signOf(number: bigint): number {
  return number < 0n ? -1 : number > 0n ? 1 : 0
}

/** Returns the number of digits before the decimal point. */
function digitsOf({ unscaled, exponent }: Amount): number {
  return String(unscaled < 0n ? -unscaled : unscaled).length + exponent
}

function quantityText(value: Value): string {
  return (typeof value === "number" || typeof value === "bigint" ? shortestDigits(value) : String(value)).trim()
}

/** Returns the amount that the text stands for. Throws the same errors as `formatQuantity`. */
export function amountOf(text: string): Amount {
  return readParts(text).amount
}

function formatText(text: string): string {
  const { format, exponent, whole, fraction, amount } = readParts(text)
  if (isShort(format, exponent, whole, fraction, amount)) {
    const shifted = whole + fraction
    const keeps =
      format === "binary"
        ? (BigInt(shifted) & 7n) !== 0n
        : amount.exponent % 3 === 0 && !shifted.endsWith("000") && shifted[0] !== "0"
    return keeps ? text : formatAmount(amount, format)
  }
  return formatBounded(amount, format)
}

/** A quantity in its parts. */
interface Parts {
  readonly format: Format
  /** The power of ten or two that the suffix stands for. */
  readonly exponent: number
  readonly whole: string
  readonly fraction: string
  readonly amount: Amount
}

function readParts(text: string): Parts {
  if (text.length > longest) throw new RangeError(`quantities of more than ${longest} characters are not supported`)
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]+[-+]?\d*|[-+]\d*|)$/.exec(text)
  if (text === "" || match === null) throw new RangeError(wrongFormat)
  const [, sign = "", digits = "", fraction = "", suffix = ""] = match
  const { format, exponent } = readSuffix(suffix)
  const whole = digits.replace(/^0+/, "") || "0"
  const shifted = whole + fraction
  const mantissa = format === "binary" ? 2n ** BigInt(exponent) : 1n
  const unscaled = BigInt(shifted) * mantissa * (sign === "-" ? -1n : 1n)
  const amount = { unscaled, exponent: (format === "binary" ? 0 : exponent) - fraction.length }
  // Go: a quantity without digits, such as `Ti`, is 0, unless its suffix is too large for an int64, such as `Ei`.
  if (digits + fraction === "" && !isShort(format, exponent, whole, fraction, amount)) {
    throw new RangeError("unable to parse numeric part of quantity")
  }
  return { format, exponent, whole, fraction, amount }
}

/** The number of characters that a quantity may have, and of digits that a calculation may add. Many more would take too long. */
const longest = 1000

const wrongFormat = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"

function readSuffix(suffix: string): { readonly format: Format; readonly exponent: number } {
  const plain = Object.hasOwn(decimal, suffix) ? decimal[suffix] : undefined
  if (plain !== undefined) return { format: "decimal", exponent: plain }
  const power = Object.hasOwn(binary, suffix) ? binary[suffix] : undefined
  if (power !== undefined) return { format: "binary", exponent: power }
  const [, digits] = /^[eE]([-+]?\d+)$/.exec(suffix) ?? []
  if (digits === undefined || BigInt.asIntN(64, BigInt(digits)) !== BigInt(digits)) {
    throw new RangeError("unable to parse quantity's suffix")
  }
  // Go: an exponent is truncated to 32 bits.
  return { format: "exponent", exponent: Number(BigInt.asIntN(32, BigInt(digits))) }
}

/** Whether Go reads the quantity as an int64 with an exponent. Only then may Go keep the text. */
function isShort(format: Format, exponent: number, whole: string, fraction: string, amount: Amount): boolean {
  if (amount.exponent < -9 || amount.unscaled > most || amount.unscaled < -most) return false
  if (format !== "binary") return whole.length + fraction.length <= 18
  return fraction === "" && 15 - whole.length - Math.trunc((exponent * 3) / 10) - 1 >= 0
}

/** Formats the amount with at most nine decimal places, rounded away from zero. In binary format, it is at most the greatest int64. */
function formatBounded(amount: Amount, format: Format): string {
  const rounded = amount.exponent < -9 ? atExponent(amount, -9) : amount
  if (format !== "binary") return formatAmount(rounded, format)
  const whole = atExponent(rounded, 0).unscaled
  if (whole > most || whole < -most) return formatAmount({ unscaled: whole > 0n ? most : -most, exponent: 0 }, format)
  return formatAmount(rounded, whole <= 1n && rounded.unscaled > 0n && !isAtLeast(rounded, 1n) ? "decimal" : format)
}

/** Returns the amount with this exponent, rounded away from zero. Throws a RangeError if that takes too many digits. */
export function atExponent({ unscaled, exponent }: Amount, wanted: number): Amount {
  if (exponent - wanted > longest) {
    throw new RangeError(`exponents of more than ${longest} are not supported`)
  }
  if (exponent >= wanted) return { unscaled: unscaled * 10n ** BigInt(exponent - wanted), exponent: wanted }
  if (wanted - exponent > String(unscaled).length) {
    return { unscaled: unscaled === 0n ? 0n : unscaled < 0n ? -1n : 1n, exponent: wanted }
  }
  const divisor = 10n ** BigInt(wanted - exponent)
  const quotient = unscaled / divisor
  const rest = unscaled % divisor
  const step = rest === 0n ? 0n : unscaled < 0n ? -1n : 1n
  return { unscaled: quotient + step, exponent: wanted }
}

function isAtLeast(amount: Amount, least: bigint): boolean {
  const { unscaled } = amount.exponent < 0 ? amount : atExponent(amount, 0)
  return unscaled >= least * 10n ** BigInt(Math.max(0, -amount.exponent))
}

function formatAmount(amount: Amount, format: Format): string {
  if (amount.unscaled === 0n) return "0"
  if (format === "binary") {
    const whole = atExponent(amount, 0)
    const size = whole.unscaled < 0n ? -whole.unscaled : whole.unscaled
    const isExact = amount.exponent >= 0 || amount.unscaled % 10n ** BigInt(-amount.exponent) === 0n
    if (isExact && size >= 1024n) {
      const [left, times] = withoutFactors(whole.unscaled, 1024n)
      return `${left}${binarySuffixes.get(times * 10) ?? ""}`
    }
  }
  const [left, times] = withoutFactors(amount.unscaled, 10n)
  const exponent = amount.exponent + times
  const over = ((exponent % 3) + 3) % 3
  const number = left * 10n ** BigInt(over)
  const shown = exponent - over
  if (format !== "exponent") return `${number}${decimalSuffixes.get(shown) ?? ""}`
  return shown === 0 ? String(number) : `${number}e${shown}`
}

function withoutFactors(number: bigint, factor: bigint): readonly [left: bigint, times: number] {
  let left = number
  let times = 0
  while (left % factor === 0n) {
    left /= factor
    times++
  }
  return [left, times]
}
