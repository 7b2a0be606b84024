// The cluster that a run reads. Objects and types of it become documents, as if they came from files.
import { formatGoJson } from "../../json/json.js"
import { objectKindOf } from "../../schema/group-version-kind.js"
import { metadataOf, metaText } from "../../schema/metadata.js"
import { Cluster } from "../../tools/cluster/cluster.js"
import type { ClusterResource } from "../../tools/cluster/discovery.js"
import { type ClusterDocument, namedVersions } from "../../tools/cluster/documents.js"
import type { ReadFailure } from "../../tools/cluster/objects.js"
import { ClusterError } from "../../tools/cluster/requests.js"
import { compareStrings } from "../../value/compare.js"
import { listAt, textAt } from "../../value/fields.js"
import { put } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import type { Secrets } from "../secrets/secrets.js"
import { printable } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import type { NamedObjects } from "./cluster-operands.js"
import type { ConnectionValues, LiveObjectValues } from "./cluster-options.js"
import { type Document, documentAt, InputError } from "./document.js"

type Connection = Awaited<ReturnType<Terminal["connect"]>>

/** The time that a request may take, in milliseconds. A user may have to log in first. */
const timeout = 120_000

/** The live object of a configuration. */
export interface ClusterObject {
  /** Undefined if the object does not exist. */
  readonly live: Document | undefined
  /** Whether the object can't be read, so that nothing is known about it. */
  readonly isUnknown: boolean
}

/** A cluster, and everything that the run has read from it. */
export class ClusterSession {
  private readonly connection: Connection
  private readonly cluster: Cluster
  private readonly report: (text: string) => void
  private readonly secrets: Secrets
  private readonly versions = new Set<string>()
  /** The groups whose types are needed at all versions. */
  private readonly groups = new Set<string>()
  private failed = false

  private constructor(connection: Connection, report: (text: string) => void, secrets: Secrets) {
    this.connection = connection
    this.report = report
    this.secrets = secrets
    this.cluster = new Cluster(connection.fetch, { cache: connection.cache, timeout })
    // The list of documents is needed in the end, and arrives together with the resources.
    this.cluster.documents([]).catch(() => undefined)
  }

