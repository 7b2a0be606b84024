import { StructuredMergeError } from "../errors.js"

/**
 * How deep values, paths and schemas may nest. Upstream's JSON reader stops at 10,000 and its walks grow the stack at will;
 * a JavaScript stack is smaller, and real objects stay below 50. At this depth no walk takes more than three quarters of a
 * main thread's stack, the smallest there is; the rest is left to the caller.
 */
export const maxDepth = 1000

export function tooDeep(limit: number = maxDepth): StructuredMergeError {
  return new StructuredMergeError("invalid-value", `value nests deeper than ${limit} levels, or contains itself`)
}
