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
  for (const warning of warnings) headers.append("warning", `299 - ${JSON.stringify(warning)}`)
  const body = isYaml ? formatYaml(object) : `${formatGoJson(object, { sorted: false })}\n`
  return new Response(body, { status: code, headers })
}

/** An answer in plain text, or in another type of text. */
export function text(body: string, type = "text/plain; charset=utf-8"): Response {
  return new Response(body, { headers: { ...uncached, "content-type": type } })
}
