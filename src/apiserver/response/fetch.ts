// Adapts the server to the web `fetch` API: converts a Request to plain data, and the answer to a Response.
import { joined } from "../../value/bytes.js"
import type { ApiRequest, BodyReader } from "../request/request.js"
import type { ApiAnswer, WatchLines } from "./response.js"

/** How many bytes of a watch may wait to be read before the stream pulls no more. */
const maxQueuedBytes = 64 * 1024

/** Answers a Request by calling `answer`. The signal of the Request ends a watch. */
export async function fetchWith(
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
  const response = await answer({ method, path, headers, ...(body !== null && { body: bodyReader(body) }) })
  return toWebResponse(response, request.signal)
}

function bodyReader(body: ReadableStream<Uint8Array>): BodyReader {
  return async limit => {
    const chunks: Uint8Array[] = []
    let length = 0
    const reader = body.getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return joined(chunks)
        length += value.byteLength
        if (length > limit) return undefined
        chunks.push(value)
      }
    } finally {
      reader.releaseLock()
    }
  }
}

function toWebResponse({ status, headers, body }: ApiAnswer, signal: AbortSignal): Response {
  // The constructor throws if a Response with status 304 has a body, even an empty one.
  if (status === 304) return new Response(null, { status, headers })
  const isWhole = typeof body === "string" || body instanceof Uint8Array
  return new Response(isWhole ? (body as string) : watchStream(body, signal), { status, headers })
}

/** Streams the lines of a watch until it ends or the signal fires. */
function watchStream(lines: WatchLines, signal: AbortSignal): ReadableStream<Uint8Array> {
  const end = () => void lines.return()
  // A signal that has already fired dispatches no event.
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
    { highWaterMark: maxQueuedBytes, size: chunk => chunk.byteLength },
  )
}
