// npm run --silent fleet -- --objects 200000 --seed 1 [--as ndjson|list|audit]
//
// Writes live objects to standard output: one per line, as one List, or as an audit log of this many objects.
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { parseArgs } from "node:util"
import { auditLog } from "./audit.js"
import { fleet } from "./maker.js"

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "200000" },
    seed: { type: "string", default: "1" },
    as: { type: "string", default: "ndjson" },
  },
})
const options = { objects: Number(values.objects), seed: Number(values.seed) }

const forms: Readonly<Record<string, () => Generator<string>>> = {
  ndjson: () => lines(fleet(options)),
  list: () => list(fleet(options)),
  audit: () => lines(auditLog(options)),
}
const form = forms[values.as]
if (form === undefined) throw new Error(`--as has to be one of ${Object.keys(forms).join(", ")}`)
await pipeline(Readable.from(chunks(form())), process.stdout)

function* lines(texts: Iterable<string>): Generator<string> {
  for (const text of texts) yield `${text}\n`
}

function* list(texts: Iterable<string>): Generator<string> {
  let before = '{"apiVersion":"v1","kind":"List","metadata":{},"items":['
  for (const text of texts) {
    yield before + text
    before = ",\n"
  }
  yield before === ",\n" ? "]}\n" : `${before}]}\n`
}

/** Joins small pieces of text to larger ones. */
function* chunks(texts: Iterable<string>): Generator<string> {
  let chunk = ""
  for (const text of texts) {
    chunk += text
    if (chunk.length < 65_536) continue
    yield chunk
    chunk = ""
  }
  yield chunk
}
