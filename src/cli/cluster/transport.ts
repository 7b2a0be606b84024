// GET requests with Node's clients, as Responses.
import { Agent, type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps, Agent as SecureAgent } from "node:https"
import { Readable } from "node:stream"
import type { ClusterFetch } from "../../tools/cluster/requests.js"

/** Chooses a cluster. */
export interface ConnectOptions {
  /** The context; the current one if absent. */
  readonly context?: string | undefined
  /** The kubeconfig; kubectl's own choice if absent. */
  readonly kubeconfig?: string | undefined
}

/** A way to a server. */
export interface Transport {
  readonly fetch: ClusterFetch
  readonly namespace: () => Promise<string>
  /** Returns the address of the server, or "" if it is not known. */
  readonly server: () => Promise<string>
  readonly close: () => Promise<void>
}

/** The address of a server: a socket, a port of this machine, or a host with a certificate and a token. */
export type ServerAddress =
  | { readonly socketPath: string }
  | { readonly host: string; readonly port: number }
  | { readonly host: string; readonly port: number; readonly ca: string; readonly token: () => Promise<string> }

/** The most connections at a time. */
const maxSockets = 8

/** Returns a function that sends GET requests to the address, and a function that ends the connections. */
export function clientOf(address: ServerAddress): { readonly fetch: ClusterFetch; readonly end: () => void } {
  const secure = "ca" in address
  const agent = secure ? new SecureAgent({ keepAlive: true, maxSockets }) : new Agent({ keepAlive: true, maxSockets })
  const fetch: ClusterFetch = async (path, { headers, signal }) => {
    const token = secure ? { authorization: `Bearer ${await address.token()}` } : {}
    // kubectl proxy answers only requests to hosts that it knows.
    const host = secure ? {} : { host: "localhost" }
    const options = {
      ...place(address),
      agent,
      path,
      method: "GET",
      headers: { "user-agent": "smd", ...headers, ...host, ...token },
      signal,
    }
    return new Promise((resolve, reject) => {
      const sent = (secure ? requestHttps : requestHttp)(options, incoming => resolve(responseOf(incoming)))
      sent.on("error", reject)
      sent.end()
    })
  }
  return { fetch, end: () => agent.destroy() }
}

function place(address: ServerAddress) {
  if ("socketPath" in address) return { socketPath: address.socketPath }
  const { host, port } = address
  return "ca" in address ? { host, port, ca: address.ca } : { host, port }
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode = 0, headers } = incoming
  const hasBody = statusCode !== 204 && statusCode !== 304
  if (!hasBody) incoming.resume()
  const body = hasBody ? (Readable.toWeb(incoming) as ReadableStream<Uint8Array>) : null
  const kept = ["content-type", "retry-after"].flatMap(name => {
    const value = headers[name]
    return typeof value === "string" ? [[name, value] as const] : []
  })
  return new Response(body, { status: statusCode, headers: Object.fromEntries(kept) })
}
