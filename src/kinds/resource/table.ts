// The resources that are served at present, by group, version and plural name.

import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { parseKind } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import { groupBy } from "../../value/groups.js"
import type { MapValue } from "../../value/value.js"
import { builtInResources } from "./built-in.js"
import type { CompilingCheck, Resource } from "./resource.js"

/** Reads definitions. A table without a reader knows only built-in kinds. */
export interface KindReader {
  /** Returns the resources of a definition. Throws a RequestFailure for a definition that can't be served. */
  readonly resources: (definition: MapValue, types: TypeFinder) => readonly Resource[]
  /** The checks of built-in kinds that compile rules in CEL, by group and kind. */
  readonly checks: Readonly<Record<string, CompilingCheck>>
  /** Splits documents into definitions and types. The types fall back on `types`. Throws a SchemaError for other documents. */
  readonly read: (
    documents: readonly object[],
    types: TypeFinder,
  ) => { readonly definitions: readonly MapValue[]; readonly types: TypeFinder }
}

export class ResourceTable {
  private readonly builtIn: readonly Resource[]
  /** By the name of the definition. */
  private readonly custom = new Map<string, readonly Resource[]>()
  private readonly types: TypeFinder
  private readonly reader: KindReader | undefined
  private byPath = new Map<string, Resource>()
  private groups = new Set<string>()
  private byKind = new Map<string, Resource[]>()

  constructor(types: TypeFinder, reader?: KindReader) {
    this.types = types
    this.reader = reader
    this.builtIn = builtInResources(types).map(resource => {
      const compilingCheck = reader?.checks[`${resource.group}/${resource.kind}`]
      return compilingCheck === undefined ? resource : { ...resource, compilingCheck }
    })
    this.index()
  }

  /** Returns a table with the same resources. */
  fork(): ResourceTable {
    const fork: ResourceTable = Object.create(ResourceTable.prototype)
    // The indexes of a table are replaced as a whole.
    return Object.assign(fork, this, { custom: new Map(this.custom) })
  }

  /** All resources: the built-in ones in the order of discovery, then those of definitions. */
  get all(): readonly Resource[] {
    return [...this.builtIn, ...[...this.custom.values()].flat()]
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.byPath.get(`${group}/${version}/${plural}`)
  }

  /** Whether a resource of the group is served. */
  hasGroup(group: string): boolean {
    return this.groups.has(group)
  }

  /** Returns the resource that serves a kind. */
  findKind(apiVersion: string, kind: string): Resource | undefined {
    return this.ofKind(parseKind(apiVersion, kind).group, kind).find(resource => resource.apiVersion === apiVersion)
  }

  /** Returns the resources that serve a kind of a group, in all versions. */
  ofKind(group: string, kind: string): readonly Resource[] {
    return this.byKind.get(`${group}/${kind}`) ?? []
  }

  /** Returns the resource at its storage version. */
  stored(resource: Resource): Resource {
    const { storageVersion, plural } = resource
    return this.all.find(other => other.apiVersion === storageVersion && other.plural === plural) ?? resource
  }

  /** Serves the resources of a definition, which replace those of its earlier state. Throws a RequestFailure if they can't be served. */
  define(definition: MapValue): void {
    const resources = this.reader?.resources(definition, this.types) ?? []
    const [{ plural, group } = { plural: "", group: "" }] = resources
    this.custom.set(metaText(definition, "name") || `${plural}.${group}`, resources)
    this.index()
  }

  /** Stops serving the resources of the definition with this name, and returns them. */
  remove(name: string): readonly Resource[] {
    const removed = this.custom.get(name) ?? []
    this.custom.delete(name)
    this.index()
    return removed
  }

  private index(): void {
    const { all } = this
    this.byPath = new Map(all.map(resource => [`${resource.group}/${resource.version}/${resource.plural}`, resource]))
    this.groups = new Set(all.map(({ group }) => group))
    this.byKind = groupBy(all, ({ group, kind }) => `${group}/${kind}`)
  }
}
