import { invalidValue, type ValidationError } from "../errors.js"

/**
 * How deep values, paths and schemas may nest. Upstream's JSON reader stops at 10,000, and Go grows the stack as its walks need
 * it; a JavaScript stack is smaller, and real objects stay below 50. At this depth no walk takes more than three quarters of a
 * main thread's stack, the smallest there is; the rest is left to the caller.
 */
export const maxDepth = 1000

/**
 * How many lists, maps and scalars an operation visits before it gives up. A bound on depth is not enough: an object that is
 * referred to from several places is visited once for each reference, and thirty levels of two references each make a thousand
 * million visits. Real objects have a few thousand parts.
 */
export const maxParts: number = 1 << 22

export function tooLarge(): ValidationError {
  const message = `value has more than ${maxParts} parts, each counted as often as it is referred to`
  return invalidValue(message)
}

export function tooDeep(limit: number = maxDepth): ValidationError {
  return invalidValue(`value nests deeper than ${limit} levels, or contains itself`)
}
