// Clients that send applies.

import { formatJson, parseJson, tryParseJson } from "../../json/json.js"
import { escapeForYaml } from "../../json/quote.js"
import { listedResources } from "../../kinds/resource/resource-list.js"
import {
  aFunction,
  aNumber,
  aString,
  type Expected,
  optional,
  requireArgument,
  requireOptions,
} from "../../value/argument.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue, type Value } from "../../value/value.js"
import type { Send, SendRequest } from "./request.js"

const applyPatch = "application/apply-patch+yaml"

/** An API server refused a request. */
export class RefusedError extends Error {
  /** The HTTP status. */
  readonly code: number
  /** The body of the response: a Status if it came from an API server, text if something else responded. */
  readonly status: Value
  /** The seconds to wait before the request is sent again, if the server asks for that. */
  readonly retryAfter?: number

  /** @internal */
  constructor(code: number, status: Value, header?: string | null) {
    super(isMap(status) ? textAt(status, "message") : answer(code, status))
    this.name = "RefusedError"
    this.code = code
    this.status = status
    const inStatus = isMap(status) ? own(mapAt(status, "details"), "retryAfterSeconds") : undefined
    const seconds = secondsOf(header) ?? secondsOf(inStatus)
    if (seconds !== undefined) this.retryAfter = seconds
  }
}

/** Returns the message for a response without a Status: its first line, unless it is long, as a page is. */
function answer(code: number, text: Value): string {
  const [line = ""] = String(text ?? "")
    .trim()
    .split("\n")
  return `the server answered with ${code}${line === "" || line.length > 200 ? "" : `: ${line}`}`
}

/** The options of `sendByFetch`. */
export interface FetchOptions {
  /** Sends a request; the global `fetch` if absent. The `fetch` of a test API server works too. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Headers of each request, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The namespace of objects that need one but don't name it; `default` if absent. */
  readonly namespace?: string | undefined
}

/** A resource that an API server serves. */
interface Resource {
  readonly plural: string
  readonly namespaced: boolean
}

/**
 * Sends applies with `fetch` to the API server at this address. It asks the server once per version for the resources of kinds. The
 * returned function throws a RefusedError if the server refuses.
 */
export function sendByFetch(url: string, options: FetchOptions = {}): Send {
  requireOptions("options", options)
  const { fetch: given = fetch, headers = {}, namespace: fallback = "default" } = options
  requireArgument("options.namespace", fallback, aPathPart)
  const lists = new Map<string, Promise<ReadonlyMap<string, Resource>>>()

  const ask = async (path: string, init: RequestInit): Promise<MapValue> => {
    const response = await given(new Request(url.replace(/\/$/, "") + path, init))
    const text = await response.text()
    if (!response.ok) {
      throw new RefusedError(response.status, tryParseJson(text) ?? text, response.headers.get("retry-after"))
    }
    return parseJson(text) as MapValue
  }
  const resourceOf = async (base: string, kind: string): Promise<Resource> => {
    const list = lists.get(base) ?? ask(base, { headers }).then(resourcesByKind)
    lists.set(base, list)
    try {
      const found = (await list).get(kind)
      if (found !== undefined) return found
    } catch (error) {
      lists.delete(base)
      if (!(error instanceof RefusedError && error.code === 404)) throw error
    }
    lists.delete(base) // The definition may be created later.
    const message = `the server does not serve ${kind} at ${base}`
    throw new RefusedError(404, {
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "NotFound",
      code: 404,
      message,
    })
  }

  return async request => {
    requireRequest(request)
    const { apiVersion, kind, name, subresource, manager, force, config } = request
    const base = `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}`
    const { plural, namespaced } = await resourceOf(base, kind)
    const namespace = request.namespace || fallback
    const parts = [...(namespaced ? ["namespaces", namespace] : []), plural, name, subresource].filter(
      part => part !== "",
    )
    const query = new URLSearchParams({ fieldManager: manager, force: String(force) })
    return ask(`${base}/${parts.map(encodeURIComponent).join("/")}?${query}`, {
      method: "PATCH",
      headers: { ...headers, "content-type": applyPatch },
      body: escapeForYaml(formatJson(config)),
    })
  }
}

