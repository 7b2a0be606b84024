// Go types with Kubernetes' markers as schemas, union overlays and OpenAPI, without generating, compiling or running anything.
//
// read.ts has the order of it. The grammar of Go is that of @lezer/go, an optional peer of this package.
export { formatGoTypesIssue, GoTypesError, type GoTypesIssue, type Place as GoTypesPlace } from "./errors.js"
export type { GoResolver, GoSources } from "./program.js"
export { type GoTypes, type GoTypesOptions, readGoTypes } from "./read.js"
export type { UnionDialect } from "./unions.js"
