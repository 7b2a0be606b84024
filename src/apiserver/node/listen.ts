// Serves the API server over HTTP on a port of this machine, for kubectl and other clients.
import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http"
import type { Duplex } from "node:stream"
import type { RequestFailure } from "../../kinds/refusal/failure.js"
import { joined } from "../../value/bytes.js"
import { readTokens, type Tokens } from "../authorization/users.js"
import type { ApiServerOptions } from "../options.js"
import type { ServerRequest } from "../request/request.js"
import { type ApiAnswer, respond, type WatchLines } from "../response/response.js"
import { ApiServer, createApiServer } from "../server.js"
import { callWebhookByHttps } from "./call-webhook.js"
import { answerWithFetch } from "./fetch-answerer.js"
import { type Guard, guardFor, malformed } from "./guard.js"
import { onWebSocket, sendMessages, wantsWebSocket } from "./web-socket.js"

/** Options of `listen`: where the server listens, and the options of the server itself. */
export interface ListenOptions extends ApiServerOptions {
  /** An existing server, which makes `listen` ignore the ApiServerOptions. If absent, `listen` creates a server. */
  readonly server?: ApiServer | undefined
  /**
   * Answers requests instead of the server, to log, delay or refuse them; usually it calls `server.fetch`. Without it the server answers
   * faster, since it creates no Request and no Response.
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** The port. If absent or 0: a free one. */
  readonly port?: number | undefined
  /** The address; 127.0.0.1 if absent. Anyone who can reach the server can do anything. */
  readonly host?: string | undefined
  /**
   * Host names that clients may use for the server, in addition to IP addresses, `localhost` and `host`. Requests for other hosts get 403,
   * since a web page could have made its own host name resolve to this machine.
   */
  readonly hosts?: readonly string[] | undefined
}

/** A listening server. */
export interface Listening {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string
  /** The text of a kubeconfig for the server. */
  readonly kubeconfig: string
  /** The server that answers the requests. */
  readonly server: ApiServer
  /** Ends all watches and connections, and stops listening. */
  close(): Promise<void>
}

/**
 * Starts a test API server that listens on a port: `createApiServer` with an address for clients. To give an existing server an address, pass
 * it as `server`. Rejects if the port is not available.
 *
 * @example
 * ```ts
 * import { listen } from "structured-merge-diff/apiserver/node"
 *
 * const { url, server, close } = await listen()
 * await server.apply({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" } }, { manager: "gitops" })
 * const response = await fetch(`${url}/api/v1/namespaces/default/configmaps/settings`)
 * console.log(response.status)
 * // 200
 * await close()
 * ```
 */
export async function listen(options: ListenOptions = {}): Promise<Listening> {
  if (options instanceof ApiServer) throw new TypeError("options: expected an object, got a server; pass { server }")
  const { host = "127.0.0.1", port = 0, hosts = [] } = options
  const server = options.server ?? createApiServer({ callWebhook: callWebhookByHttps, ...options })
  const guard = guardFor([host, ...hosts])
  const answerer = options.fetch === undefined ? answerWithServer(server) : answerWithFetch(options.fetch)
  const answer = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    serve(guard, answerer, incoming, outgoing).catch(() => incoming.socket.destroy())
  }
  const http = createServer(limits, answer)
  onWebSocket(http, answer)
  http.on("clientError", (error, socket) => void answerUnread(server, guard, error, socket))
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject)
    http.listen(port, host, resolve)
  })
  const address = http.address()
  const actualPort = typeof address === "object" && address !== null ? address.port : port
  const reachableHost = loopbackOf[host] ?? host
  const url = `http://${reachableHost.includes(":") ? `[${reachableHost}]` : reachableHost}:${actualPort}`
  return {
    url,
    kubeconfig: kubeconfigFor(url, readTokens(server.tokens ?? "")),
    server,
    close: () => {
      server.close()
      http.closeAllConnections()
      return new Promise((resolve, reject) => http.close(error => (error === undefined ? resolve() : reject(error))))
    },
  }
}

/** The limits of a real API server: the bytes of the headers, and the milliseconds for which an idle connection stays open. */
const limits = { maxHeaderSize: 1024 * 1024, keepAliveTimeout: 90_000 }

