import { tooDeep } from "../value/depth.js"

/**
 * How deep YAML documents may nest, read or written: half as deep as values may. The parser calls itself over more steps for
 * each level than the engine does, and JavaScript ends the process where a regular expression does not fit on the stack.
 */
export const maxYamlDepth = 500

export function tooDeepForYaml(): Error {
  return tooDeep(maxYamlDepth)
}
