// The schema of Kubernetes' built-in types, bundled: no cluster, file or network is needed to apply a Deployment.
//
// schema-data.ts has the types of one Kubernetes release in a short spelling, and expand.ts turns them into a Schema. Each part is parsed when
// it is first needed. An object's apiVersion and kind identify its type. Kinds of custom resources are not included.
import type { ObjectKind } from "../schema/group-version-kind.js"
import type { Schema } from "../schema/schema.js"
import { offerUnions } from "../schema/unions-on-request.js"
import type { MapValue } from "../value/value.js"
import { expandSchema } from "./expand.js"
import { emptyData, kindData, release, schemaData } from "./schema-data.js"
import { kubernetesUnions } from "./union-overlay.js"

/** A kind of object, and the name its type has in the schema. */
export interface KubernetesKind extends ObjectKind {
  /** The name of its type in `kubernetesSchema()`. */
  readonly type: string
}

/** The type of a built-in kind. */
export interface KubernetesType {
  /** `kubernetesSchema()`: the same object for all kinds. A named policy for unions reads `kubernetesSchemaWithUnions()` instead. */
  readonly schema: Schema
  /** The name of its type in the schema. */
  readonly typeName: string
  /**
   * The object that an API server starts from when it creates one of this kind: the zero value of the kind's Go struct, such as
   * `{spec: {containers: null}, status: {}}` for a Pod, with apiVersion, kind and metadata. All calls share it: never change it.
   */
  readonly emptyObject: MapValue
}

/** Finds built-in kinds. A `TypeFinder` as a `FieldManager` takes it. */
export interface KubernetesTypes {
  /** Returns the type of the kind; undefined if the kind is not built in. */
  find(apiVersion: string, kind: string): KubernetesType | undefined
}

/** The Kubernetes release that the types belong to, such as "1.37.2". */
export const kubernetesRelease: string = release

let schema: Schema | undefined
let schemaWithUnions: Schema | undefined
let kinds: ReadonlyMap<string, ReadonlyMap<string, KnownKind>> | undefined
let emptyObjects: readonly MapValue[] | undefined

/** The name of the type, and the index of its empty object. */
type KnownKind = readonly [typeName: string, empty: number]

/**
 * Returns the schema of all built-in types, with the two types for fields that have no schema (one atomic, one granular). Every call returns
 * the same object: never change it. Where a policy for unions is named, a finder that returns this schema has the unions of
 * `kubernetesUnions()`.
 */
export function kubernetesSchema(): Schema {
  if (schema === undefined) {
    schema = expandSchema(schemaData)
    offerUnions(schema, kubernetesSchemaWithUnions)
  }
  return schema
}

/** Returns `kubernetesSchema()` with the unions of `kubernetesUnions()`. Every call returns the same object: never change it. */
export function kubernetesSchemaWithUnions(): Schema {
  if (schemaWithUnions === undefined) {
    const without = kubernetesSchema()
    const unions = new Map(kubernetesUnions(without).types.map(type => [type.name, type.unions]))
    const types = without.types.map(type => {
      const own = unions.get(type.name)
      return own === undefined ? type : { ...type, map: { ...type.map, unions: own } }
    })
    schemaWithUnions = { ...without, types }
  }
  return schemaWithUnions
}

/** Returns the name of a kind's type, such as "io.k8s.api.apps.v1.Deployment"; undefined if the kind is not built in. */
export function kubernetesTypeName(apiVersion: string, kind: string): string | undefined {
  return kindsByVersion().get(apiVersion)?.get(kind)?.[0]
}

/**
 * Finds the types of built-in kinds for a `FieldManager`, and the objects that it starts from. Returns undefined for all other kinds. The types
 * have unions only where a policy for unions is named, such as in `new FieldManager({ types: kubernetesTypes, unions: "extended" })`;
 * otherwise they have none, as in a cluster.
 *
 * `kubernetesTypes` (`/kubernetes`) and `kubernetes` (`/kinds`) have the same built-in kinds. `plan`, `explain`, `simulate` and the owners view answer
 * alike with either, with defaults and validation. Only `kubernetes` also checks what CustomResourceDefinitions and admission policies contain, adds
 * custom resources (`kubernetes.with(crds)`) and goes with `planAll`. `blame` and `FieldManager` use types alone, so `kubernetesTypes` is enough
 * for them, and makes a smaller bundle. `createApiServer` knows the built-in kinds already, and takes definitions as `crds`.
 *
 * @example
 * ```ts
 * import { kubernetesTypes } from "structured-merge-diff/kubernetes"
 *
 * console.log(kubernetesTypes.find("apps/v1", "Deployment")?.typeName)
 * // io.k8s.api.apps.v1.Deployment
 * ```
 */
export const kubernetesTypes: KubernetesTypes = {
  find(apiVersion, kind) {
    const known = kindsByVersion().get(apiVersion)?.get(kind)
    if (known === undefined) return undefined
    emptyObjects ??= JSON.parse(emptyData) as MapValue[]
    const [typeName, empty] = known
    return { schema: kubernetesSchema(), typeName, emptyObject: { apiVersion, kind, ...emptyObjects[empty] } }
  },
}

/** Returns every built-in kind that can be applied, sorted by apiVersion and then by kind. */
export function kubernetesKinds(): KubernetesKind[] {
  const all: KubernetesKind[] = []
  for (const [apiVersion, types] of kindsByVersion()) {
    for (const [kind, [type]] of types) all.push({ apiVersion, kind, type })
  }
  return all
}

function kindsByVersion(): ReadonlyMap<string, ReadonlyMap<string, KnownKind>> {
  if (kinds === undefined) {
    const data = JSON.parse(kindData) as Record<string, Record<string, KnownKind>>
    kinds = new Map(Object.entries(data).map(([version, types]) => [version, new Map(Object.entries(types))]))
  }
  return kinds
}
