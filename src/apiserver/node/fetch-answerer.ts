// Answers HTTP requests with the caller's `fetch` function, which `smd serve --record` uses.
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import type { ServerRequest } from "../request/request.js"
import type { ApiAnswer, WatchLines } from "../response/response.js"
import { malformed } from "./guard.js"

/** Answers HTTP requests by calling `fetch`. The signal of the Request fires when the client disconnects. */
export function answerWithFetch(fetch: (request: Request) => Promise<Response>) {
  return async (
    incoming: IncomingMessage,
    headers: ServerRequest["headers"],
    outgoing: ServerResponse,
  ): Promise<ApiAnswer> => {
    const aborted = new AbortController()
    outgoing.on("close", () => aborted.abort())
    let request: Request
    try {
      request = toWebRequest(incoming, headers, aborted.signal)
    } catch {
      return malformed
    }
    const response = await fetch(request)
    const responseHeaders: Record<string, string> = {}
    response.headers.forEach((value, name) => {
      responseHeaders[name] = value
    })
    return {
      status: response.status,
      headers: responseHeaders,
      body: response.body === null ? "" : chunksOf(response.body),
    }
  }
}

function toWebRequest(incoming: IncomingMessage, headers: ServerRequest["headers"], signal: AbortSignal): Request {
  const { method = "GET", url = "/" } = incoming
  const hasBody = method !== "GET" && method !== "HEAD"
  const body = hasBody && { body: Readable.toWeb(incoming), duplex: "half" }
  const init = { method, headers: headers as Record<string, string>, signal, ...body }
  // The target of "OPTIONS *" is not a path. Without the slash it would become a part of the host.
  const path = url.startsWith("/") ? url : `/${url}`
  return new Request(`http://${headers.host ?? "localhost"}${path}`, init as RequestInit)
}

/** Iterates over the chunks of a body. */
function chunksOf(body: ReadableStream<Uint8Array>): WatchLines {
  const reader = body.getReader()
  const chunks: WatchLines = {
    [Symbol.asyncIterator]: () => chunks,
    next: async () => {
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done, value }
    },
    return: async () => {
      await reader.cancel().catch(() => undefined)
      return { done: true, value: undefined }
    },
  }
  return chunks
}
