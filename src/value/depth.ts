import { StructuredMergeError } from "../errors.js"

/**
 * How deep values, paths and schemas may nest. Upstream's JSON reader stops at 10,000 and its walks grow the stack at will;
 * a JavaScript stack is smaller, and real objects stay below 50.
 */
export const maxDepth = 1_500

export function tooDeep(): StructuredMergeError {
  return new StructuredMergeError("invalid-value", `value nests deeper than ${maxDepth} levels, or contains itself`)
}
