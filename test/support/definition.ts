import type { MapValue, Value } from "../../src/value/value.js"
import { deepFreeze } from "./deep-freeze.js"

/** What a definition says beyond its kind. */
export interface DefinitionParts {
  readonly group?: string
  readonly plural?: string
  /** What the schema says beyond being one of objects. */
  readonly schema?: Readonly<Record<string, Value>>
  /** What the version v1 says beyond its schema, served and stored. */
  readonly version?: Readonly<Record<string, Value>>
  /** What is to be in `spec` beside or in place of what is there. */
  readonly spec?: Readonly<Record<string, Value>>
}

/** A CustomResourceDefinition of a namespaced kind with one version, v1, in example.com if no group is given. */
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
