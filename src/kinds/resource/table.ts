// The resources that are served at the moment, found by group, version and plural name.
import type { TypeFinder } from "../../managedfields/types/object-types.js"
import { parseKind } from "../../schema/group-version-kind.js"
import { metaText } from "../../schema/metadata.js"
import type { MapValue } from "../../value/value.js"
import { builtInResources } from "./built-in.js"
import type { DefinitionProblems, Resource } from "./resource.js"

/** Reads definitions. Without one, only built-in kinds are known. */
export interface KindReader {
  /** The resources that a definition defines. Throws a RequestFailure for one that can't be served. */
  readonly resources: (definition: MapValue, types: TypeFinder) => readonly Resource[]
  /** The problems of a definition that is to be stored in the place of `old`. */
  readonly check: (definition: MapValue, old: MapValue | undefined) => DefinitionProblems
  /** Splits documents into definitions and types, which fall back on the types given. Throws a SchemaError for other documents. */
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
  private byKind = new Map<string, Resource[]>()

  constructor(types: TypeFinder, reader?: KindReader) {
    this.types = types
    this.reader = reader
    this.builtIn = builtInResources(types).map(resource =>
      reader !== undefined && resource.builtIn?.definesKinds
        ? { ...resource, checkDefinition: reader.check }
        : resource,
    )
    this.index()
  }

  /** All resources: the built-in ones in the order of discovery, then those of definitions. */
  get all(): readonly Resource[] {
    return [...this.builtIn, ...[...this.custom.values()].flat()]
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.byPath.get(`${group}/${version}/${plural}`)
  }

  /** The resource that serves a kind. */
  findKind(apiVersion: string, kind: string): Resource | undefined {
    return this.ofKind(parseKind(apiVersion, kind).group, kind).find(resource => resource.apiVersion === apiVersion)
  }

  /** The resources that serve the kind of a group, in all versions. */
  ofKind(group: string, kind: string): readonly Resource[] {
    return this.byKind.get(`${group}/${kind}`) ?? []
  }

  /** The resource at the version at which its objects are stored. */
  stored(resource: Resource): Resource {
    const { storageVersion, plural } = resource
    return this.all.find(other => other.apiVersion === storageVersion && other.plural === plural) ?? resource
  }

  /** Serves what the definition defines, in place of what it defined before. Throws a RequestFailure if it can't be served. */
  define(definition: MapValue): void {
    const resources = this.reader?.resources(definition, this.types) ?? []
    const [{ plural, group } = { plural: "", group: "" }] = resources
    this.custom.set(metaText(definition, "name") || `${plural}.${group}`, resources)
    this.index()
  }

  /** Stops serving what the definition of this name defined. Returns the resources that are gone. */
  remove(name: string): readonly Resource[] {
    const gone = this.custom.get(name) ?? []
    this.custom.delete(name)
    this.index()
    return gone
  }

  private index(): void {
    const { all } = this
    this.byPath = new Map(all.map(found => [`${found.group}/${found.version}/${found.plural}`, found]))
    this.byKind = new Map()
    for (const resource of all) {
      const id = `${resource.group}/${resource.kind}`
      const known = this.byKind.get(id)
      if (known === undefined) this.byKind.set(id, [resource])
      else known.push(resource)
    }
  }
}
