// Bodies that end too early: a watch after some events, and any response after some bytes.

import type { ApiAnswer, WatchLines } from "../response/response.js"

type Chunk = IteratorResult<Uint8Array, undefined>

const end: Chunk = { done: true, value: undefined }
const newline = 10

/** Returns a watch that ends after so many lines, and before its end sends `last`. */
export function endAfter(lines: WatchLines, count: number, last?: Uint8Array): WatchLines {
  let left = count
  const rest = last === undefined ? [] : [last]
  return bodyOf(lines, async () => {
    if (left > 0) {
      const { done, value } = await lines.next()
      if (done !== true) return { done: false, value: takeLines(value) }
      left = 0
      return end
    }
    void lines.return()
    const value = rest.shift()
    return value === undefined ? end : { done: false, value }
  })

  function takeLines(chunk: Uint8Array): Uint8Array {
    let at = 0
    while (left > 0) {
      const found = chunk.indexOf(newline, at)
      if (found < 0) break
      at = found + 1
      left--
    }
    return left > 0 ? chunk : chunk.subarray(0, at)
  }
}

/**
 * Returns the response with a body that breaks off after so many bytes, and at least one byte too early. Its headers say how long the whole
 * body is.
 */
export function breakAfter(answer: ApiAnswer, count: number, failure: () => Error): ApiAnswer {
  const { body, headers } = answer
  const isStream = typeof body !== "string" && !(body instanceof Uint8Array)
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body
  const lines = bytes instanceof Uint8Array ? once(bytes) : bytes
  let left = bytes instanceof Uint8Array ? Math.min(count, Math.max(0, bytes.byteLength - 1)) : count
  const broken = bodyOf(lines, async () => {
    if (left <= 0) {
      void lines.return()
      throw failure()
    }
    const chunk = await lines.next()
    if (chunk.done === true) return end
    const value = chunk.value.subarray(0, left)
    left -= value.byteLength
    return { done: false, value }
  })
  const length = { "content-length": String((bytes as Uint8Array).byteLength) }
  return { ...answer, headers: isStream ? headers : { ...headers, ...length }, body: broken }
}

function bodyOf(lines: WatchLines, next: () => Promise<Chunk>): WatchLines {
  return {
    next,
    return: () => lines.return(),
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

function once(bytes: Uint8Array): WatchLines {
  const chunks = [bytes]
  return bodyOf({ return: async () => end } as WatchLines, async () => {
    const value = chunks.shift()
    return value === undefined ? end : { done: false, value }
  })
}
