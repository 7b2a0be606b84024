// Documents of YAML and JSON texts, with the place of every value for messages.
import { ParseError, StructuredMergeError } from "../../errors.js"
import type { WrittenText } from "../../io/plain-message.js"
import { type Position, type PositionOptions, parseYamlWithPositions, type RepeatedKey } from "../../io/yaml.js"
import type { TextRange } from "../../io/yaml-place.js"
import { parseJson, tryParseJson } from "../../json/json.js"
import { ConflictError } from "../../merge/conflict.js"
import type { SourceText } from "../../tools/ownership/source.js"
import { type Steps, valueAtSteps } from "../../value/change.js"
import type { Value } from "../../value/value.js"
import type { Secrets } from "../secrets/secrets.js"
import { printable } from "../terminal/layout.js"

/** Reports unusable input. The message is complete and safe to show: file, place and reason, with one problem on each line. */
export class InputError extends Error {
  readonly problems: readonly string[]

  constructor(problems: string | readonly string[]) {
    const lines = (typeof problems === "string" ? [problems] : problems).map(printable)
    super(lines.join("\n"))
    this.problems = lines
  }
}

/** One YAML or JSON document. */
export interface Document {
  readonly file: string
  /** The whole file: the same object for all of its documents. */
  readonly source: SourceText & { readonly file: string }
  readonly value: Value
  /** The hidden values of this document and of all others. */
  readonly secrets: Secrets
  /** Returns the place of the value to which these steps lead, or of the last existing value on the way. */
  placeOf(steps: Steps): FilePlace
  /** Returns the same place as text: `file:line:column`. */
  at(steps: Steps): string
  /** The keys that occur several times in a map, which only `Input.acceptRepeatedKeys` allows. */
  readonly repeatedKeys?: readonly RepeatedKey[]
  /** Returns the text of the value to which these steps lead, and of its key; absent if the text has not been kept. */
  writtenAt?(steps: Steps): WrittenText
}

/** A place in a file. */
export interface FilePlace {
  readonly file: string
  /** Undefined for files that programs write and no person reads. */
  readonly position: Position | undefined
}

/** Returns a document with one place for all its values. The output hides its secrets from now on. */
export function documentAt(place: FilePlace, source: Document["source"], value: Value, secrets: Secrets): Document {
  secrets.learn(value)
  return { file: place.file, source, value, secrets, placeOf: () => place, at: () => formatPlace(place) }
}

/** Returns the part of a document to which these steps lead, as a document with this value. */
export function partOf(document: Document, steps: Steps, value: Value): Document {
  const placeOf = (more: Steps): FilePlace => document.placeOf([...steps, ...more])
  const { writtenAt, repeatedKeys = [] } = document
  const inside = repeatedKeys
    .filter(key => steps.every((step, i) => key.steps[i] === step))
    .map(key => ({ ...key, steps: key.steps.slice(steps.length) }))
  return {
    ...document,
    value,
    placeOf,
    at: more => formatPlace(placeOf(more)),
    repeatedKeys: inside,
    ...(writtenAt !== undefined && { writtenAt: (more: Steps) => writtenAt([...steps, ...more]) }),
  }
}

