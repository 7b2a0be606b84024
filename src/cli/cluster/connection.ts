// Connects to a cluster: through `kubectl proxy`, or in a pod with the token of its service account.
import type { DocumentCache } from "../../tools/cluster/documents.js"
import type { ClusterFetch } from "../../tools/cluster/requests.js"
import { documentCache } from "./cache-folder.js"
import { podConnection } from "./in-pod.js"
import { startProxy } from "./kubectl-proxy.js"
import type { ConnectOptions } from "./transport.js"

/** A connection that can only read. */
export interface Connection {
  readonly fetch: ClusterFetch
  /** Keeps documents of this cluster between runs. */
  readonly cache: DocumentCache
  /** The namespace of the context. */
  readonly namespace: () => Promise<string>
  /** Ends the connection. */
  readonly close: () => Promise<void>
}

/** Connects to the cluster. Rejects with an Error that says why it can't. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const transport = (await podConnection(options)) ?? (await startProxy(options))
  const { fetch, namespace, server, close } = transport
  return { fetch, namespace, close, cache: documentCache(server) }
}
