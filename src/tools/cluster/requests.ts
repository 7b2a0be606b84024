// Sends GET requests to an API server: a few at a time, each with a limit of time and size.
import { tryParseJson } from "../../json/json.js"
import { textAt } from "../../value/fields.js"
import { isMap, type MapValue } from "../../value/value.js"

/** The parameters of a request. The method is always GET. */
export interface ClusterRequest {
  /** The HTTP method. */
  readonly method: "GET"
  /** By name. */
  readonly headers: Readonly<Record<string, string>>
  /** Aborted when the request takes too long, and when the signal of the options is aborted. */
  readonly signal: AbortSignal
}

/** Sends a request to an API server. `path` begins with a slash and may have a query. */
export type ClusterFetch = (path: string, request: ClusterRequest) => Promise<Response>

/** The limits of requests. */
export interface RequestLimits {
  /** The number of requests at a time; 8 if absent. */
  readonly concurrency?: number | undefined
  /** The time that each request may take, in milliseconds; 30,000 if absent. */
  readonly timeout?: number | undefined
  /** The largest response, in bytes; 268,435,456 (256 MB) if absent. */
  readonly maxBytes?: number | undefined
  /** Ends all requests. */
  readonly signal?: AbortSignal | undefined
}

/** The server refused a request or did not answer it, or its answer can't be used. */
export class ClusterError extends Error {
  /** The HTTP status; 0 if there was no answer. */
  readonly status: number
  /** The reason in the server's Status, such as `Forbidden`; "" if there is none. */
  readonly reason: string

  /** @internal */
  constructor(message: string, { status = 0, reason = "", cause }: ErrorDetails = {}) {
    super(message, { cause })
    this.name = "ClusterError"
    this.status = status
    this.reason = reason
  }
}

interface ErrorDetails {
  readonly status?: number
  readonly reason?: string
  readonly cause?: unknown
}

/** How often a request is sent again if the server is too busy (429). */
const maxRetries = 3

/** The longest wait before a request is sent again, in seconds. */
const longestWait = 10

export class Requests {
  private readonly fetch: ClusterFetch
  private readonly concurrency: number
  private readonly timeout: number
  private readonly maxBytes: number
  private readonly signal: AbortSignal | undefined
  private running = 0
  private readonly waiting: (() => void)[] = []

  constructor(
    fetch: ClusterFetch,
    { concurrency = 8, timeout = 30_000, maxBytes = 2 ** 28, signal }: RequestLimits = {},
  ) {
    this.fetch = fetch
    this.concurrency = concurrency
    this.timeout = timeout
    this.maxBytes = maxBytes
    this.signal = signal
  }

  /** Returns the map in the response. Throws a ClusterError for any other response. */
  async json(path: string, accept = "application/json"): Promise<MapValue> {
    const value = tryParseJson(await this.text(path, accept))
    if (isMap(value)) return value
    throw new ClusterError(`the answer to GET ${path} is not a JSON object`)
  }

  /** Returns the text of the response. Throws a ClusterError unless the request succeeds. */
  async text(path: string, accept = "application/json"): Promise<string> {
    await this.begin()
    try {
      for (let retries = 0; ; retries++) {
        const { status, text, retryAfter } = await this.send(path, accept)
        if (status >= 200 && status < 300) return text
        if (status !== 429 || retryAfter === undefined || retries === maxRetries) throw refusal(path, status, text)
        await new Promise(resolve => setTimeout(resolve, retryAfter * 1000))
      }
    } finally {
      this.end()
    }
  }

  private async begin(): Promise<void> {
    if (this.running < this.concurrency) this.running++
    else await new Promise<void>(resolve => this.waiting.push(resolve))
  }

  private end(): void {
    const next = this.waiting.shift()
    if (next === undefined) this.running--
    else next()
  }

  private async send(path: string, accept: string) {
    const limit = AbortSignal.timeout(this.timeout)
    const signal = this.signal === undefined ? limit : AbortSignal.any([this.signal, limit])
    try {
      signal.throwIfAborted()
      const response = await this.fetch(path, { method: "GET", headers: { accept }, signal })
      const wait = Number(response.headers.get("retry-after") ?? Number.NaN)
      return {
        status: response.status,
        text: await this.readBody(path, response),
        retryAfter: wait >= 0 ? Math.min(wait, longestWait) : undefined,
      }
    } catch (error) {
      if (error instanceof ClusterError) throw error
      if (limit.aborted) throw new ClusterError(`no answer to GET ${path} within ${this.timeout / 1000} s`)
      throw new ClusterError(describeError(path, error), { cause: error })
    }
  }

  private async readBody(path: string, response: Response): Promise<string> {
    if (response.body === null) return ""
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    let text = ""
    let length = 0
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.length
      if (length > this.maxBytes) {
        await reader.cancel()
        throw new ClusterError(`the answer to GET ${path} is larger than ${this.maxBytes} bytes`)
      }
      text += decoder.decode(part.value, { stream: true })
    }
    return text + decoder.decode()
  }
}

/** Returns the message of an error. If `fetch` says only that it failed, adds the path and the cause. */
function describeError(path: string, error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  if (!(cause instanceof Error)) return message
  // Node has no message, only a code, if several addresses of a host refuse a connection.
  const why = cause.message || Reflect.get(cause, "code")
  return why === undefined ? message : `GET ${path}: ${message}: ${why}`
}

/** Returns the error for a response that is not a success: a Status, or the text of a proxy. */
function refusal(path: string, status: number, text: string): ClusterError {
  const value = tryParseJson(text)
  const message = isMap(value) ? textAt(value, "message") : (text.trim().split("\n")[0] ?? "").slice(0, 300)
  const reason = isMap(value) ? textAt(value, "reason") : ""
  const shown = message === "" ? "" : `: ${message}`
  return new ClusterError(isMap(value) && message !== "" ? message : `GET ${path}: status ${status}${shown}`, {
    status,
    reason,
  })
}