/** Throws a TypeError for a request of a program in JavaScript that lacks something: the manager would be called undefined. */
function requireRequest(request: SendRequest): void {
  const [text, flag] = [aString, { name: "a boolean", fits: (value: unknown) => typeof value === "boolean" }]
  const named = { apiVersion: text, kind: text, name: text, subresource: text, manager: text, force: flag }
  requireOptions("request", request, named)
  requireArgument("request.name", request.name, aPathPart)
  if (request.namespace) requireArgument("request.namespace", request.namespace, aPathPart)
  if (request.subresource !== "") requireArgument("request.subresource", request.subresource, aPathPart)
}

/** A client would resolve the steps `.` and `..`, and then write something else. */
const aPathPart: Expected = {
  name: "a name",
  fits: value => typeof value === "string" && !["", ".", ".."].includes(value),
}

function resourcesByKind(list: MapValue): ReadonlyMap<string, Resource> {
  return new Map(listedResources(list).map(resource => [resource.kind, resource]))
}

/** The part of a `KubernetesObjectApi` of @kubernetes/client-node that `sendByClient` uses. */
export interface ObjectClient {
  /** Sends a patch. */
  patch(
    spec: object,
    pretty: undefined,
    dryRun: undefined,
    fieldManager: string,
    force: boolean,
    patchStrategy: "application/apply-patch+yaml",
    options: never,
  ): Promise<object>
}

/** The part of a `KubernetesObjectApi` other than its methods that is used here. */
interface ClientConfiguration {
  readonly baseServer: {
    makeRequestContext(path: string, method: string): { setBody(body: string): void }
  }
}

/**
 * Sends applies with a `KubernetesObjectApi` of @kubernetes/client-node: `sendByClient(KubernetesObjectApi.makeApiClient(kubeConfig))`. The
 * server receives the configuration unchanged, whereas the client itself would drop fields that its classes rename, such as `from` of a
 * NetworkPolicy. The returned function throws an ApiException of the client if the server refuses. Throws a TypeError for another client.
 */
export function sendByClient(client: ObjectClient): Send {
  const configuration = configurationOf(client)
  return async request => {
    requireRequest(request)
    const { apiVersion, kind, namespace, name, manager, force } = request
    // The client finds the path by these, and writes the namespace into them.
    const spec = { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } }
    const changed = withBody(configuration, request) as never
    return client.patch(spec, undefined, undefined, manager, force, applyPatch, changed)
  }
}

function configurationOf(client: ObjectClient): ClientConfiguration {
  const found: unknown = Reflect.get(client, "configuration")
  if (typeof found === "object" && found !== null && "baseServer" in found) return found as ClientConfiguration
  throw new TypeError("expected a KubernetesObjectApi of @kubernetes/client-node")
}

/** Returns the configuration of the client, with the path and body of this request. */
function withBody(configuration: ClientConfiguration, { config, subresource }: SendRequest): ClientConfiguration {
  const makeRequestContext = (path: string, method: string) => {
    const whole = subresource === "" ? path : `${path}/${encodeURIComponent(subresource)}`
    const context = configuration.baseServer.makeRequestContext(whole, method)
    context.setBody(escapeForYaml(formatJson(config)))
    context.setBody = () => {}
    return context
  }
  return { ...configuration, baseServer: { makeRequestContext } }
}

/** The options of `withRetries`. */
export interface RetryOptions {
  /** How often an apply is sent again at most; 4 if absent. */
  readonly retries?: number | undefined
  /** Waits before an apply is sent again; a timer if absent. A test can advance its clock instead. */
  readonly wait?: ((milliseconds: number) => Promise<unknown>) | undefined
}

