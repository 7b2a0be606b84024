import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { type Parsed, type ParsedMap, parseExact } from "./answers.js"

/** A recorded request and the reference's answer. */
export interface Vector {
  readonly name: string
  readonly request: ParsedMap
  /** The text of the request in the file, so that no number is rounded. */
  readonly requestText: string
  readonly expect: ParsedMap
  /** Other correct answers, if the reference's answers differ from run to run. */
  readonly accept: readonly ParsedMap[]
}

/** Returns the vectors of a `.jsonl` or `.jsonl.gz` file: one `{name, request, expect, accept?}` per line, in this order. */
export function loadVectors(file: string | URL): Vector[] {
  const raw = readFileSync(file)
  const text = (String(file).endsWith(".gz") ? gunzipSync(raw) : raw).toString("utf8")
  return text.split("\n").filter(isNotBlank).map(parseVector)
}

function parseVector(line: string, index: number): Vector {
  const row = parseExact(line) as { readonly [key: string]: Parsed }
  const { name, request, expect, accept } = row
  const start = line.indexOf('"request":')
  const end = line.lastIndexOf(',"expect":')
  if (typeof name !== "string" || request === undefined || expect === undefined || start < 0 || end < start) {
    throw new TypeError(`line ${index + 1} is not a vector: ${line.slice(0, 80)}`)
  }
  return {
    name,
    request: request as ParsedMap,
    requestText: line.slice(start + '"request":'.length, end),
    expect: expect as ParsedMap,
    accept: (accept ?? []) as readonly ParsedMap[],
  }
}

function isNotBlank(line: string): boolean {
  return line.trim() !== ""
}
