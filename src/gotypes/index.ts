// Converts Go types with Kubernetes' markers to schemas, union overlays and OpenAPI, without generating, compiling or running code.
//
// read.ts has the order of the steps: source/ parses files, types/ loads packages and follows types to their structs and fields, and
// unions/ reads the unions of structs. definitions.ts then writes the OpenAPI document, and rules.ts the rule documents.

export { type GoTypes, type GoTypesOptions, readGoTypes } from "./read.js"
export { formatGoTypesIssue, GoTypesError, type GoTypesIssue, type GoTypesPlace } from "./source/errors.js"
export type { GoResolver, GoSources } from "./types/program.js"
export type { UnionDialect } from "./unions/unions.js"
