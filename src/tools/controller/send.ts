// Clients that send applies.

import { formatJson, parseJson, tryParseJson } from "../../json/json.js"
import { escapeForYaml } from "../../json/quote.js"
import { listedResources } from "../../kinds/resource/resource-list.js"
import { aFunction, aNumber, aString, optional, requireArgument, requireOptions } from "../../value/argument.js"
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
    const seconds = Number(header ?? inStatus ?? Number.NaN)
    if (seconds >= 0) this.retryAfter = seconds
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
    const { apiVersion, kind, namespace = fallback, name, subresource, manager, force, config } = request
    const base = `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}`
    const { plural, namespaced } = await resourceOf(base, kind)
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
 * Returns a function that sends an apply again if it may succeed later: after 429, 500, 502, 503 and 504, and if there was no answer, as
 * after a cut connection. The server may have stored the object then, but the same apply changes nothing the second time. Waits for the time
 * in the header Retry-After or, if there is none, for 1, 2, 4 seconds and so on. Throws the last error.
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
        await wait((retryAfter(error) ?? 2 ** tried) * 1000)
      }
    }
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds))
}

/** Whether the request may succeed later. An error of a client without an HTTP status means that there was no answer. */
function mayPass(error: unknown): boolean {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined
  return typeof code === "number" ? [429, 500, 502, 503, 504].includes(code) : error instanceof Error
}

/** Returns the seconds of the header Retry-After, of this package's error or of an ApiException of @kubernetes/client-node. */
function retryAfter(error: unknown): number | undefined {
  if (error instanceof RefusedError) return error.retryAfter
  const headers: unknown = Reflect.get(error as Error, "headers")
  const seconds = Number((headers as Readonly<Record<string, string>> | undefined)?.["retry-after"] ?? Number.NaN)
  return seconds >= 0 ? seconds : undefined
}
