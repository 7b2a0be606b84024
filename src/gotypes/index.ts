// Converts Go types with Kubernetes' markers to schemas, union overlays and OpenAPI, without generating, compiling or running code.
//
// read.ts has the order of the steps: files are parsed (scan.ts, parse.ts), packages loaded, types followed, definitions written.
export { formatGoTypesIssue, GoTypesError, type GoTypesIssue, type GoTypesPlace } from "./errors.js"
export type { GoResolver, GoSources } from "./program.js"
export { type GoTypes, type GoTypesOptions, readGoTypes } from "./read.js"
export type { UnionDialect } from "./unions.js"
