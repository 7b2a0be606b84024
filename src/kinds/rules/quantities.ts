// Quantities in CEL expressions.
import { type Amount, amountOf, atExponent } from "../../value/quantity.js"
import type { Environment } from "./library.js"

/** A quantity in billionths. */
class Quantity {
  readonly nano: bigint

  constructor(nano: bigint) {
    this.nano = nano
  }
}

const unit = 10n ** 9n

function quantity(text: string): Quantity {
  return new Quantity(nanoOf(amountOf(text)))
}

function nanoOf(amount: Amount): bigint {
  if (amount.exponent >= -9) return atExponent(amount, -9).unscaled
  const places = -amount.exponent - 9
  return places > String(amount.unscaled).length ? 0n : amount.unscaled / 10n ** BigInt(places)
}

function isQuantity(text: string): boolean {
  try {
    quantity(text)
    return true
  } catch {
    return false
  }
}

const compare = (a: Quantity, b: Quantity) => (a.nano < b.nano ? -1n : a.nano > b.nano ? 1n : 0n)

/** Registers quantities and their functions. */
export function registerQuantities(environment: Environment): void {
  const type = "kubernetes.Quantity"
  const most = 2n ** 63n - 1n
  environment.registerType(type, Quantity)
  environment.registerFunction(`quantity(string): ${type}`, quantity)
  environment.registerFunction("isQuantity(string): bool", isQuantity)
  environment.registerOperator(`${type} == ${type}`, (a: Quantity, b: Quantity) => a.nano === b.nano)
  environment.registerFunction(`${type}.compareTo(${type}): int`, compare)
  environment.registerFunction(`${type}.isGreaterThan(${type}): bool`, (a: Quantity, b: Quantity) => compare(a, b) > 0n)
  environment.registerFunction(`${type}.isLessThan(${type}): bool`, (a: Quantity, b: Quantity) => compare(a, b) < 0n)
  environment.registerFunction(`sign(${type}): int`, (a: Quantity) => compare(a, new Quantity(0n)))
  environment.registerFunction(
    `${type}.add(${type}): ${type}`,
    (a: Quantity, b: Quantity) => new Quantity(a.nano + b.nano),
  )
  environment.registerFunction(
    `${type}.sub(${type}): ${type}`,
    (a: Quantity, b: Quantity) => new Quantity(a.nano - b.nano),
  )
  environment.registerFunction(`${type}.add(int): ${type}`, (a: Quantity, b: bigint) => new Quantity(a.nano + b * unit))
  environment.registerFunction(`${type}.sub(int): ${type}`, (a: Quantity, b: bigint) => new Quantity(a.nano - b * unit))
  const isInteger = ({ nano }: Quantity) => nano % unit === 0n && nano / unit <= most && nano / unit >= -most - 1n
  environment.registerFunction(`${type}.isInteger(): bool`, isInteger)
  environment.registerFunction(`${type}.asInteger(): int`, (a: Quantity) => {
    if (!isInteger(a)) throw new RangeError("cannot convert value to integer")
    return a.nano / unit
  })
  environment.registerFunction(
    `${type}.asApproximateFloat(): double`,
    ({ nano }: Quantity) => Number(nano) / Number(unit),
  )
}
