import { tooDeep } from "../../value/depth.js"

/**
 * The number of levels that YAML documents may nest, both to read and to write: half as many as values may. The parser makes more calls for
 * each level than the engine does, and V8 ends the process if it runs out of stack while it compiles a regular expression.
 */
export const maxYamlDepth = 500

export function tooDeepForYaml(): Error {
  return tooDeep(maxYamlDepth)
}
