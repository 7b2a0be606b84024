// Schemas that have unions only on request. A cluster knows no unions in Kubernetes' own types, so their schema has no unions. If a caller
// names a policy for unions, the same types have them.
import type { Schema } from "./schema.js"

const offered = new WeakMap<Schema, () => Schema>()

/**
 * Offers unions for the types of `schema`. `make` returns the schema to use instead: the same types by the same names, and the same object on
 * every call.
 */
export function offerUnions(schema: Schema, make: () => Schema): void {
  offered.set(schema, make)
}

/** Returns the schema with the unions that were offered for it, or the schema itself if none were offered. */
export function withOfferedUnions(schema: Schema): Schema {
  return offered.get(schema)?.() ?? schema
}
