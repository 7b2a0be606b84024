import { StructuredMergeError } from "../errors.js"

/**
 * How deep values, paths and schemas may nest. Upstream's JSON reader stops at 10,000 and its walks grow the stack at will;
 * a JavaScript stack is smaller, and real objects stay below 50. On a main thread, where the stack is smallest, merging and
 * comparing overflow it from about 1,000 levels on; half of that is left to the caller.
 */
export const maxDepth = 500

export function tooDeep(): StructuredMergeError {
  return new StructuredMergeError("invalid-value", `value nests deeper than ${maxDepth} levels, or contains itself`)
}
