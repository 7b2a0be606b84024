/** Requests that tests send to a server in memory. */
import { type ApiServer, createApiServer } from "../../src/apiserver/server.js"

/** A response. */
export interface Sent {
  readonly status: number
  /** The header `warning`; "" without one. */
  readonly warnings: string
  /** The value of JSON, or any other body as text. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of any kind
  readonly body: any
}

const contentTypes = {
  json: "application/json",
  apply: "application/apply-patch+yaml",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  jsonPatch: "application/json-patch+json",
} as const

/** A type of bodies. */
export type ContentType = keyof typeof contentTypes

/** Sends a request with a JSON body. */
export async function send(
  server: Pick<ApiServer, "fetch">,
  method: string,
  path: string,
  body?: object,
  type: ContentType = "json",
): Promise<Sent> {
  const request = new Request(`http://test${path}`, {
    method,
    headers: { "content-type": contentTypes[type] },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const response = await server.fetch(request)
  const text = await response.text()
  return {
    status: response.status,
    warnings: response.headers.get("warning") ?? "",
    body: text.startsWith("{") ? JSON.parse(text) : text,
  }
}

/** Returns `send` for one server. */
export function clientOf(server: Pick<ApiServer, "fetch"> = createApiServer()) {
  return (method: string, path: string, body?: object, type?: ContentType): Promise<Sent> =>
    send(server, method, path, body, type)
}
