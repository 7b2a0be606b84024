// The types that come with the package. Their data is most of the package's code, so it is loaded only when needed.
import type { Kinds } from "../../kinds/kinds.js"
import type { FoundType } from "../../openapi/type-converter.js"
import type { Schema } from "../../schema/schema.js"

export function loadKubernetes(): Promise<typeof import("../../kubernetes/types.js")> {
  return import("../../kubernetes/types.js")
}

/** Loads the built-in kinds; with `custom`, they include CustomResourceDefinitions and their validation. */
export async function loadKinds(custom: boolean): Promise<Kinds> {
  if (custom) return (await import("../../kinds/kubernetes.js")).kubernetes
  const [{ kindsOf }, { kubernetesTypes }] = await Promise.all([import("../../kinds/kinds.js"), loadKubernetes()])
  return kindsOf(kubernetesTypes)
}

export interface BuiltInTypes {
  readonly schema: Schema
  readonly find: (apiVersion: string, kind: string) => FoundType | undefined
  /** The names of all kinds, such as `apps/v1 Deployment`. */
  readonly kinds: () => string[]
}

/** Loads the built-in types, with the unions that Kubernetes does not publish if `unions` is set. */
export async function loadBuiltInTypes(unions: boolean): Promise<BuiltInTypes> {
  const { kubernetesKinds, kubernetesSchema, kubernetesSchemaWithUnions, kubernetesTypes } = await loadKubernetes()
  const schema = unions ? kubernetesSchemaWithUnions() : kubernetesSchema()
  return {
    schema,
    find: (apiVersion, kind) => {
      const found = kubernetesTypes.find(apiVersion, kind)
      return found && { ...found, schema }
    },
    kinds: () => kubernetesKinds().map(({ apiVersion, kind }) => `${apiVersion} ${kind}`),
  }
}

/** Returns a function that adds Kubernetes' unions to the built-in types of a schema. It returns the same result for the same schema. */
export async function unionsAdder(): Promise<(schema: Schema) => Schema> {
  const { kubernetesUnions } = await import("../../kubernetes/union-overlay.js")
  const { applyUnionOverlay } = await import("../../union/overlay.js")
  const known = new Map<Schema, Schema>()
  return schema => {
    let found = known.get(schema)
    if (found === undefined) {
      found = applyUnionOverlay(schema, kubernetesUnions(schema))
      known.set(schema, found)
    }
    return found
  }
}
