// The server on a port of this machine, for kubectl and other clients.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { type ApiServer, type ApiServerOptions, createApiServer } from "../server.js"

/** Where a server listens, besides how it is made. */
export interface ListenOptions extends ApiServerOptions {
  /** A server that is there already; the other options are not used then. */
  readonly server?: ApiServer
  /** Answers requests in the place of the server's `fetch`, which it mostly calls: to log, to delay or to refuse them. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** The port; 0, or absent, for one that is free. */
  readonly port?: number
  /** The address; 127.0.0.1 if absent. There is no authentication: whoever reaches it can do everything. */
  readonly host?: string
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
  const { host = "127.0.0.1", port = 0 } = options
  const server = options.server ?? createApiServer(options)
  const { fetch = server.fetch } = options
  const http = createServer((incoming, outgoing) => {
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

/** Where a server that listens at all addresses is found from this machine. */
const anyHost: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

type Fetch = (request: Request) => Promise<Response>

async function serve(fetch: Fetch, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const aborted = new AbortController()
  outgoing.on("close", () => aborted.abort())
  const response = await fetch(requestOf(incoming, aborted.signal))
  // What is left of a body that was refused unread is thrown away, and the connection with it.
  if (!incoming.complete) outgoing.setHeader("connection", "close")
  outgoing.writeHead(response.status, headersOf(response))
  incoming.resume()
  // A watch that has nothing to say yet is there all the same.
  outgoing.flushHeaders()
  if (response.body === null || incoming.method === "HEAD") {
    outgoing.end()
    return
  }
  const reader = response.body.getReader()
  outgoing.on("close", () => void reader.cancel().catch(() => undefined))
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (!outgoing.write(value)) await new Promise(resolve => outgoing.once("drain", resolve).once("close", resolve))
  }
  outgoing.end()
}

function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/" } = incoming
  const headers = new Headers()
  for (let i = 0; i + 1 < incoming.rawHeaders.length; i += 2) {
    headers.append(incoming.rawHeaders[i] as string, incoming.rawHeaders[i + 1] as string)
  }
  const hasBody = method !== "GET" && method !== "HEAD"
  const init = { method, headers, signal, ...(hasBody && { body: Readable.toWeb(incoming), duplex: "half" }) }
  return new Request(`http://${headers.get("host") ?? "localhost"}${url}`, init as RequestInit)
}

function headersOf(response: Response): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {}
  response.headers.forEach((value, name) => {
    headers[name] = value
  })
  return headers
}

function kubeconfigFor(url: string): string {
  return `apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: ${JSON.stringify(url)}}}]
users: [{name: test, user: {}}]
contexts: [{name: test, context: {cluster: test, user: test}}]
current-context: test
`
}
