// Sends reviews to webhooks: to functions of this program, or over HTTP.

import { formatJson, parseJson } from "../../json/json.js"
import { mapAt, textAt } from "../../value/fields.js"
import { own } from "../../value/object.js"
import { isMap, type MapValue } from "../../value/value.js"
import type { Cluster } from "../attributes.js"

/**
 * Answers an AdmissionReview or a ConversionReview as a webhook does. Returns a review with a `response`, or only the response. The `uid` of the
 * response may be absent, and `patch` may be the list of operations itself.
 */
export type WebhookFunction = (review: MapValue) => object | Promise<object>

/** A request to a webhook. */
export interface WebhookRequest {
  /** The address of the webhook, with its timeout as a parameter. */
  readonly url: string
  /** The review as JSON. */
  readonly body: string
  /** The seconds after which the server stops waiting. */
  readonly timeoutSeconds: number
  /** The certificates that may sign the webhook's, as PEM in base64; "" if the configuration has none. */
  readonly caBundle: string
}

/** The response of a webhook over HTTP. */
export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number
  /** The body as text, which is the review with its response as JSON. */
  readonly body: string
}

/** Sends a request to a webhook. Rejects if no response arrives. */
export type WebhookTransport = (request: WebhookRequest) => Promise<WebhookResponse>

/** How the webhooks of a cluster are called. */
export interface WebhookClient {
  /** Functions by the names of webhooks, and for conversions by the names of definitions. */
  readonly functions: Readonly<Record<string, WebhookFunction>>
  /** Sends requests to the other webhooks. If absent, `fetch` does. */
  readonly transport?: WebhookTransport | undefined
  /** Returns the uid of a review; a random one if absent. */
  readonly newUid?: (() => string) | undefined
  /** Whether webhooks without a function are not called. */
  readonly onlyFunctions?: boolean | undefined
}

/** A webhook that did not answer, or not in the form of a review. */
export class CallFailed extends Error {}

/** Returns the review with the response of a webhook, or a promise of it. Throws or rejects with a CallFailed. */
export function callWebhook(
  { functions, transport = fetchTransport }: WebhookClient,
  { get }: Cluster,
  name: string,
  clientConfig: MapValue,
  timeoutSeconds: number,
  review: MapValue,
): MapValue | Promise<MapValue> {
  const answer = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (answer !== undefined) return callFunction(answer, review)
  const url = urlOf(clientConfig, timeoutSeconds)
  const failed = (why: string) => new CallFailed(`failed to call webhook: Post "${url}": ${why}`)
  const service = own(clientConfig, "service")
  if (isMap(service) && get("/services", textAt(service, "namespace"), textAt(service, "name")) === undefined) {
    throw failed(`service "${textAt(service, "name")}" not found`)
  }
  const caBundle = textAt(clientConfig, "caBundle")
  return transport({ url, body: formatJson(review), timeoutSeconds, caBundle }).then(readResponse, error => {
    throw failed(whyFailed(error, url))
  })
}

function urlOf(clientConfig: MapValue, timeoutSeconds: number): string {
  const service = mapAt(clientConfig, "service")
  const host = `${textAt(service, "name")}.${textAt(service, "namespace")}.svc:${own(service, "port") ?? 443}`
  const path = textAt(service, "path")
  const base = textAt(clientConfig, "url") || `https://${host}${path.startsWith("/") ? "" : "/"}${path}`
  return `${base}?timeout=${timeoutSeconds}s`
}

function callFunction(answer: WebhookFunction, review: MapValue): MapValue | Promise<MapValue> {
  const completed = (given: unknown): MapValue => {
    const answered = given as MapValue
    if (!isMap(answered)) throw new CallFailed("failed to call webhook: the function did not return an object")
    const response = isMap(own(answered, "response")) ? mapAt(answered, "response") : answered
    const uid = textAt(mapAt(review, "request"), "uid")
    return { apiVersion: textAt(review, "apiVersion"), kind: textAt(review, "kind"), response: { uid, ...response } }
  }
  const failed = (error: unknown) =>
    error instanceof CallFailed ? error : new CallFailed(`failed to call webhook: ${messageOf(error)}`)
  try {
    const given = answer(review)
    if (!(given instanceof Promise)) return completed(given)
    return given.then(completed).catch((error: unknown) => {
      throw failed(error)
    })
  } catch (error) {
    throw failed(error)
  }
}

async function fetchTransport({ url, body, timeoutSeconds }: WebhookRequest) {
  const headers = { "content-type": "application/json", accept: "application/json" }
  const signal = AbortSignal.timeout(timeoutSeconds * 1000)
  const response = await fetch(url, { method: "POST", headers, body, signal })
  return { status: response.status, body: await response.text() }
}

/** Reads the body of a response. Throws a CallFailed with a server's words for a response that is not a review. */
function readResponse({ status, body }: WebhookResponse): MapValue {
  const failed = (why: string) => new CallFailed(`failed to call webhook: ${why}`)
  if (status < 200 || status > 206) throw failed(refusals[status] ?? unknownRefusal(status, body))
  try {
    const review = parseJson(body)
    if (isMap(review)) return review
  } catch {
    // The text is no JSON.
  }
  throw failed("couldn't get version/kind; json parse error: the response is not a JSON object")
}

/** Returns the message of a client about a response without a Status. */
const refusals: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}

function unknownRefusal(status: number, body: string): string {
  if (status < 500) return `the server responded with the status code ${status} but did not return more information`
  return `an error on the server (${JSON.stringify(body.trim() || "unknown")}) has prevented the request from succeeding`
}

/** Returns Go's words for the failure of a request. */
function whyFailed(error: unknown, url: string): string {
  const { name, cause } = error as { readonly name?: string; readonly cause?: { readonly code?: string } }
  if (name === "TimeoutError" || name === "AbortError") return "context deadline exceeded"
  const { hostname, port } = new URL(url)
  const address = `${hostname}:${port || 443}`
  if (cause?.code === "ECONNREFUSED") return `dial tcp ${address}: connect: connection refused`
  if (cause?.code === "ENOTFOUND" || cause?.code === "EAI_AGAIN") return `dial tcp: lookup ${hostname}: no such host`
  if (cause?.code !== undefined && /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(cause.code)) {
    return "tls: failed to verify certificate: x509: certificate signed by unknown authority"
  }
  return cause === undefined ? messageOf(error) : messageOf(cause)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
