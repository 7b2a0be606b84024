// Places in definitions.
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"

/** A schema of a document, and the JSON pointer to it. */
export interface Root {
  readonly node: MapValue
  readonly pointer: string
}

/** Returns the value at the end of these steps; undefined if the place does not exist. */
export function valueAt(value: Value, steps: readonly string[]): Value | undefined {
  let at: Value | undefined = value
  for (const step of steps) at = isList(at) ? at[Number(step)] : isMap(at) ? own(at, step) : undefined
  return at
}
