// The server behind a web `fetch`: a Request as plain data, and an answer as a Response.
import { joined } from "../../value/bytes.js"
import type { ApiRequest, BodyReader } from "../request/request.js"
import type { ApiAnswer, WatchLines } from "./response.js"

/** How many bytes of a watch wait to be read before no more are asked for. */
const mostWaiting = 64 * 1024

/** Answers a Request by `answer`. Its signal ends a watch. */
export async function fetchBy(
  answer: (request: ApiRequest) => Promise<ApiAnswer>,
  request: Request,
): Promise<Response> {
  const { pathname, search, host } = new URL(request.url)
  const { method, body } = request
  const headers: Record<string, string> = { host }
  request.headers.forEach((value, name) => {
    headers[name] = value
  })
  const path = pathname + search
  const answered = await answer({ method, path, headers, ...(body !== null && { body: readerOf(body) }) })
  return responseOf(answered, request.signal)
}

function readerOf(body: ReadableStream<Uint8Array>): BodyReader {
  return async most => {
    const chunks: Uint8Array[] = []
    let length = 0
    const reader = body.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return joined(chunks)
        length += value.byteLength
        if (length > most) return undefined
        chunks.push(value)
      }
    } finally {
      reader.releaseLock()
    }
  }
}

function responseOf({ status, headers, body }: ApiAnswer, signal: AbortSignal): Response {
  // A Response with this status must have no body, not even an empty one.
  if (status === 304) return new Response(null, { status, headers })
  const isWhole = typeof body === "string" || body instanceof Uint8Array
  return new Response(isWhole ? (body as string) : streamOf(body, signal), { status, headers })
}

/** The lines of a watch as a stream, until the signal fires. */
function streamOf(lines: WatchLines, signal: AbortSignal): ReadableStream<Uint8Array> {
  const end = () => void lines.return()
  // A signal that has fired already tells nobody.
  if (signal.aborted) end()
  signal.addEventListener("abort", end)
  return new ReadableStream<Uint8Array>(
    {
      pull: async controller => {
        const { done, value } = await lines.next()
        if (done !== true) return controller.enqueue(value)
        signal.removeEventListener("abort", end)
        controller.close()
      },
      cancel: () => {
        signal.removeEventListener("abort", end)
        end()
      },
    },
    { highWaterMark: mostWaiting, size: chunk => chunk.byteLength },
  )
}
