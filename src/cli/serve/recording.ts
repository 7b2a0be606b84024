// Writes the file of `--record`: one line for each request with its answer, without the values of Secrets.
import { closeSync, lstatSync, openSync, rmSync, writeSync } from "node:fs"
import { tryParseJson, writeJson } from "../../json/json.js"
import type { MapValue, Value } from "../../value/value.js"
import { InputError } from "../input/document.js"
import { whyUnwritable } from "../input/input.js"
import type { Secrets } from "../secrets/secrets.js"
import { printable } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import { addressOf } from "../traffic/exchange.js"
import { redacted } from "../traffic/redaction.js"

/** The headers that are recorded. Credentials are never among them: Authorization, cookies, certificates. */
const requestHeaders = ["accept", "content-type", "if-none-match", "user-agent"]
const answerHeaders = ["content-type", "etag", "warning"]

/** Records requests and answers, in the order in which the answers end. */
export class Recording {
  private readonly file: string
  private readonly terminal: Terminal
  private readonly secrets: Secrets
  private readonly descriptor: number
  private readonly open = new Set<Exchange>()
  private failed = false

  /** Creates or replaces the file. Throws an InputError if it can't be written, or is not a regular file. */
  constructor(file: string, terminal: Terminal, secrets: Secrets) {
    this.file = file
    this.terminal = terminal
    this.secrets = secrets
    try {
      this.descriptor = createPrivate(file)
    } catch (error) {
      if (error instanceof InputError) throw error
      throw new InputError(`${file}: can't be written: ${whyUnwritable(error)}`)
    }
  }

  /** Returns the response of `answer` to the request, and records it once it has been read to its end. */
  async fetch(request: Request, answer: (request: Request) => Promise<Response>): Promise<Response> {
    const exchange: Exchange = {
      time: this.terminal.now(),
      request,
      body: [],
      answer: [],
      answerBytes: 0,
      cut: false,
      response: undefined,
    }
    const body = request.body?.pipeThrough(collecting(exchange.body))
    const init = { body, duplex: "half" } as RequestInit
    const response = await answer(body === undefined ? request : new Request(request, init))
    exchange.response = response
    if (response.body === null || request.method === "HEAD") {
      this.write(exchange)
      return response
    }
    this.open.add(exchange)
    const { status, headers } = response
    const keep = (chunk: Uint8Array): void => {
      const { answer } = exchange
      // A watch may last as long as the server.
      if (isWatch(exchange) && exchange.answerBytes + chunk.length > mostOfWatch) exchange.cut = true
      if (exchange.cut) return
      exchange.answerBytes += chunk.length
      answer.push(chunk)
    }
    const read = observed(response.body, keep, () => {
      if (this.open.delete(exchange)) this.write(exchange)
    })
    return new Response(read, { status, headers })
  }

  /** Records the answers that have not ended, such as watches, and closes the file. */
  close(): void {
    for (const exchange of this.open) this.write(exchange)
    this.open.clear()
    closeSync(this.descriptor)
  }

  private write(exchange: Exchange): void {
    if (this.failed) return
    try {
      writeSync(this.descriptor, `${writeJson(entryOf(exchange, this.secrets))}\n`)
    } catch (error) {
      this.failed = true
      const why = whyUnwritable(error)
      this.terminal.report(`${printable(this.file)}: can't be written: ${printable(why)}\n`)
    }
  }
}

/**
 * Opens a new file that only its user can read. An existing file is replaced rather than emptied, because others may have opened it, or
 * created it in their own folder. For the same reason, links are not followed.
 */
function createPrivate(file: string): number {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (found !== undefined && !found.isFile()) {
    const what = found.isSymbolicLink() ? "a symbolic link" : found.isDirectory() ? "a directory" : "not a regular file"
    throw new InputError(`${file}: can't be written: it is ${what}; name a file that is new or can be replaced`)
  }
  rmSync(file, { force: true })
  return openSync(file, "wx", 0o600)
}

interface Exchange {
  readonly time: Date
  readonly request: Request
  readonly body: Uint8Array[]
  readonly answer: Uint8Array[]
  answerBytes: number
  /** Whether the answer is longer than the part that was kept. */
  cut: boolean
  response: Response | undefined
}

/** The most bytes of a watch's answer that are kept. */
const mostOfWatch = 8 * 1024 * 1024

function isWatch({ request, response }: Exchange): boolean {
  const watches = new URL(request.url).searchParams.get("watch")
  return response?.status === 200 && (watches === "true" || watches === "1")
}

function entryOf(exchange: Exchange, secrets: Secrets): MapValue {
  const { time, request, body, answer, response } = exchange
  const { pathname, search } = new URL(request.url)
  const address = addressOf(pathname)
  const kept = (content: Value): Value => redacted(content, address, secrets)
  return {
    time: time.toISOString(),
    method: request.method,
    path: pathname + search,
    headers: pickHeaders(request.headers, requestHeaders),
    ...(body.length > 0 && { body: kept(contentOf(body)) }),
    status: response?.status ?? 0,
    answerHeaders: pickHeaders(response?.headers ?? new Headers(), answerHeaders),
    ...(answer.length > 0 && { answer: kept(isWatch(exchange) ? eventsOf(answer) : contentOf(answer)) }),
    ...(exchange.cut && { cut: true }),
  }
}

function pickHeaders(headers: Headers, names: readonly string[]): MapValue {
  return Object.fromEntries(names.flatMap(name => (headers.has(name) ? [[name, headers.get(name) ?? ""]] : [])))
}

/** Returns JSON as a value, other text as a string, and other bytes in base64. */
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
  return tryParseJson(text) ?? text
}

/** A stream that adds every chunk to `chunks` and passes it on. */
function collecting(chunks: Uint8Array[]): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform: (chunk, controller) => {
      chunks.push(chunk)
      controller.enqueue(chunk)
    },
  })
}

/** Returns the same stream, which passes each chunk to `keep` when it is read, and calls `onEnd` when it ends or is cancelled. */
function observed(
  stream: ReadableStream<Uint8Array>,
  keep: (chunk: Uint8Array) => void,
  onEnd: () => void,
): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream({
    pull: async controller => {
      const { done, value } = await reader.read()
      if (value !== undefined) {
        keep(value)
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
