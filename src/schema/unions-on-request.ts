// Schemas whose types have unions only for those who ask for them. A cluster knows no unions of Kubernetes' own types, so their schema
// has none; where a policy for unions is named, the same types have them.
import type { Schema } from "./schema.js"

const offered = new WeakMap<Schema, () => Schema>()

/**
 * Offers unions for the types of `schema`. `make` returns the schema to be used in its place: the same types by the same names, and
 * the same object on every call.
 */
export function offerUnions(schema: Schema, make: () => Schema): void {
  offered.set(schema, make)
}

/** Returns the schema with the unions that were offered for it, or the schema itself if none were offered. */
export function withOfferedUnions(schema: Schema): Schema {
  return offered.get(schema)?.() ?? schema
}
