/**
 * Two operators whose bugs Sieve found, rebuilt from the bug reports with as much of their logic as the bugs need, each with its bug and with the
 * fix that the report proposes.
 */
import type { ApiServer } from "../../src/apiserver/index.js"
import { metaText } from "../../src/schema/metadata.js"
import { listAt, mapAt } from "../../src/value/fields.js"
import type { MapValue } from "../../src/value/value.js"
import { definitionOf } from "../support/definition.js"

const namespace = "default"
const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`
const pods = `/api/v1/namespaces/${namespace}/pods`
const group = "example.com/v1"
const plural = (kind: string) => `/apis/${group}/namespaces/${namespace}/${kind.toLowerCase()}s`

/** Definitions of the custom resources of both operators. */
export const definitions = ["ZookeeperCluster", "CassandraDatacenter"].map(kind => {
  return definitionOf(kind, {
    schema: { properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } } },
  })
})

/** A refusal, or no answer at all. */
class RequestFailed extends Error {
  readonly code: number

  constructor(code: number) {
    super(`the request failed with ${code}`)
    this.code = code
  }
}

/** Sends a request as a client does. Throws a RequestFailed unless the answer is a success that arrives whole. */
async function send(server: ApiServer, method: string, path: string, body?: object): Promise<MapValue> {
  const headers = { "content-type": "application/json", "user-agent": "operator" }
  try {
    const answer = await server.answer({
      method,
      path,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    let text = ""
    if (typeof answer.body === "string") text = answer.body
    else for await (const part of answer.body as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(part)
    if (answer.status >= 400) throw new RequestFailed(answer.status)
    return JSON.parse(text)
  } catch (error) {
    // The server drops the connection.
    if (error instanceof TypeError) throw new RequestFailed(0)
    throw error
  }
}

/** What an informer keeps: the objects of a path, from a list of any version and a watch after it. */
class Cache {
  readonly objects = new Map<string, MapValue>()
  private readonly server: ApiServer
  private readonly path: string
  private version = ""
  private lines: AsyncIterator<Uint8Array> | undefined
  private next: Promise<IteratorResult<Uint8Array>> | undefined

  constructor(server: ApiServer, path: string) {
    this.server = server
    this.path = path
  }

  /** Takes all events that have come. If the watch has ended, watches again. Without a state, lists, and leaves the watch to the next call. */
  async sync(): Promise<void> {
    if (this.version === "") return this.list()
    this.lines ??= await this.watch()
    for (;;) {
      this.next ??= this.lines.next()
      const read = await Promise.race([this.next, settled()]).catch(() => ({ done: true as const, value: undefined }))
      if (read === undefined) return
      this.next = undefined
      if (read.done === true) {
        this.lines = undefined
        return
      }
      for (const line of new TextDecoder().decode(read.value).trimEnd().split("\n")) this.take(JSON.parse(line))
    }
  }

  private async list(): Promise<void> {
    const list = await send(this.server, "GET", `${this.path}?resourceVersion=0`)
    this.objects.clear()
    for (const item of listAt(list, "items") as readonly MapValue[]) this.objects.set(metaText(item, "name"), item)
    this.version = metaText(list, "resourceVersion")
  }

  private async watch(): Promise<AsyncIterator<Uint8Array>> {
    const path = `${this.path}?watch=true&resourceVersion=${this.version}`
    const { status, body } = await this.server
      .answer({ method: "GET", path, headers: { "user-agent": "operator" } })
      .catch(() => {
        throw new RequestFailed(0)
      })
    if (status >= 400) throw new RequestFailed(status)
    return (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  }

  private take({ type, object }: { readonly type: string; readonly object: MapValue }): void {
    if (type === "ERROR") {
      this.version = ""
      return
    }
    this.version = metaText(object, "resourceVersion")
    if (type === "DELETED") this.objects.delete(metaText(object, "name"))
    else this.objects.set(metaText(object, "name"), object)
  }
}

/** Resolves once everything that can happen without time has happened. */
function settled(): Promise<undefined> {
  return new Promise(resolve => setImmediate(() => resolve(undefined)))
}

/** An operator, as a process that can be restarted. */
export interface Operator {
  /** Takes events and reconciles. A request that fails ends the round; the next round tries again. */
  round(): Promise<void>
}

function operator(caches: readonly Cache[], reconcile: () => Promise<void>): Operator {
  return {
    round: async () => {
      try {
        for (const cache of caches) await cache.sync()
        await reconcile()
      } catch (error) {
        if (!(error instanceof RequestFailed)) throw error
      }
    },
  }
}

async function ignoring(code: number, sent: Promise<unknown>): Promise<void> {
  await sent.catch(error => {
    if (!(error instanceof RequestFailed && error.code === code)) throw error
  })
}

async function exists(server: ApiServer, path: string): Promise<boolean> {
  let isThere = true
  await send(server, "GET", path).catch(error => {
    if (!(error instanceof RequestFailed && error.code === 404)) throw error
    isThere = false
  })
  return isThere
}

const finalizer = "example.com/claims"

/**
 * pravega/zookeeper-operator#312: a cluster with a deletionTimestamp loses its claims, which are found by the name of the cluster. A stale state of an
 * earlier cluster of the same name thus deletes the claims of the present one. Fixed: claims are found by the uid of the cluster.
 */
export function zookeeperOperator(server: ApiServer, isFixed: boolean): Operator {
  const clusters = new Cache(server, plural("ZookeeperCluster"))
  const finalize = async (cluster: MapValue) => {
    const selector = isFixed ? `uid=${metaText(cluster, "uid")}` : `app=${metaText(cluster, "name")}`
    const found = await send(server, "GET", `${claims}?labelSelector=${selector}`)
    for (const claim of listAt(found, "items") as readonly MapValue[]) {
      await ignoring(404, send(server, "DELETE", `${claims}/${metaText(claim, "name")}`))
    }
    await update(cluster, [])
  }
  const update = (cluster: MapValue, finalizers: readonly string[]) => {
    const metadata = { ...mapAt(cluster, "metadata"), finalizers }
    return send(server, "PUT", `${plural("ZookeeperCluster")}/${metaText(cluster, "name")}`, {
      ...cluster,
      apiVersion: group,
      kind: "ZookeeperCluster",
      metadata,
    })
  }
  return operator([clusters], async () => {
    for (const cluster of clusters.objects.values()) {
      const hasFinalizer = listAt(mapAt(cluster, "metadata"), "finalizers").length > 0
      if (metaText(cluster, "deletionTimestamp") !== "") {
        if (hasFinalizer) await finalize(cluster)
        continue
      }
      if (!hasFinalizer) await update(cluster, [finalizer])
      const [app, uid] = [metaText(cluster, "name"), metaText(cluster, "uid")]
      for (let i = 0; i < Number(mapAt(cluster, "spec").replicas); i++) {
        await ignoring(409, send(server, "POST", claims, claimOf(`data-${app}-${i}`, { app, uid })))
      }
    }
  })
}

/**
 * instaclustr/cassandra-operator#398: a pod that is seen with a deletionTimestamp loses its claim. A pod that was gone before anybody looked keeps it
 * forever. Fixed: the claims of pods that are neither wanted nor there go. The operator asks the server about both, since a cache may be old.
 */
export function cassandraOperator(server: ApiServer, isFixed: boolean): Operator {
  const path = plural("CassandraDatacenter")
  const datacenters = new Cache(server, path)
  const cache = new Cache(server, pods)
  const remove = (pod: string) => ignoring(404, send(server, "DELETE", `${claims}/data-${pod}`))
  const nodesOf = (datacenter: MapValue) => Number(mapAt(datacenter, "spec").nodes)
  const indexOf = (pod: string) => Number(/\d+$/.exec(pod)?.[0])
  return operator([datacenters, cache], async () => {
    for (const [name, cached] of datacenters.objects) {
      for (const [pod, object] of cache.objects) {
        const isLeaving = metaText(object, "deletionTimestamp") !== "" && indexOf(pod) >= nodesOf(cached)
        if (isLeaving) await remove(pod)
      }
      if (!isFixed) continue
      const nodes = nodesOf(await send(server, "GET", `${path}/${name}`))
      const found = await send(server, "GET", `${claims}?labelSelector=app=${name}`)
      for (const claim of listAt(found, "items") as readonly MapValue[]) {
        const pod = metaText(claim, "name").slice("data-".length)
        if (indexOf(pod) >= nodes && !(await exists(server, `${pods}/${pod}`))) await remove(pod)
      }
    }
  })
}

/** Returns a claim with these labels. */
export function claimOf(name: string, labels: { readonly [name: string]: string }) {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } }
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name, labels }, spec }
}