  /** Connects. Throws an InputError that says why it can't. */
  static async open(
    { context, kubeconfig }: ConnectionValues,
    terminal: Terminal,
    secrets: Secrets,
  ): Promise<ClusterSession> {
    try {
      const connection = await terminal.connect({ context, kubeconfig })
      return new ClusterSession(connection, text => terminal.report(text), secrets)
    } catch (error) {
      throw new InputError(`cluster: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** Whether some objects could not be read. */
  get isIncomplete(): boolean {
    return this.failed
  }

  close(): Promise<void> {
    return this.connection.close()
  }

  /** Returns the live object of each configuration. Reports those that can't be read. */
  async liveOf(configs: readonly Document[], namespace: string | undefined): Promise<readonly ClusterObject[]> {
    return await reading(async () => {
      const values = configs.map(({ value }) => (isMap(value) ? value : {}))
      const options = { namespace: namespace ?? (await this.namespaceFor(values)) }
      const { objects, live, failures, isKnown, isServed } = await this.cluster.liveOf(values, options)
      this.remember([...values, ...objects])
      this.reportFailures(failures)
      values.forEach((value, i) => {
        if (isServed[i] || textAt(value, "kind") === "") return
        const kind = `${textAt(value, "apiVersion")} ${textAt(value, "kind")}`
        this.report(
          `${printable(`${configs[i]?.at(["kind"])}: the cluster does not serve ${kind}, so the object counts as new`)}\n`,
        )
      })
      this.checkManagedFields(objects)
      return live.map((object, i) => ({
        live: object && liveDocument(object, this.secrets),
        isUnknown: isKnown[i] !== true,
      }))
    })
  }

  /** Reports an object that is not in the cluster although the user has named it. */
  reportMissing(place: string): void {
    this.report(`${printable(`${place}: the object is not in the cluster`)}\n`)
    this.failed = true
  }

  /** Returns the objects that the operands name. Reports those that can't be read. */
  async objects(named: NamedObjects, args: LiveObjectValues): Promise<readonly Document[]> {
    return await reading(async () => {
      const { objects, failures } = await this.read(named, args)
      this.remember(objects)
      this.reportFailures(failures)
      this.checkManagedFields(objects)
      return objects.map(object => liveDocument(object, this.secrets))
    })
  }

  /** The namespace of the context. */
  namespace(): Promise<string> {
    return this.connection.namespace()
  }

  /** Returns the objects that the cluster's admission reads for requests in these namespaces. Reports those that can't be read. */
  async admissionObjects(namespaces: readonly string[]): Promise<readonly Document[]> {
    return await reading(async () => {
      const { objects, failures } = await this.cluster.admissionObjects(namespaces)
      this.reportFailures(failures)
      return objects.map(object => liveDocument(object, this.secrets))
    })
  }

  /** Returns the definition of an object's kind; undefined if the kind is built in, or the definition may not be read. */
  async definitionOf(object: Value): Promise<Document | undefined> {
    return await reading(async () => {
      const { apiVersion, kind } = objectKindOf(object)
      const resources = await this.cluster.resources()
      const resource = resources.find(each => each.apiVersion === apiVersion && each.kind === kind)
      const definitions = resources.find(each => each.kind === "CustomResourceDefinition")
      if (resource === undefined || definitions === undefined) return undefined
      const name = `${resource.plural}.${resource.group}`
      const { objects } = await this.cluster.get([{ resource: definitions, name }])
      return objects.map(object => liveDocument(object, this.secrets))[0]
    })
  }

  private async read(named: NamedObjects, args: LiveObjectValues) {
    if (named.names === undefined) {
      const { resources, selection } = await this.selected(named.types, args)
      return await this.cluster.list(resources, selection)
    }
    const namespace = args.namespace ?? (await this.connection.namespace())
    const addresses = await Promise.all(
      named.names.map(async ({ type, name }) => {
        const resources = await this.cluster.resourcesNamed(type)
        return resources.map(resource => ({ resource, namespace, name }))
      }),
    )
    return await this.cluster.get(addresses.flat())
  }

  private async selected(types: readonly string[] | undefined, args: LiveObjectValues) {
    const namespace = args.allNamespaces ? undefined : (args.namespace ?? (await this.connection.namespace()))
    const found =
      types === undefined
        ? (await this.cluster.ownedResources()).filter(({ namespaced }) => namespaced || namespace === undefined)
        : (await Promise.all(types.map(type => this.cluster.resourcesNamed(type)))).flat()
    return {
      resources: [...new Set(found)],
      selection: { namespace, labelSelector: args.selector, fieldSelector: args.fieldSelector },
    }
  }

  /** Prepares to read the selected objects as lines of JSON. Types of all versions of their groups are loaded from now on. */
  async stream(named: NamedObjects, args: LiveObjectValues): Promise<AsyncIterable<Uint8Array>> {
    return await reading(async () => {
      if (named.names !== undefined) {
        const documents = await this.objects(named, args)
        return (async function* () {
          for (const { value } of documents) yield lineOf(value)
        })()
      }
      const { resources, selection } = await this.selected(named.types, args)
      for (const { group } of resources) this.groups.add(group)
      return this.linesOf(resources, selection)
    })
  }

  private async *linesOf(
    resources: readonly ClusterResource[],
    selection: Parameters<Cluster["pages"]>[1] & object,
  ): AsyncGenerator<Uint8Array> {
    for (const resource of resources) {
      const seen = new Set<string>()
      try {
        for await (const { objects } of this.cluster.pages(resource, selection)) {
          for (const object of objects) {
            // A list that has begun again has objects of earlier pages.
            const name = `${metaText(object, "namespace")}/${metaText(object, "name")}`
            if (seen.has(name)) continue
            seen.add(name)
            yield lineOf(object)
          }
        }
      } catch (error) {
        if (!(error instanceof ClusterError) || error.status === 0) throw error
        this.reportFailures([error])
      }
    }
  }

  /** Returns the OpenAPI documents for everything that was read. */
  async documents(): Promise<readonly ClusterDocument[]> {
    return await reading(async () => {
      const objects = Array.from(this.versions, apiVersion => ({ apiVersion }))
      const [some, all] = await Promise.all([
        this.cluster.documents(objects),
        this.groups.size === 0 ? [] : this.cluster.documentsOfGroups([...this.groups]),
      ])
      return [...new Map([...some, ...all].map(document => [document.name, document])).values()]
    })
  }

  /** Returns the namespace of the context if a configuration needs one. */
  private async namespaceFor(configs: readonly MapValue[]): Promise<string> {
    return configs.every(config => metaText(config, "namespace") !== "") ? "default" : await this.connection.namespace()
  }

  private remember(objects: readonly MapValue[]): void {
    for (const version of namedVersions(objects)) this.versions.add(version)
  }

  private reportFailures(failures: readonly Pick<ReadFailure, "message">[]): void {
    for (const { message } of failures) this.report(`${printable(`cluster: ${message}`)}\n`)
    if (failures.length > 0) this.failed = true
  }

  private checkManagedFields(objects: readonly MapValue[]): void {
    if (objects.length === 0 || objects.some(object => listAt(metadataOf(object), "managedFields").length > 0)) return
    const which = objects.length === 1 ? "the object has no" : `none of the ${objects.length} objects has`
    this.report(
      `cluster: ${which} managedFields; a server or proxy may leave them out (Accept: drop=), so owners are unknown\n`,
    )
  }
}

/** Returns the result of `read`. Throws an InputError if the cluster can't be read. */
async function reading<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ClusterError) throw new InputError(`cluster: ${error.message}`)
    throw error
  }
}

function liveDocument(object: MapValue, secrets: Secrets): Document {
  const namespace = metaText(object, "namespace")
  const file = `${textAt(object, "kind")} ${namespace === "" ? "" : `${namespace}/`}${metaText(object, "name")}`
  return documentAt({ file, position: undefined }, { file, text: "" }, sorted(object), secrets)
}

/** Returns the value with the keys of its maps in the order in which kubectl prints them. */
function sorted(value: MapValue): MapValue
function sorted(value: Value): Value
function sorted(value: Value): Value {
  if (isList(value)) return value.map(item => sorted(item))
  if (!isMap(value)) return value
  const out: Record<string, Value> = {}
  for (const key of Object.keys(value).sort(compareStrings)) put(out, key, sorted(value[key] as Value))
  return out
}

function lineOf(object: Value): Uint8Array {
  return new TextEncoder().encode(`${formatGoJson(object, { sorted: true })}\n`)
}