/**
 * Returns a function that sends an apply again if it may succeed later:
 *
 * - after the HTTP status 429, 500, 502, 503 or 504. It is the `code`, `statusCode` or `status` of the error, or the `status` of its `response`.
 * - without a status, after a TimeoutError, a network error of `fetch`, and an error of a connection: its `code`, or that of a cause, is
 *   ECONNRESET, ETIMEDOUT or the like.
 *
 * Every other error is thrown at once, such as an AbortError, a wrong URL or an unknown host. Without an answer, the server may have stored the
 * object, but the same apply changes nothing the second time. Waits for the seconds in the header Retry-After or in the Status or, if there are
 * none, for 1, 2, 4 seconds and so on, but an hour at most. Throws the last error.
 */
export function withRetries(send: Send, options: RetryOptions = {}): Send {
  requireArgument("send", send, aFunction)
  requireOptions("options", options, { retries: optional(aNumber), wait: optional(aFunction) })
  const { retries = 4, wait = sleep } = options
  return async request => {
    for (let tried = 0; ; tried++) {
      try {
        return await send(request)
      } catch (error) {
        if (tried >= retries || !mayPass(error)) throw error
        await wait(Math.min(retryAfter(error) ?? 2 ** tried, longestWait) * 1000)
      }
    }
  }
}

/** In seconds. A timer can't wait for longer than 24 days: it would end at once. */
const longestWait = 60 * 60

function sleep(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds))
}

const passingStatuses: readonly unknown[] = [429, 500, 502, 503, 504]
const connectionCodes =
  /^(E(CONN(REFUSED|RESET|ABORTED)|TIMEDOUT|PIPE|AI_AGAIN|HOSTUNREACH|NETUNREACH|NETDOWN)|UND_ERR_(SOCKET|(CONNECT|HEADERS|BODY)_TIMEOUT)|ERR_STREAM_PREMATURE_CLOSE|ERR_NETWORK)$/
/** The messages of Node, Chrome, Firefox and Safari. Browsers give no cause. */
const networkMessages = /^(fetch failed|Failed to fetch|network error|NetworkError when attempting|Load failed)/i

/** Whether the request may succeed later. */
function mayPass(error: unknown): boolean {
  const statuses = [...["code", "statusCode", "status"].map(key => at(error, key)), at(at(error, "response"), "status")]
  const status = statuses.find(each => typeof each === "number" && each >= 400)
  if (status !== undefined) return passingStatuses.includes(status)
  const isNetworkError = error instanceof TypeError && error.cause === undefined && networkMessages.test(error.message)
  return isNetworkError || at(error, "name") === "TimeoutError" || lostConnection(error)
}

function lostConnection(error: unknown): boolean {
  // A chain of causes may be a circle.
  for (let depth = 0, each = error; depth < 5 && each !== undefined; depth++, each = at(each, "cause")) {
    const code = at(each, "code")
    if (typeof code === "string" && connectionCodes.test(code)) return true
  }
  return false
}

/** Returns the seconds to wait that the server asks for, from an error of this package, @kubernetes/client-node or axios. */
function retryAfter(error: unknown): number | undefined {
  if (error instanceof RefusedError) return error.retryAfter
  const response = at(error, "response") ?? error
  const body = at(response, "body") ?? at(response, "data")
  const status = typeof body === "string" ? tryParseJson(body) : body
  return secondsOf(headerOf(at(response, "headers"))) ?? secondsOf(at(at(status, "details"), "retryAfterSeconds"))
}

/** Returns the header Retry-After of a Headers object, or of a plain object with names in any case. */
function headerOf(headers: unknown): unknown {
  if (typeof headers !== "object" || headers === null) return undefined
  if ("get" in headers && typeof headers.get === "function") return headers.get("retry-after")
  return Object.entries(headers).find(([name]) => name.toLowerCase() === "retry-after")?.[1]
}

function secondsOf(value: unknown): number | undefined {
  return /^\s*\d+(\.\d+)?\s*$/.test(String(value)) ? Number(value) : undefined
}

/** Returns a property of an object, also an inherited one; undefined for another value. */
function at(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined
}
