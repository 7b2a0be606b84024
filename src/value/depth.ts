import { StructuredMergeError } from "../errors.js"

/**
 * How deep values, paths and schemas may nest. Upstream's JSON reader stops at 10,000 and its walks grow the stack at will;
 * a JavaScript stack is smaller, and real objects stay below 50. At this depth no walk takes more than three quarters of a
 * main thread's stack, the smallest there is; the rest is left to the caller.
 */
export const maxDepth = 1000

/**
 * How many lists, maps and scalars an operation looks into before it gives up. Of what no depth bounds, a value that refers to
 * one object from many places is walked as often as it does: thirty levels of two references each are a thousand million parts.
 * Real objects have some thousand.
 */
export const maxParts: number = 1 << 22

export function tooLarge(): StructuredMergeError {
  const message = `value has more than ${maxParts} parts, each counted as often as it is referred to`
  return new StructuredMergeError("invalid-value", message)
}

export function tooDeep(limit: number = maxDepth): StructuredMergeError {
  return new StructuredMergeError("invalid-value", `value nests deeper than ${limit} levels, or contains itself`)
}
