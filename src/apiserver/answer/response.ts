// The answers to requests: objects as JSON or YAML, and plain text.

import { formatYaml } from "../../io/yaml.js"
import { formatGoJson } from "../../json/json.js"
import { countCharacters } from "../../value/bytes.js"
import type { MapValue } from "../../value/value.js"
import type { Form } from "./media.js"

/** Headers of answers that may be another one the next time. */
export const uncached = { "cache-control": "no-cache, private" }

/** The lines of a watch as they come, each of them JSON. Whoever has had enough calls `return`. */
export interface WatchLines extends AsyncIterableIterator<Uint8Array, undefined> {
  /** Ends the watch. */
  return(): Promise<IteratorResult<Uint8Array, undefined>>
}

/** An answer as plain data. */
export interface ApiAnswer {
  /** The HTTP status. */
  readonly status: number
  /** The values of headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The body; of a watch, lines that come until it ends. */
  readonly body: string | Uint8Array | WatchLines
}

/** An answer with an object, as JSON unless `form` asks for YAML, and a header with the warnings. */
export function respond(
  code: number,
  object: MapValue,
  form: Form | undefined,
  warnings: readonly string[],
  format: (object: MapValue) => string = formatUnkept,
): ApiAnswer {
  const isYaml = form?.yaml === true
  const headers: Record<string, string> = isYaml
    ? { ...uncached, "content-type": "application/yaml" }
    : { ...jsonHeaders }
  const texts = warnings.length === 0 ? warnings : warningTexts(warnings)
  if (texts.length > 0) headers.warning = texts.map(warning => `299 - ${quoted(warning)}`).join(", ")
  return { status: code, headers, body: isYaml ? formatYaml(object) : `${format(object)}\n` }
}

const jsonHeaders = { ...uncached, "content-type": "application/json" }

function formatUnkept(object: MapValue): string {
  return formatGoJson(object, { sorted: false })
}

/** How many characters all warnings may have, and each of them where they have more. */
const mostOfWarnings = 4096
const mostOfWarning = 256

/** The warnings that are sent: each once, and cut where they are too long together, as by a server. */
function warningTexts(warnings: readonly string[]): readonly string[] {
  const texts = [...new Set(warnings)].filter(text => text !== "" && !/\p{Cc}/u.test(text))
  let left = mostOfWarnings
  if (texts.every(text => (left -= lengthOf(text)) >= 0)) return texts
  const sent: string[] = []
  let written = 0
  for (const text of texts) {
    if (written >= mostOfWarnings) break
    const cut = [...text.slice(0, 2 * mostOfWarning)].slice(0, mostOfWarning).join("")
    written += lengthOf(cut)
    sent.push(cut)
  }
  return sent
}

function lengthOf(text: string): number {
  // No character has more than two units.
  return text.length > 2 * mostOfWarnings ? text.length : countCharacters(text)
}

/** A text in quotes, whose characters are the bytes of its UTF-8: headers have bytes. */
function quoted(text: string): string {
  const bytes = new TextEncoder().encode(text.replace(/["\\]/g, "\\$&"))
  return `"${Array.from(bytes, byte => String.fromCharCode(byte)).join("")}"`
}

/** An answer in plain text, or in another type of text. */
export function text(body: string, type = "text/plain; charset=utf-8"): ApiAnswer {
  return { status: 200, headers: { ...uncached, "content-type": type }, body }
}
