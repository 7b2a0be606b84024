import type { Json } from "./json.js"
import type { Random } from "./random.js"

/** A request of the conformance protocol. */
export interface Request {
  readonly op: string
  readonly [field: string]: Json
}

/** Makes one request. Every choice comes from `random`. */
type Generator = (random: Random) => Request

/** Generators by operation, each with its weight in the choice. */
export type Layer = Readonly<Record<string, { readonly weight: number; readonly make: Generator }>>

/** Returns a request of the layer, of the given operation or of any. Throws if the layer lacks the operation. */
export function randomRequest(random: Random, layer: Layer, only?: string): Request {
  if (only === undefined) return random.weighted(weights(layer)).make(random)
  const chosen = Object.hasOwn(layer, only) ? layer[only] : undefined
  if (chosen === undefined)
    throw new RangeError(`no such operation: ${only}; there are ${Object.keys(layer).join(", ")}`)
  return chosen.make(random)
}

function weights(layer: Layer): readonly (readonly [number, { readonly make: Generator }])[] {
  return Object.values(layer).map(entry => [entry.weight, entry] as const)
}
