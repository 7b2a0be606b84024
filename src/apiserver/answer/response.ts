// The answers to requests: objects as JSON or YAML, and plain text.
import { formatYaml } from "../../io/yaml.js"
import { formatGoJson } from "../../json/json.js"
import type { MapValue } from "../../value/value.js"
import type { Form } from "./media.js"

/** Headers of answers that may be another one the next time. */
export const uncached = { "cache-control": "no-cache, private" }

/** An answer with an object, as JSON unless `form` asks for YAML, and a header for each warning. */
export function respond(code: number, object: MapValue, form: Form | undefined, warnings: readonly string[]): Response {
  const isYaml = form?.yaml === true
  const headers = new Headers({ ...uncached, "content-type": isYaml ? "application/yaml" : "application/json" })
  for (const warning of warningTexts(warnings)) headers.append("warning", `299 - ${quoted(warning)}`)
  const body = isYaml ? formatYaml(object) : `${formatGoJson(object, { sorted: false })}\n`
  return new Response(body, { status: code, headers })
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
  return text.length > 2 * mostOfWarnings ? text.length : [...text].length
}

/** A text in quotes, whose characters are the bytes of its UTF-8: headers have bytes. */
function quoted(text: string): string {
  const bytes = new TextEncoder().encode(text.replace(/["\\]/g, "\\$&"))
  return `"${Array.from(bytes, byte => String.fromCharCode(byte)).join("")}"`
}

/** An answer in plain text, or in another type of text. */
export function text(body: string, type = "text/plain; charset=utf-8"): Response {
  return new Response(body, { headers: { ...uncached, "content-type": type } })
}
