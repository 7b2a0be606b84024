// Builds responses: objects as JSON or YAML, warnings, and plain text.
import { formatYaml } from "../../io/yaml-format.js"
import { formatGoJson } from "../../json/json.js"
import { countCharacters } from "../../value/bytes.js"
import type { MapValue } from "../../value/value.js"
import type { ResponseForm } from "./form.js"

/** Headers of a response that clients must not cache. */
export const uncached = { "cache-control": "no-cache, private" }

/** The events of a watch as lines of JSON, one or more lines per chunk. A reader that wants no more calls `return`. */
export interface WatchLines extends AsyncIterableIterator<Uint8Array, undefined> {
  /** Ends the watch. */
  return(): Promise<IteratorResult<Uint8Array, undefined>>
}

/** A response as plain data. */
export interface ApiAnswer {
  /** The HTTP status. */
  readonly status: number
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** The body: text, bytes, or the lines of a watch until it ends. */
  readonly body: string | Uint8Array | WatchLines
}

/** Responds with an object, as JSON unless `form` asks for YAML, and with a header for the warnings. */
export function respond(
  code: number,
  object: MapValue,
  form: ResponseForm | undefined,
  warnings: readonly string[],
  format: (object: MapValue) => string = formatUncached,
): ApiAnswer {
  const isYaml = form?.yaml === true
  const headers: Record<string, string> = isYaml
    ? { ...uncached, "content-type": "application/yaml" }
    : { ...jsonHeaders }
  Object.assign(headers, warningHeader(warnings))
  return { status: code, headers, body: isYaml ? formatYaml(object) : `${format(object)}\n` }
}

/** Returns the Warning header, or no headers if there are no warnings. */
export function warningHeader(warnings: readonly string[]): { readonly warning?: string } {
  const texts = warnings.length === 0 ? warnings : warningTexts(warnings)
  return texts.length === 0 ? {} : { warning: texts.map(text => `299 - ${quoteForHeader(text)}`).join(", ") }
}

export const jsonHeaders = { ...uncached, "content-type": "application/json" }

function formatUncached(object: MapValue): string {
  return formatGoJson(object, { sorted: false })
}

/** If all warnings together are longer than `maxTotal` characters, each one is cut to `maxEach`. */
const maxTotal = 4096
const maxEach = 256

/** Returns the warnings to send: without duplicates, and cut as a server cuts them if they are too long together. */
function warningTexts(warnings: readonly string[]): readonly string[] {
  const texts = [...new Set(warnings)].filter(text => text !== "" && !/\p{Cc}/u.test(text))
  let budget = maxTotal
  if (texts.every(text => (budget -= warningLength(text)) >= 0)) return texts
  const sent: string[] = []
  let total = 0
  for (const text of texts) {
    if (total >= maxTotal) break
    const cut = [...text.slice(0, 2 * maxEach)].slice(0, maxEach).join("")
    total += warningLength(cut)
    sent.push(cut)
  }
  return sent
}

function warningLength(text: string): number {
  // A character has at most two UTF-16 units, so a text this long is over the limit however it is counted.
  return text.length > 2 * maxTotal ? text.length : countCharacters(text)
}

/** Quotes a text for a header. Each character of the result is one byte of the text's UTF-8, since headers consist of bytes. */
function quoteForHeader(text: string): string {
  const bytes = new TextEncoder().encode(text.replace(/["\\]/g, "\\$&"))
  return `"${Array.from(bytes, byte => String.fromCharCode(byte)).join("")}"`
}

/** Responds with plain text, or with another media type. */
export function respondText(body: string, type = "text/plain; charset=utf-8", status = 200): ApiAnswer {
  return { status, headers: { ...uncached, "content-type": type }, body }
}
