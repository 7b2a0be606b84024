import type { ServerRequest } from "./request/request.js"

/** A request that the server has answered. */
export interface LoggedRequest {
  /** The HTTP method. */
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** The User-Agent header; "" if the request has none. */
  readonly userAgent: string
  /** The HTTP status of the response; 0 if a fault broke the connection. */
  readonly status: number
  /** The annotations that admission policies and webhooks add to the audit log. Absent if there are none. */
  readonly audit?: Readonly<Record<string, string>> | undefined
}

/**
 * How many requests the log keeps at least, unless their texts are longer than `maxLogLength`: one address may have a million characters.
 */
const minRequests = 10_000
const maxLogLength = 64 * 1024 * 1024

/** The requests that a server has answered most recently. */
export class RequestLog {
  /** The oldest request first. */
  readonly requests: LoggedRequest[] = []
  private characters = 0

  /** Adds a request. `annotations` are those of the audit log. */
  add(
    { method, path, search, headers }: ServerRequest,
    status: number,
    annotations: ReadonlyMap<string, string>,
  ): void {
    const { requests } = this
    const logged = { method, path: path + search, userAgent: headers["user-agent"] ?? "", status }
    const request = annotations.size === 0 ? logged : { ...logged, audit: Object.fromEntries(annotations) }
    requests.push(request)
    this.characters += charactersOf(request)
    // Dropping half of the log at a time keeps the cost per request constant.
    if (requests.length <= minRequests * 2 && this.characters <= maxLogLength) return
    for (const dropped of requests.splice(0, Math.floor(requests.length / 2))) this.characters -= charactersOf(dropped)
  }
}

function charactersOf({ path, userAgent, audit = {} }: LoggedRequest): number {
  const annotations = Object.entries(audit).flat().join("").length
  return path.length + userAgent.length + annotations
}