/** How long a client may go on sending a refused body, in milliseconds. */
const maxDiscardTime = 2_000

/** The loopback address for a server that listens on all addresses. */
const loopbackOf: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" }

/** Answers a request whose headers have been read. */
type Answerer = (
  incoming: IncomingMessage,
  headers: ServerRequest["headers"],
  outgoing: ServerResponse,
) => Promise<ApiAnswer>

function answerWithServer(server: ApiServer): Answerer {
  return (incoming, headers) => {
    const { method = "GET", url = "/" } = incoming
    return server.answer({ method, path: url, headers, body: limit => readAll(incoming, limit) })
  }
}

async function serve(
  guard: Guard,
  answerer: Answerer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const answer = await answerIfAllowed(guard, answerer, incoming, outgoing)
  if (outgoing.destroyed) {
    if (isStream(answer.body)) void answer.body.return()
    return
  }
  const { status, headers } = answer
  if (isStream(answer.body) && wantsWebSocket(incoming)) return await sendMessages(answer.body, incoming)
  const body = encodeLong(answer.body)
  const isHead = incoming.method === "HEAD"
  if (isStream(body)) outgoing.writeHead(status, headers)
  else outgoing.writeHead(status, status === 304 ? headers : { ...headers, "content-length": Buffer.byteLength(body) })
  if (!incoming.complete) discard(incoming)
  if (!isStream(body)) outgoing.end(isHead ? "" : body)
  else if (isHead) {
    void body.return()
    outgoing.end()
  } else await sendWatch(body, outgoing)
}

async function answerIfAllowed(
  guard: Guard,
  answerer: Answerer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<ApiAnswer> {
  const headers = readHeaders(incoming)
  // A web Request can't have the method TRACE.
  if (incoming.method === "TRACE") return malformed
  return answerAllowed(guard, headers, () => answerer(incoming, headers, outgoing))
}

/** Answers a request that the guard allows, or refuses it. */
async function answerAllowed(
  guard: Guard,
  headers: ServerRequest["headers"],
  answer: () => Promise<ApiAnswer>,
): Promise<ApiAnswer> {
  let failure: RequestFailure | undefined
  try {
    failure = guard(headers)
  } catch {
    return malformed
  }
  return failure === undefined ? answer() : respond(failure.code, failure.status, undefined, [])
}

/** The statuses with which Node answers requests that its parser refuses for these reasons; 400 for any other reason. */
const refusals: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** Answers a request that Node's parser refuses. Go's parser reads any method, so the server answers methods that Node does not know. */
async function answerUnread(server: ApiServer, guard: Guard, error: Error, socket: Duplex): Promise<void> {
  const { code = "", rawPacket } = error as { readonly code?: string; readonly rawPacket?: Buffer }
  let answer: ApiAnswer = { ...malformed, status: refusals[code] ?? 400 }
  const [head = ""] = rawPacket?.toString("latin1").split("\r\n\r\n", 1) ?? []
  const [line = "", ...fields] = head.split("\r\n")
  const [, method, path] = /^([A-Z]{1,32}) (\/\S*) HTTP\/1\.1$/.exec(line) ?? []
  if (code === "HPE_INVALID_METHOD" && method !== undefined && path !== undefined) {
    const pairs = fields.flatMap(field => field.split(/:\s*(.*)/s, 2))
    const headers = readHeaders({ rawHeaders: pairs })
    answer = await answerAllowed(guard, headers, () => server.answer({ method, path, headers }))
  }
  if (!socket.writable) return
  const body = isStream(answer.body) ? Buffer.alloc(0) : Buffer.from(answer.body)
  const headers = { ...answer.headers, "content-length": body.byteLength, connection: "close" }
  const status = `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`
  const lines = [status, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), "", ""]
  socket.end(Buffer.concat([Buffer.from(lines.join("\r\n"), "latin1"), body]))
}

/** Encodes a long text once. Node goes through a text twice: to count its bytes, and to write them. */
function encodeLong(body: ApiAnswer["body"]): ApiAnswer["body"] {
  return typeof body === "string" && body.length > longText ? Buffer.from(body) : body
}

