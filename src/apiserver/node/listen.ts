// The server on a port of this machine, for kubectl and other clients.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { type ApiServer, type ApiServerOptions, createApiServer } from "../server.js"
import { type Fetch, guarded } from "./guard.js"

/** Where a server listens, besides how it is made. */
export interface ListenOptions extends ApiServerOptions {
  /** A server that is there already; the other options are not used then. */
  readonly server?: ApiServer | undefined
  /** Answers requests in the place of the server's `fetch`, which it mostly calls: to log, to delay or to refuse them. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** The port; 0, or absent, for one that is free. */
  readonly port?: number | undefined
  /** The address; 127.0.0.1 if absent. The server has no authentication: whoever reaches it can do everything. */
  readonly host?: string | undefined
  /**
   * Names under which clients may ask for the server, besides addresses, `localhost` and `host`. Requests for other names get 403: a web
   * page could have made its own name lead here.
   */
  readonly hosts?: readonly string[] | undefined
}

/** A server that listens. */
export interface Listening {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string
  /** The text of a kubeconfig for it. */
  readonly kubeconfig: string
  /** The server behind it. */
  readonly server: ApiServer
  /** Ends all watches and connections, and stops listening. */
  close(): Promise<void>
}

/** Starts to listen. Rejects if the port can't be had. */
export async function listen(options: ListenOptions = {}): Promise<Listening> {
  const { host = "127.0.0.1", port = 0, hosts = [] } = options
  const server = options.server ?? createApiServer(options)
  const fetch = guarded(options.fetch ?? server.fetch, [host, ...hosts])
  const http = createServer(limits, (incoming, outgoing) => {
    serve(fetch, incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject)
    http.listen(port, host, resolve)
  })
  const address = http.address()
  const actual = typeof address === "object" && address !== null ? address.port : port
  const reachable = anyHost[host] ?? host
  const url = `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${actual}`
  return {
    url,
    kubeconfig: kubeconfigFor(url),
    server,
    close: () => {
      server.close()
      http.closeAllConnections()
      return new Promise((resolve, reject) => http.close(error => (error === undefined ? resolve() : reject(error))))
    },
  }
}

/** As a real API server: bytes of headers, milliseconds that an idle connection stays open. */
const limits = { maxHeaderSize: 1024 * 1024, keepAliveTimeout: 90_000 }

/** How long a client may go on sending a body that was refused unread, in milliseconds. */
const lingering = 2_000

/** Where a server that listens at all addresses is found from this machine. */
const anyHost: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

async function serve(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const aborted = new AbortController()
  outgoing.on("close", () => aborted.abort())
  const response = await answer(fetch, incoming, aborted.signal)
  outgoing.writeHead(response.status, headersOf(response))
  if (!incoming.complete) discard(incoming)
  // A watch that has nothing to say yet is there all the same.
  outgoing.flushHeaders()
  if (response.body !== null && incoming.method !== "HEAD") await send(response.body, outgoing)
  outgoing.end()
}

async function answer(fetch: Fetch, incoming: IncomingMessage, signal: AbortSignal): Promise<Response> {
  let request: Request
  try {
    request = requestOf(incoming, signal)
  } catch {
    // A Host, a target or a method that no Request can have.
    return new Response("400 Bad Request", { status: 400, headers: { "content-type": "text/plain; charset=utf-8" } })
  }
  return fetch(request)
}

/** Throws away what is left of a body that was refused unread. To cut it off at once could lose the answer on its way. */
function discard(incoming: IncomingMessage): void {
  // The stream that the request was read from would stop it again.
  incoming.removeAllListeners("data").resume()
  const cutOff = setTimeout(() => incoming.complete || incoming.destroy(), lingering)
  incoming.once("close", () => clearTimeout(cutOff))
}

/** Sends a body as fast as the client reads it, until its end or until the client is gone. */
async function send(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader()
  outgoing.once("close", () => void reader.cancel().catch(() => undefined))
  while (!outgoing.destroyed) {
    const { done, value } = await reader.read()
    if (done) return
    if (!outgoing.write(value)) await drained(outgoing)
  }
  await reader.cancel()
}

/** Resolves once the client has read what was written, or is gone. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      outgoing.off("drain", done).off("close", done)
      resolve()
    }
    outgoing.on("drain", done).on("close", done)
    if (outgoing.destroyed || !outgoing.writableNeedDrain) done()
  })
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/" } = incoming
  const headers = new Headers()
  for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i] as string, incoming.rawHeaders[i + 1] as string)
  }
  const hasBody = method !== "GET" && method !== "HEAD"
  const init = { method, headers, signal, ...(hasBody && { body: Readable.toWeb(incoming), duplex: "half" }) }
  // The target of "OPTIONS *" is not a path, and must not become a part of the host.
  const path = url.startsWith("/") ? url : `/${url}`
  return new Request(`http://${headers.get("host") ?? "localhost"}${path}`, init as RequestInit)
}

function headersOf(response: Response): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  response.headers.forEach((value, name) => {
    headers[name] = value
  })
  return headers
}

/** There is no TLS to be verified; the clients of JavaScript refuse an address without it unless they are told. */
function kubeconfigFor(url: string): string {
  return `apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: ${JSON.stringify(url)}, insecure-skip-tls-verify: true}}]
users: [{name: test, user: {}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
current-context: test
`
}