/** `file:line:column`, or the file alone. */
export function formatPlace({ file, position }: FilePlace): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`
}

/**
 * Returns the documents of a text that have content. The output hides their secrets from now on. Throws an InputError, which names `file`,
 * for text that is neither YAML nor JSON.
 */
export function parseDocuments(file: string, text: string, secrets: Secrets, options?: PositionOptions): Document[] {
  return isJsonLines(text) ? parseLines(file, text, secrets) : parseManifests(file, text, secrets, options)
}

function parseManifests(file: string, text: string, secrets: Secrets, options?: PositionOptions): Document[] {
  const source = { file, text }
  try {
    return parseYamlWithPositions(text, options).flatMap(({ value, positionOf, placeOf: rangesOf, repeatedKeys }) => {
      if (value === undefined) return []
      secrets.learn(value)
      const textIn = (range: TextRange | undefined) => range && text.slice(range.start.offset, range.end.offset)
      const writtenAt = (steps: Steps): WrittenText => {
        const ranges = rangesOf(steps)
        const [key, written] = [textIn(ranges?.key), textIn(ranges?.value)]
        return { ...(key !== undefined && { key }), ...(written !== undefined && { value: written }) }
      }
      const placeOf = (steps: Steps): FilePlace => ({ file, position: positionOf(nearestStep(value, steps)) })
      const at = (steps: Steps): string => formatPlace(placeOf(steps))
      return [{ file, source, value, secrets, placeOf, at, writtenAt, repeatedKeys }]
    })
  } catch (error) {
    if (error instanceof ParseError) throw new InputError(`${file}${whyUnparsable(error, text, secrets)}`)
    throw error
  }
}

/** Whether the text is NDJSON: its first line is a whole object, and another one begins after it. */
function isJsonLines(text: string): boolean {
  const [, first] = /^(\{.*)\n\s*\{/.exec(text) ?? []
  return first !== undefined && tryParseJson(first) !== undefined
}

/** Returns the documents of NDJSON, each at its line. Throws an InputError with every line that is not JSON. */
function parseLines(file: string, text: string, secrets: Secrets): Document[] {
  const source = { file, text }
  const problems: string[] = []
  const documents: Document[] = []
  text.split("\n").forEach((line, i) => {
    if (line.trim() === "") return
    const place = { file, position: { line: i + 1, column: 1 } }
    try {
      const value = parseJson(line)
      documents.push(documentAt(place, source, value, secrets))
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      problems.push(`${file}${whyNoJson(line, secrets, i + 1)}`)
    }
  })
  if (problems.length > 0) throw new InputError(problems)
  return documents
}

/** Says what is wrong with a text that is not JSON, in the words of the YAML reader, with line and column in front. */
export function whyNoJson(text: string, secrets: Secrets, firstLine = 1): string {
  try {
    parseYamlWithPositions(text)
    return `:${firstLine}: is not JSON`
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return whyUnparsable(error, text, secrets).replace(/^:(\d+)/, (_, line) => `:${Number(line) + firstLine - 1}`)
  }
}

/** Returns the steps as far as they exist in `value`. */
function nearestStep(value: Value, steps: Steps): Steps {
  const missing = steps.findIndex((_, i) => valueAtSteps(value, steps.slice(0, i + 1)) === undefined)
  return missing < 0 ? steps : steps.slice(0, missing)
}

/** Returns the reason why the text can't be parsed, with line and column in front as in all other messages, and without secrets. */
export function whyUnparsable({ message }: ParseError, text: string, secrets: Secrets): string {
  return secrets
    .hideQuotes(message, text)
    .replace(/^(?:line (\d+), column (\d+))?/, (_, line, column) => (line ? `:${line}:${column}` : ": "))
}

/**
 * Returns the result of `request`. The engine validates its input, so nothing is checked before. If `request` throws anything but
 * conflicts, `check` looks for problems in the documents and throws an InputError with their places. Any other error becomes an
 * InputError with the place of `document`.
 */
export function requested<T>(document: Document, request: () => T, check?: () => void): T {
  try {
    return request()
  } catch (error) {
    if (!(error instanceof StructuredMergeError) || error instanceof ConflictError) throw error
    check?.()
    const [first = "", ...others] = error.message.split("\n")
    throw new InputError([`${document.at([])}: ${first}`, ...others.map(line => `  ${line}`)])
  }
}

/** Returns the result of `visit` for each item. Throws a single InputError with the problems of all items. */
export async function forEach<T, R>(items: readonly T[], visit: (item: T) => Promise<R> | R): Promise<R[]> {
  const results: R[] = []
  const problems: string[] = []
  for (const item of items) {
    try {
      results.push(await visit(item))
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      for (const problem of error.problems) problems.push(problem)
    }
  }
  if (problems.length > 0) throw new InputError(problems)
  return results
}
