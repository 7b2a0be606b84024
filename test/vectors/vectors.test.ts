// Answers every recorded request as the conformance driver does, and compares the answer with the reference's.
import { readdirSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { parseYaml } from "../../src/io/index.js"
import { formatJson, type Parity, parseJson } from "../../src/json/json.js"
import { put } from "../../src/value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../src/value/value.js"
import { answerRequest } from "../conformance/answer.js"
import { type Answer, Request } from "../conformance/request.js"
import { failure } from "../conformance/story.js"
import { isIntended } from "../fuzz/parity.js"
import type { Request as FuzzRequest } from "../fuzz/requests.js"
import { difference, type ParsedMap, parseExact } from "../support/answers.js"
import { deepFreeze } from "../support/deep-freeze.js"
import { loadVectors, type Vector } from "../support/vectors.js"

const files = readdirSync(new URL(".", import.meta.url)).filter(name => /\.jsonl(\.gz)?$/.test(name))

/** Returns the answer to a request, as `parseExact` reads it from the driver's output. */
function answer(text: string, parity: Parity): ParsedMap {
  return parseExact(formatJson(run(text, parity))) as ParsedMap
}

function run(text: string, parity: Parity): Answer {
  try {
    return answerRequest(new Request(deepFreeze(withoutYaml(parseJson(text)))), parity)
  } catch (error) {
    return failure(error)
  }
}

/** Replaces operands in YAML by their values, so that these are frozen too. */
function withoutYaml(value: Value): Value {
  if (isList(value)) return value.map(withoutYaml)
  return isMap(value) ? mapWithoutYaml(value) : value
}

function mapWithoutYaml(map: MapValue): MapValue {
  const out: Record<string, Value> = {}
  for (const [key, value] of Object.entries(map)) {
    if (key === "steps") put(out, key, withoutYaml(value))
    else if (key.endsWith("YAML") && typeof value === "string") readOperand(out, key, value)
    else put(out, key, value)
  }
  return out
}

function readOperand(out: Record<string, Value>, key: string, text: string): void {
  try {
    put(out, key.slice(0, -"YAML".length), parseYaml(text, { lenient: true }))
  } catch {
    put(out, key, text) // the operation meets the error again and answers with it
  }
}

/**
 * Matches errors that we word differently, as docs/parity.md says: errors of the reference's YAML reader, errors that print
 * pointers or unnamed types, and errors that end with the first unknown field of a map, which is a random one.
 */
const wordedOtherwise = /yaml: |0x[\da-fP]|map\[interface|field not declared in schema|omits all key fields|schema error/

/** How answers to the requests of a file are compared. */
interface Comparing {
  readonly words: boolean
  readonly parity: Parity
}

/** Describes how the answer differs from the recorded ones. Returns null if it matches one of them. */
function problem({ requestText, expect: expected, accept }: Vector, { words, parity }: Comparing): string | null {
  const got = answer(requestText, parity)
  const exactly = words && !wordedOtherwise.test(JSON.stringify(expected))
  const found = difference(expected, got, { words: exactly })
  if (found === null || accept.some(other => difference(other, got, { words: exactly }) === null)) return null
  return isIntended(JSON.parse(requestText) as FuzzRequest, found) ? null : found.why
}

describe("recorded answers", () => {
  it("are there", () => {
    expect(files).not.toEqual([])
  })

  describe.each(files)("%s", file => {
    // A random request may have several mistakes, and the reference may report any of them first.
    const words = !file.startsWith("random-")
    it.each(loadVectors(new URL(file, import.meta.url)))("$name", vector => {
      expect(problem(vector, { words, parity: file.startsWith("v7-") ? "v7" : "v6" })).toBeNull()
    })
  })
})
