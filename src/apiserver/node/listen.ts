// The server on a port of this machine, for kubectl and other clients.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { RequestFailure } from "../../kinds/refusal/failure.js"
import { joined } from "../../value/bytes.js"
import { type ApiAnswer, respond, type WatchLines } from "../answer/response.js"
import type { ServerRequest } from "../request/request.js"
import { type ApiServer, type ApiServerOptions, createApiServer } from "../server.js"
import { answerByFetch } from "./by-fetch.js"
import { type Guard, guardFor, malformed } from "./guard.js"

/** Where a server listens, besides how it is made. */
export interface ListenOptions extends ApiServerOptions {
  /** A server that is there already; the other options are not used then. */
  readonly server?: ApiServer | undefined
  /**
   * Answers requests in the place of the server's `fetch`, which it mostly calls: to log, to delay or to refuse them. Without it the server
   * answers in less time, since it needs no Request and no Response.
   */
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
  const guard = guardFor([host, ...hosts])
  const answerer = options.fetch === undefined ? answerBy(server) : answerByFetch(options.fetch)
  const http = createServer(limits, (incoming, outgoing) => {
    serve(guard, answerer, incoming, outgoing).catch(() => outgoing.destroy())
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

/** Answers what came in, and whose headers were read. */
type Answerer = (
  incoming: IncomingMessage,
  headers: ServerRequest["headers"],
  outgoing: ServerResponse,
) => Promise<ApiAnswer>

/** Answers by the server itself. */
function answerBy(server: ApiServer): Answerer {
  return (incoming, headers) => {
    const { method = "GET", url = "/" } = incoming
    return server.answer({ method, path: url, headers, body: most => readAll(incoming, most) })
  }
}

async function serve(
  guard: Guard,
  answerer: Answerer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const answer = await guarded(guard, answerer, incoming, outgoing)
  if (outgoing.destroyed) {
    if (isStream(answer.body)) void answer.body.return()
    return
  }
  const { status, headers, body } = answer
  const isHead = incoming.method === "HEAD"
  if (isStream(body)) outgoing.writeHead(status, headers)
  else outgoing.writeHead(status, status === 304 ? headers : { ...headers, "content-length": Buffer.byteLength(body) })
  if (!incoming.complete) discard(incoming)
  if (!isStream(body)) outgoing.end(isHead ? "" : body)
  else if (isHead) {
    void body.return()
    outgoing.end()
  } else await send(body, outgoing)
}

async function guarded(
  guard: Guard,
  answerer: Answerer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<ApiAnswer> {
  const headers = headersOf(incoming)
  let failure: RequestFailure | undefined
  try {
    failure = guard(headers)
  } catch {
    return malformed
  }
  // A method that no web page can send, and that no Request can have.
  if (incoming.method === "TRACE") return malformed
  return failure === undefined
    ? answerer(incoming, headers, outgoing)
    : respond(failure.code, failure.status, undefined, [])
}

function isStream(body: ApiAnswer["body"]): body is WatchLines {
  return typeof body !== "string" && !(body instanceof Uint8Array)
}

/** The headers by their names in lower case, several of a name as one. */
function headersOf({ rawHeaders }: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    const value = rawHeaders[i + 1] as string
    const before = headers[name]
    headers[name] = before === undefined ? value : `${before}, ${value}`
  }
  return headers
}

/** Reads a body. Resolves to undefined if it has more than `most` bytes; rejects if it is cut off. */
function readAll(incoming: IncomingMessage, most: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    incoming.on("data", (chunk: Uint8Array) => {
      length += chunk.byteLength
      if (length <= most) chunks.push(chunk)
      else {
        // The rest stays where it is until it is thrown away.
        incoming.removeAllListeners("data").pause()
        resolve(undefined)
      }
    })
    incoming.once("end", () => resolve(joined(chunks)))
    incoming.once("error", reject)
    incoming.once("close", () => reject(new Error("the connection was closed")))
  })
}

/** Throws away what is left of a body that was refused unread. To cut it off at once could lose the answer on its way. */
function discard(incoming: IncomingMessage): void {
  // Whoever read the request would stop it again.
  incoming.removeAllListeners("data").resume()
  const cutOff = setTimeout(() => incoming.complete || incoming.destroy(), lingering)
  incoming.once("close", () => clearTimeout(cutOff))
}

/** Sends a watch as fast as the client reads it, until its end or until the client is gone. */
async function send(lines: WatchLines, outgoing: ServerResponse): Promise<void> {
  outgoing.once("close", () => void lines.return())
  // A watch that has nothing to say yet is there all the same.
  outgoing.flushHeaders()
  while (!outgoing.destroyed) {
    const { done, value } = await lines.next()
    if (done === true) break
    if (!outgoing.write(value)) await drained(outgoing)
  }
  void lines.return()
  outgoing.end()
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
