// The file of `--record`: each request with its answer on a line.
import { closeSync, openSync, writeSync } from "node:fs"
import { parseJson, writeJson } from "../../json/json.js"
import type { MapValue, Value } from "../../value/value.js"
import { InputError } from "../input/document.js"
import { whyUnwritable } from "../input/input.js"
import { printable } from "../output/layout.js"
import type { Terminal } from "../terminal.js"

/** What is kept of headers. What proves who somebody is stays out: Authorization, cookies, certificates. */
const requestHeaders = ["accept", "content-type", "if-none-match", "user-agent"]
const answerHeaders = ["content-type", "etag", "warning"]

/** Writes requests and answers down, in the order in which the answers end. */
export class Recording {
  private readonly file: string
  private readonly terminal: Terminal
  private readonly descriptor: number
  private readonly open = new Set<Exchange>()
  private failed = false

  /** Empties the file. Throws an InputError if it can't be written. */
  constructor(file: string, terminal: Terminal) {
    this.file = file
    this.terminal = terminal
    try {
      this.descriptor = openSync(file, "w", 0o600)
    } catch (error) {
      throw new InputError(`${file}: can't be written: ${whyUnwritable(error)}`)
    }
  }

  /** The answer that `answer` gives to the request, which is written down once it was read to its end. */
  async fetch(request: Request, answer: (request: Request) => Promise<Response>): Promise<Response> {
    const exchange: Exchange = { time: this.terminal.now(), request, body: [], answer: [], response: undefined }
    const body = request.body?.pipeThrough(kept(exchange.body))
    const init = { body, duplex: "half" } as RequestInit
    const response = await answer(body === undefined ? request : new Request(request, init))
    exchange.response = response
    if (response.body === null || request.method === "HEAD") {
      this.write(exchange)
      return response
    }
    this.open.add(exchange)
    const { status, headers } = response
    const read = observed(response.body, exchange.answer, () => {
      if (this.open.delete(exchange)) this.write(exchange)
    })
    return new Response(read, { status, headers })
  }

  /** Writes down what has not ended, such as watches, and closes the file. */
  close(): void {
    for (const exchange of this.open) this.write(exchange)
    this.open.clear()
    closeSync(this.descriptor)
  }

  private write(exchange: Exchange): void {
    if (this.failed) return
    try {
      writeSync(this.descriptor, `${writeJson(entryOf(exchange))}\n`)
    } catch (error) {
      this.failed = true
      const why = whyUnwritable(error)
      this.terminal.report(`${printable(this.file)}: can't be written: ${printable(why)}\n`)
    }
  }
}

interface Exchange {
  readonly time: Date
  readonly request: Request
  readonly body: Uint8Array[]
  readonly answer: Uint8Array[]
  response: Response | undefined
}

function entryOf({ time, request, body, answer, response }: Exchange): MapValue {
  const { pathname, search } = new URL(request.url)
  const watches = new URLSearchParams(search).get("watch")
  const isWatch = response?.status === 200 && (watches === "true" || watches === "1")
  return {
    time: time.toISOString(),
    method: request.method,
    path: pathname + search,
    headers: some(request.headers, requestHeaders),
    ...(body.length > 0 && { body: contentOf(body) }),
    status: response?.status ?? 0,
    answerHeaders: some(response?.headers ?? new Headers(), answerHeaders),
    ...(answer.length > 0 && { answer: isWatch ? eventsOf(answer) : contentOf(answer) }),
  }
}

function some(headers: Headers, names: readonly string[]): MapValue {
  return Object.fromEntries(names.flatMap(name => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])))
}

/** JSON as a value, other text as a string, and anything else in base64. */
function contentOf(chunks: readonly Uint8Array[]): Value {
  const bytes = Buffer.concat(chunks)
  try {
    return jsonOrText(new TextDecoder("utf-8", { fatal: true }).decode(bytes))
  } catch {
    return { base64: bytes.toString("base64") }
  }
}

function eventsOf(chunks: readonly Uint8Array[]): Value {
  const lines = Buffer.concat(chunks).toString("utf8").split("\n")
  return lines.filter(line => line !== "").map(jsonOrText)
}

function jsonOrText(text: string): Value {
  try {
    return parseJson(text)
  } catch {
    return text
  }
}

/** A stream that keeps what passes. */
function kept(chunks: Uint8Array[]): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform: (chunk, controller) => {
      chunks.push(chunk)
      controller.enqueue(chunk)
    },
  })
}

/** The same stream, which keeps what is read of it, and calls `onEnd` when it has ended or nobody wants more. */
function observed(
  stream: ReadableStream<Uint8Array>,
  chunks: Uint8Array[],
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream({
    pull: async controller => {
      const { done, value } = await reader.read()
      if (value !== undefined) {
        chunks.push(value)
        controller.enqueue(value)
      }
      if (!done) return
      onEnd()
      controller.close()
    },
    cancel: async reason => {
      onEnd()
      await reader.cancel(reason)
    },
  })
}
