// The kinds that an API server serves: the built-in kinds of the bundled release, and the kinds of CRDs and OpenAPI documents.
import { SchemaError } from "../errors.js"
import { removedIn } from "../kubernetes/removed-versions.js"
import { isClusterScopedKind, sharedGroup } from "../kubernetes/scope.js"
import {
  kubernetesSchema,
  kubernetesSchemaWithUnions,
  kubernetesTypeName,
  kubernetesTypes,
} from "../kubernetes/types.js"
import type { FoundKind, TypeFinder } from "../managedfields/types/object-types.js"
import { sameInEveryVersion } from "../managedfields/types/version-converter.js"
import { type ObjectKind, parseKind } from "../schema/group-version-kind.js"
import { aListOfObjects, requireArgument } from "../value/argument.js"
import type { MapValue } from "../value/value.js"
import { RequestFailure } from "./refusal/failure.js"
import { pluralOf } from "./resource/plural.js"
import type { Resource } from "./resource/resource.js"
import { type KindReader, ResourceTable } from "./resource/table.js"
import { comparePreference } from "./resource/version-preference.js"

/**
 * The kinds that an API server serves, and everything it knows about each: type, versions, defaults, reset fields, validation. Implements
 * TypeFinder, so it can replace `kubernetesTypes` anywhere. Never changes: `with` returns a new object.
 */
export class Kinds implements TypeFinder {
  private readonly types: TypeFinder
  private readonly reader: KindReader | undefined
  private readonly definitions: readonly MapValue[]
  private readonly typed: TypeFinder | undefined
  private resources: ResourceTable | undefined
  /**
   * Whether these kinds are the result of `typesOnly`.
   * @internal
   */
  onlyTypes = false

  /** @internal Use `kubernetes.with`. */
  constructor(types: TypeFinder, reader?: KindReader, definitions: readonly MapValue[] = [], typed?: TypeFinder) {
    this.types = types
    this.reader = reader
    this.definitions = definitions
    this.typed = typed
  }

  /**
   * Returns these kinds with the kinds of the documents: CustomResourceDefinitions, OpenAPI v2 or v3 documents, or Lists of them. A server
   * validates and converts a custom resource, and fills in its defaults, by its definition. Kinds from OpenAPI documents have only types. A new
   * kind replaces an existing one. Throws a SchemaError for any other document, and for a definition that can't be served.
   *
   * @example
   * ```ts
   * import { kubernetes } from "structured-merge-diff/kinds"
   *
   * const widgets = {
   *   apiVersion: "apiextensions.k8s.io/v1",
   *   kind: "CustomResourceDefinition",
   *   metadata: { name: "widgets.example.com" },
   *   spec: {
   *     group: "example.com",
   *     names: { kind: "Widget", plural: "widgets" },
   *     scope: "Namespaced",
   *     versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
   *   },
   * }
   * const kinds = kubernetes.with([widgets])
   * console.log(kinds.find("example.com/v1", "Widget") !== undefined, kinds.find("v1", "Pod") !== undefined)
   * // true true
   * ```
   */
  with(documents: readonly object[]): Kinds {
    requireArgument("documents", documents, aListOfObjects)
    if (this.reader === undefined) throw new TypeError("these kinds can't be extended: use kubernetes.with")
    const { definitions, types } = this.reader.read(documents, this.types)
    const kinds = new Kinds(types, this.reader, [...this.definitions, ...definitions], this.typed)
    kinds.onlyTypes = this.onlyTypes
    kinds.table()
    return kinds
  }

  /**
   * Returns these kinds as if only their types were known, as with kinds of OpenAPI documents. Requests then merge objects and track owners,
   * and nothing else: no defaults, no validation, no admission, no fields that only a server writes.
   *
   * @example
   * ```ts
   * import { kubernetes } from "structured-merge-diff/kinds"
   * import { simulate } from "structured-merge-diff/simulator"
   *
   * const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { paused: true } }
   * console.log(simulate({ types: kubernetes }).apply("me", deployment).error?.reason)
   * // Invalid
   * const { after } = simulate({ types: kubernetes.typesOnly() }).apply("me", deployment)
   * console.log(JSON.stringify(after?.spec))
   * // {"paused":true}
   * ```
   */
  typesOnly(): Kinds {
    const kinds = this.typedBy(this.typed)
    kinds.onlyTypes = true
    return kinds
  }

  /**
   * Returns these kinds with types from elsewhere, such as types with other unions.
   * @internal
   */
  typedBy(typed: TypeFinder | undefined): Kinds {
    const kinds = new Kinds(this.types, this.reader, this.definitions, typed)
    kinds.resources = this.table()
    kinds.onlyTypes = this.onlyTypes
    return kinds
  }