/** Node sends a shorter text together with the headers. */
const longText = 64 * 1024

function isStream(body: ApiAnswer["body"]): body is WatchLines {
  return typeof body !== "string" && !(body instanceof Uint8Array)
}

/** Returns header values by lower-case name. Several headers of one name are joined by commas. */
function readHeaders({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): Record<string, string> {
  const headers: Record<string, string> = Object.create(null)
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase()
    const value = rawHeaders[i + 1] as string
    const before = headers[name]
    headers[name] = before === undefined ? value : `${before}, ${value}`
  }
  return headers
}

/** Reads a body. Resolves to undefined if it has more than `limit` bytes; rejects if it is cut off. */
function readAll(incoming: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    incoming.on("data", (chunk: Uint8Array) => {
      length += chunk.byteLength
      if (length <= limit) chunks.push(chunk)
      else {
        // The rest stays unread until `discard`.
        incoming.removeAllListeners("data").pause()
        resolve(undefined)
      }
    })
    incoming.once("end", () => resolve(joined(chunks)))
    incoming.once("error", reject)
    // Creating an error captures the stack, which costs a tenth of a small request.
    incoming.once("close", () => incoming.complete || reject(new Error("the connection was closed")))
  })
}

/** Reads and drops the rest of a refused body. Closing the connection at once could lose the response. */
function discard(incoming: IncomingMessage): void {
  // The listeners of `readAll` would pause the request again.
  incoming.removeAllListeners("data").resume()
  const timeout = setTimeout(() => incoming.complete || incoming.destroy(), maxDiscardTime)
  incoming.once("close", () => clearTimeout(timeout))
}

/** Sends a watch as fast as the client reads it, until the watch ends or the client disconnects. */
async function sendWatch(lines: WatchLines, outgoing: ServerResponse): Promise<void> {
  outgoing.once("close", () => void lines.return())
  // The client must see that the watch has begun before its first event.
  outgoing.flushHeaders()
  while (!outgoing.destroyed) {
    const { done, value } = await lines.next()
    if (done === true) break
    if (!outgoing.write(value)) await waitForDrain(outgoing)
    await pollEnd()
  }
  void lines.return()
  outgoing.end()
}

let nextPollEnd: Promise<void> | undefined

/**
 * Resolves once the requests that have arrived are answered. Their events then go out in one write of each watch, since a write costs far
 * more than an event. All watches wait together.
 */
function pollEnd(): Promise<void> {
  nextPollEnd ??= new Promise(resolve =>
    setImmediate(() => {
      nextPollEnd = undefined
      resolve()
    }),
  )
  return nextPollEnd
}

/** Resolves once the client has read the written data or has disconnected. */
function waitForDrain(outgoing: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      outgoing.off("drain", done).off("close", done)
      resolve()
    }
    outgoing.on("drain", done).on("close", done)
    if (outgoing.destroyed || !outgoing.writableNeedDrain) done()
  })
}

/**
 * Returns a kubeconfig with a context for the administrator and for each user of the tokens. kubectl sends tokens only over TLS, so it acts as
 * the user.
 *
 * `insecure-skip-tls-verify` is for JavaScript clients, which otherwise refuse an address without TLS.
 */
function kubeconfigFor(url: string, tokens: Tokens): string {
  const known = Array.from(tokens, ([token, { username, uid, groups }]): [string, object] => {
    const others = { ...(uid !== "" && { "as-uid": uid }), "as-groups": groups }
    return [username, { token, as: username, ...others }]
  })
  const users: [string, object][] = [["test", {}], ...known]
  const user = ([name, credentials]: [string, object]) => `{name: ${json(name)}, user: ${json(credentials)}}`
  const context = ([name]: [string, object]) => `{name: ${json(name)}, context: {cluster: test, user: ${json(name)}}}`
  return `apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: ${json(url)}, insecure-skip-tls-verify: true}}]
users: [${users.map(user).join(", ")}]
contexts: [${users.map(context).join(", ")}]
current-context: test
`
}

const json = (value: unknown): string => JSON.stringify(value)
