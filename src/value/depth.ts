import { invalidValue, type ValidationError } from "../errors.js"

/**
 * The number of levels that values, paths and schemas may nest. Upstream's JSON reader stops at 10,000, and Go's stack grows on demand. A
 * JavaScript stack is smaller, and real objects stay below 50 levels. At this depth, no walk takes more than three quarters of a main
 * thread's stack, which is the smallest; the rest is left to the caller.
 */
export const maxDepth = 1000

/**
 * The number of lists, maps and scalars that an operation visits before it gives up. A bound on depth is not enough: an object that
 * several others refer to is visited once for each reference, so thirty levels of two references each make a billion visits. Real objects
 * have a few thousand parts.
 */
export const maxParts: number = 1 << 22

export function tooLarge(): ValidationError {
  const message = `value has more than ${maxParts} parts, each counted as often as it is referred to`
  return invalidValue(message)
}

export function tooDeep(limit: number = maxDepth): ValidationError {
  return invalidValue(`value nests deeper than ${limit} levels, or contains itself`)
}
