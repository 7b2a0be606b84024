// Clients that send applies.

import { formatJson, parseJson, tryParseJson } from "../../json/json.js"
import { escapeForYaml } from "../../json/quote.js"
import { listedResources } from "../../kinds/resource/resource-list.js"
import { requireOptions } from "../../value/argument.js"
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
    super(isMap(status) ? textAt(status, "message") : `the server answered with ${code}`)
    this.name = "RefusedError"
    this.code = code
    this.status = status
    const inStatus = isMap(status) ? own(mapAt(status, "details"), "retryAfterSeconds") : undefined
    const seconds = Number(header ?? inStatus ?? Number.NaN)
    if (seconds >= 0) this.retryAfter = seconds
  }
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
      throw error
    }
    lists.delete(base) // The definition may be created later.
    throw new RefusedError(404, `the server does not serve ${kind} at ${base}`)
  }

  return async ({ apiVersion, kind, namespace = fallback, name, subresource, manager, force, config }) => {
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
  return request => {
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