  /** Returns the type of a kind in any version that its definition lists, served or not; undefined for an unknown kind or version. */
  find(apiVersion: string, kind: string): FoundKind | undefined {
    const found = this.findWhole(apiVersion, kind)
    // A server starts new objects from `emptyObject`, and removes its zero values later.
    return this.onlyTypes && found !== undefined ? { schema: found.schema, typeName: found.typeName } : found
  }

  private findWhole(apiVersion: string, kind: string): FoundKind | undefined {
    if (this.typed !== undefined) return this.typed.find(apiVersion, kind)
    if (this.definitions.length > 0) {
      const { group } = parseKind(apiVersion, kind)
      const [custom] = this.table()
        .ofKind(group, kind)
        .filter(resource => resource.custom !== undefined)
      if (custom !== undefined) return custom.types.find(apiVersion, kind)
    }
    return this.types.find(apiVersion, kind)
  }

  /**
   * Returns the resource that serves a kind; undefined if none does. If only the type of a kind is known, so is only the type of its resource.
   * @internal
   */
  resource({ apiVersion, kind }: ObjectKind): Resource | undefined {
    if (this.onlyTypes) {
      const isKnown = this.find(apiVersion, kind) !== undefined
      return isKnown ? { ...plainResource(this, { apiVersion, kind }), plain: true } : undefined
    }
    const served = this.table().findKind(apiVersion, kind)
    if (served !== undefined) return this.typed === undefined ? served : { ...served, types: this.typed }
    const type = this.find(apiVersion, kind)
    if (type === undefined || this.wasRemoved(apiVersion, kind, type)) return undefined
    const { group } = parseKind(apiVersion, kind)
    if (
      this.table()
        .ofKind(group, kind)
        .some(({ custom }) => custom !== undefined)
    )
      return undefined
    return plainResource(this, { apiVersion, kind })
  }

  /**
   * Returns the resource that serves a kind if the cluster has the default settings, which serve no alpha or beta version of a built-in kind.
   * @internal
   */
  servedByDefault(kind: ObjectKind): Resource | undefined {
    const resource = this.resource(kind)
    if (resource === undefined || resource.plain || resource.verbs.length > 0) return resource
    const schema = this.findWhole(kind.apiVersion, kind.kind)?.schema
    return schema === kubernetesSchema() || schema === kubernetesSchemaWithUnions() ? undefined : resource
  }

  /** Returns the apiVersions at which a kind is served, in all groups that it has or had. Empty for an unknown kind. */
  servedVersions({ apiVersion, kind }: ObjectKind): readonly string[] {
    const { group } = parseKind(apiVersion, kind)
    const groups = new Set([group, sharedGroup({ group, kind })])
    return [...groups].flatMap(each => this.table().ofKind(each, kind)).map(resource => resource.apiVersion)
  }

  /**
   * Returns the apiVersion at which clients ask for the kind of an object by default; that of the object if its kind is not served.
   * @internal
   */
  preferredVersion({ apiVersion, kind }: ObjectKind): string {
    const served = this.table().ofKind(parseKind(apiVersion, kind).group, kind)
    const [preferred] = [...served].sort((a, b) => comparePreference(a.version, b.version))
    return preferred?.apiVersion ?? apiVersion
  }

  /** @internal */
  table(): ResourceTable {
    if (this.resources === undefined) {
      const table = new ResourceTable(this.types, this.reader)
      for (const definition of this.definitions) define(table, definition)
      this.resources = table
    }
    return this.resources
  }

  /** Whether the bundled release has a type for the kind, but no longer serves it. Documents of older clusters may serve it. */
  private wasRemoved(apiVersion: string, kind: string, { schema }: FoundKind): boolean {
    return schema === kubernetesSchema() && removedIn(apiVersion, kind) !== undefined
  }
}

let builtInKinds: Kinds | undefined

/** Returns the kinds behind a TypeFinder: the finder itself, or the built-in kinds with its types. */
export function kindsOf(types: TypeFinder): Kinds {
  if (types instanceof Kinds) return types
  builtInKinds ??= new Kinds(kubernetesTypes)
  return builtInKinds.typedBy(types)
}

function define(table: ResourceTable, definition: MapValue): void {
  try {
    table.define(definition)
  } catch (error) {
    if (!(error instanceof RequestFailure)) throw error
    throw new SchemaError(error.message, { cause: error })
  }
}

/** Returns the resource of a kind if only its type is known. */
function plainResource(types: TypeFinder, { apiVersion, kind }: ObjectKind): Resource {
  const { group, version } = parseKind(apiVersion, kind)
  return {
    group,
    version,
    apiVersion,
    plural: pluralOf(kind),
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    namespaced: !isClusterScopedKind({ group, kind }),
    verbs: [],
    shortNames: [],
    categories: [],
    subresources: [],
    storageVersion: apiVersion,
    versions: [apiVersion],
    types,
    converter: sameInEveryVersion,
    ...(kubernetesTypeName(apiVersion, kind) === undefined && { plain: true }),
  }
}
