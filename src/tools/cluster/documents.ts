// Reads the OpenAPI documents of groups and versions. A cluster names a hash in the address of each, so copies stay valid.
import { tryParseJson } from "../../json/json.js"
import { readManagedFields } from "../../managedfields/entries/entry.js"
import { isApiVersion } from "../../schema/group-version-kind.js"
import { mapAt, textAt } from "../../value/fields.js"
import { isMap, type MapValue } from "../../value/value.js"
import { ClusterError, type Requests } from "./requests.js"

/** Keeps the texts of documents between runs. Failures must not reject: `read` then resolves to undefined. */
export interface DocumentCache {
  /** Returns the text that was written with the key; undefined if there is none. */
  read(key: string): Promise<string | undefined>
  /** Stores a text. A key has letters, digits, dots, slashes and dashes, and contains the hash of the document. */
  write(key: string, text: string): Promise<void>
}

/** The OpenAPI v3 document of a group and version. */
export interface ClusterDocument {
  /** The name in the cluster's index: `apis/apps/v1`. */
  readonly name: string
  /** `apps/v1`. */
  readonly apiVersion: string
  /** The parsed document. */
  readonly document: MapValue
}

/** The addresses of a cluster's documents. */
export class DocumentIndex {
  private readonly paths: MapValue
  private readonly requests: Requests
  private readonly cache: DocumentCache | undefined
  private readonly known = new Map<string, Promise<ClusterDocument>>()

  private constructor(paths: MapValue, requests: Requests, cache: DocumentCache | undefined) {
    this.paths = paths
    this.requests = requests
    this.cache = cache
  }

  static async read(requests: Requests, cache: DocumentCache | undefined): Promise<DocumentIndex> {
    return new DocumentIndex(mapAt(await requests.json("/openapi/v3"), "paths"), requests, cache)
  }

  /** Returns the documents of those apiVersions that the cluster serves, in the order of the index. */
  find(apiVersions: Iterable<string>): Promise<readonly ClusterDocument[]> {
    const wanted = new Map(Array.from(apiVersions, apiVersion => [documentName(apiVersion), apiVersion]))
    const names = Object.keys(this.paths).filter(name => wanted.has(name))
    return Promise.all(names.map(name => this.document(name, wanted.get(name) ?? "")))
  }

  /** Returns every apiVersion of the index. */
  apiVersions(): readonly string[] {
    return Object.keys(this.paths).flatMap(name =>
      /^(?:api|apis\/[^/]+)\/[^/]+$/.test(name) ? [name.replace(/^apis?\//, "")] : [],
    )
  }

  private document(name: string, apiVersion: string): Promise<ClusterDocument> {
    let found = this.known.get(name)
    if (found === undefined) {
      found = this.load(name, apiVersion).catch(error => {
        this.known.delete(name)
        throw error
      })
      this.known.set(name, found)
    }
    return found
  }

  private async load(name: string, apiVersion: string): Promise<ClusterDocument> {
    const address = textAt(mapAt(this.paths, name), "serverRelativeURL")
    if (!address.startsWith("/openapi/v3/")) {
      throw new ClusterError(`the cluster's index of OpenAPI documents has no usable address for ${name}`)
    }
    const [, hash] = /[?&]hash=([0-9A-Za-z]+)(?:&|$)/.exec(address) ?? []
    const key = hash === undefined || !/^[\w./-]+$/.test(name) ? undefined : `${name}/${hash}`
    const cached = key === undefined ? undefined : parsed(await this.cache?.read(key))
    if (cached !== undefined) return { name, apiVersion, document: cached }
    const text = await this.requests.text(address)
    const document = parsed(text)
    if (document === undefined)
      throw new ClusterError(`the OpenAPI document ${name} of the cluster is not a JSON object`)
    if (key !== undefined) await this.cache?.write(key, text)
    return { name, apiVersion, document }
  }
}

function documentName(apiVersion: string): string {
  return apiVersion.includes("/") ? `apis/${apiVersion}` : `api/${apiVersion}`
}

function parsed(text: string | undefined): MapValue | undefined {
  const value = text === undefined ? undefined : tryParseJson(text)
  return isMap(value) ? value : undefined
}

/** Returns the apiVersions that the objects name: their own, and those of the entries of their managedFields. */
export function namedVersions(objects: Iterable<object>): ReadonlySet<string> {
  const found = new Set<string>()
  for (const object of objects) {
    const own = isMap(object as MapValue) ? textAt(object as MapValue, "apiVersion") : ""
    for (const version of [own, ...(readManagedFields(object) ?? []).map(({ apiVersion = "" }) => apiVersion)]) {
      if (version !== "" && isApiVersion(version)) found.add(version)
    }
  }
  return found
}
