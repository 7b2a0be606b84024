// Requests that a function of the caller answers, which takes a web Request: as `smd serve --record` does.
import type { IncomingMessage, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import type { ApiAnswer, WatchLines } from "../answer/response.js"
import type { ServerRequest } from "../request/request.js"
import { malformed } from "./guard.js"

/** Answers what came in by a function that takes a Request. Its signal tells when the client is gone. */
export function answerByFetch(fetch: (request: Request) => Promise<Response>) {
  return async (
    incoming: IncomingMessage,
    headers: ServerRequest["headers"],
    outgoing: ServerResponse,
  ): Promise<ApiAnswer> => {
    const aborted = new AbortController()
    outgoing.on("close", () => aborted.abort())
    let request: Request
    try {
      request = requestOf(incoming, headers, aborted.signal)
    } catch {
      return malformed
    }
    const response = await fetch(request)
    const answered: Record<string, string> = {}
    response.headers.forEach((value, name) => {
      answered[name] = value
    })
    return { status: response.status, headers: answered, body: response.body === null ? "" : linesOf(response.body) }
  }
}

function requestOf(incoming: IncomingMessage, headers: ServerRequest["headers"], signal: AbortSignal): Request {
  const { method = "GET", url = "/" } = incoming
  const hasBody = method !== "GET" && method !== "HEAD"
  const body = hasBody && { body: Readable.toWeb(incoming), duplex: "half" }
  const init = { method, headers: headers as Record<string, string>, signal, ...body }
  // The target of "OPTIONS *" is not a path, and must not become a part of the host.
  const path = url.startsWith("/") ? url : `/${url}`
  return new Request(`http://${headers.host ?? "localhost"}${path}`, init as RequestInit)
}

/** The parts of a body as they come. */
function linesOf(body: ReadableStream<Uint8Array>): WatchLines {
  const reader = body.getReader()
  const lines: WatchLines = {
    [Symbol.asyncIterator]: () => lines,
    next: async () => {
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done, value }
    },
    return: async () => {
      await reader.cancel().catch(() => undefined)
      return { done: true, value: undefined }
    },
  }
  return lines
}
