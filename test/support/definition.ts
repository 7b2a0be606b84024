import type { MapValue, Value } from "../../src/value/value.js"
import { deepFreeze } from "./deep-freeze.js"

/** The parts of a definition besides its kind. */
export interface DefinitionParts {
  readonly group?: string
  readonly plural?: string
  /** Additional members of the schema, which has the type object. */
  readonly schema?: Readonly<Record<string, Value>>
  /** Additional members of the version v1, which has a schema, is served and is stored. */
  readonly version?: Readonly<Record<string, Value>>
  /** Members that are added to `spec`, or replace its members. */
  readonly spec?: Readonly<Record<string, Value>>
}

/** Returns a CustomResourceDefinition of a namespaced kind with the version v1, by default in the group example.com. */
export function definitionOf(kind: string, parts: DefinitionParts = {}): MapValue {
  const { group = "example.com", plural = `${kind.toLowerCase()}s`, schema, version, spec } = parts
  const openAPIV3Schema = { type: "object", ...schema }
  return deepFreeze({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema }, ...version }],
      ...spec,
    },
  })
}
