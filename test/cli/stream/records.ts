/** The records of bytes that arrive in pieces, for a command whose result is the object. */
import type { Document } from "../../../src/cli/input/document.js"
import { noSecrets } from "../../../src/cli/secrets/secrets.js"
import type { StreamedCommand } from "../../../src/cli/stream/judge.js"
import type { StreamSettings } from "../../../src/cli/stream/options.js"
import { RecordWriter } from "../../../src/cli/stream/records.js"
import { Splitter } from "../../../src/cli/stream/splitter.js"

const judge = (document: Document) => ({ result: document.value as object, status: 0 })
const echo: StreamedCommand = { result: "object", prepare: async () => judge }

const settings: StreamSettings = {
  isAudit: false,
  jobs: 1,
  shard: undefined,
  showsPlace: true,
  failsFast: false,
}

/** The records as they are written. `cuts` are the places where one piece of the bytes ends and the next one begins. */
export function recordsOf(bytes: Uint8Array | string, cuts: readonly number[] = [], largest?: number): string {
  const all = typeof bytes === "string" ? Buffer.from(bytes) : bytes
  const splitter = new Splitter("in", largest === undefined ? {} : { largest })
  const writer = new RecordWriter(echo, judge, settings, noSecrets)
  let text = ""
  const write = () => {
    const batch = splitter.take()
    if (batch !== undefined) text += writer.write(batch).text
  }
  const places = [...cuts].sort((a, b) => a - b)
  for (const [i, from] of [0, ...places].entries()) {
    splitter.push(all.subarray(from, places[i] ?? all.length))
    write()
  }
  splitter.end()
  write()
  return text
}

/** The records as a short notation: `line name` of an object, `line code` of an error. */
export function outlineOf(bytes: Uint8Array | string, cuts: readonly number[] = [], largest?: number): string[] {
  return recordsOf(bytes, cuts, largest)
    .split("\n")
    .slice(0, -1)
    .map(line => {
      const { where, name, error } = JSON.parse(line) as {
        where: { line: number }
        name?: string
        error?: { code: string }
      }
      return `${where.line} ${error === undefined ? name : error.code}`
    })
}
