// YAML text to values, as Kubernetes reads it: YAML 1.1 with the meaning that yaml.v2 gives it (see syntax/scalar.ts), keys as strings, and
// exact 64-bit integers. Also refuses duplicate keys and numbers that are not finite.
//
// fast/stream.ts reads the usual YAML of manifests. The full reader reads everything else, and finds errors and positions: in yaml-full.ts, the
// yaml package reads the text into a tree of nodes, and yaml-document.ts turns the tree into values. That is faster than the package's own
// conversion, and can count aliases and name positions.

import { ParseError } from "../errors.js"
import { aString, requireArgument, requireOptions } from "../value/argument.js"
import type { Steps, ValueChange } from "../value/change.js"
import type { Value } from "../value/value.js"
import { giveUp } from "./fast/cursor.js"
import { type FastDocument, readYamlFast } from "./fast/stream.js"
import type { Position } from "./line-index.js"
import type { DocumentReader, RepeatedKey } from "./yaml-document.js"
import { type TextEdits, yamlEdits, yamlEditsForEach } from "./yaml-edit.js"
import { readFully } from "./yaml-full.js"
import { type YamlPlace, yamlPlaceOf } from "./yaml-place.js"

export type { Position, RepeatedKey }

/** A document of a YAML stream, which can find its parts in the text. */
export interface YamlDocument {
  /** Undefined for a document without content. */
  readonly value: Value | undefined
  /** The keys that occur several times in a map, which only `acceptRepeatedKeys` allows, in the order of Go's reader. */
  readonly repeatedKeys: readonly RepeatedKey[]
  /** Returns the position of the key of a field, or of an item of a list, or undefined: `positionOf(["spec", "ports", 0])`. */
  positionOf(path: readonly (string | number)[]): Position | undefined
  /** Returns the ranges of the key and the value of a field, or of an item of a list, or undefined. */
  placeOf(path: readonly (string | number)[]): YamlPlace | undefined
  /**
   * Returns the edits of the text that make these changes to the document and keep the rest of the text, including comments, except on
   * removed lines. Fields and items can be removed or get another value. Impossible if a value comes from elsewhere in the text, by an alias
   * or a merge key, or if other parts of the text share it.
   *
   * @example
   * ```ts
   * import { applyTextEdits, parseYamlWithPositions } from "structured-merge-diff/io"
   *
   * const text = "spec:\n  replicas: 3 # for now\n  paused: true\n"
   * const [document] = parseYamlWithPositions(text)
   * const { edits = [] } = document?.editsFor([{ steps: ["spec", "replicas"], value: undefined }]) ?? {}
   * console.log(applyTextEdits(text, edits))
   * // spec:
   * //   paused: true
   * //
   * ```
   */
  editsFor(changes: readonly ValueChange[]): TextEdits
  /**
   * Returns the same for each of several changes separately.
   * @internal
   */
  editsForEach(all: readonly (readonly ValueChange[])[]): TextEdits[]
}

/** How strictly YAML is read. */
export interface YamlOptions {
  /**
   * Accept all texts that Go's reader accepts: the last of equal keys wins, and further documents are ignored, and so is all text after a
   * root in brackets or quotes. Text that needs the slow reader, such as malformed text, may have 1,000,000 words and marks.
   */
  readonly lenient?: boolean | undefined
}

/** How `parseYamlWithPositions` reads YAML. */
export interface PositionOptions {
  /** Accept keys that occur several times in a map. The last one wins, and the document lists them. */
  readonly acceptRepeatedKeys?: boolean | undefined
}

/**
 * Returns the value of a YAML text with one document; null if the text is empty. Throws a ParseError with line and column for bad syntax,
 * duplicate keys, keys that are not scalars, numbers that are not finite, aliases that expand too far, and a second document.
 *
 * @example
 * ```ts
 * import { parseYaml } from "structured-merge-diff/io"
 *
 * console.log(JSON.stringify(parseYaml("ports: [80, 443]")))
 * // {"ports":[80,443]}
 * ```
 */
export function parseYaml(text: string, options: YamlOptions = {}): Value {
  requireOptions("options", options)
  requireArgument("text", text, aString)
  if (options.lenient) return readLeniently(text).value
  const fast = readDocuments(text)
  if (fast?.every(({ value }, i) => i === 0 || value === undefined)) return fast[0]?.value ?? null
  let found: Value | undefined
  for (const reader of readFully(text, false)) {
    const value = reader.value()
    if (found !== undefined && value !== undefined) reader.failAtStart("expected one document, found another")
    // An empty document before another one is a document too: Go reads nothing else.
    found ??= value ?? null
  }
  return found ?? null
}

/** The first document of a YAML text. */
export interface LenientDocument {
  /** Null if the text is empty. */
  readonly value: Value
  /**
   * The keys that the document has more than once in a map, in the order in which Go's reader finds them: the repeated keys inside a value
   * come before its own.
   */
  readonly repeatedKeys: readonly RepeatedKey[]
}

/** Returns the first document of a YAML text. Throws the same errors as the lenient `parseYaml`. */
export function readLeniently(text: string): LenientDocument {
  const fast = readYamlFast(text)
  if (fast !== undefined) return { value: fast[0]?.value ?? null, repeatedKeys: [] }
  for (const reader of readFully(text, true)) {
    return { value: reader.value() ?? null, repeatedKeys: reader.repeated }
  }
  return { value: null, repeatedKeys: [] }
}

/** Returns the values of all documents of a YAML stream that have content. Throws the same errors as `parseYaml`. */
export function parseYamlDocuments(text: string): Value[] {
  requireArgument("text", text, aString)
  const values: Value[] = []
  const documents = readDocuments(text)
  if (documents !== undefined) {
    for (const { value } of documents) if (value !== undefined) values.push(value)
    return values
  }
  for (const reader of readFully(text, false)) {
    const value = reader.value()
    if (value !== undefined) values.push(value)
  }
  return values
}

/**
 * Reads each document with the fast reader, or with the full reader if it needs that. Returns undefined if the full reader has to read the
 * whole stream: for errors, and if anything but a plain line `---` divides the documents.
 */
function readDocuments(text: string): FastDocument[] | undefined {
  let isDivided: boolean | undefined
  return readYamlFast(text, (plain, start, end) => {
    isDivided ??= !otherMarkers.test(plain)
    return isDivided ? readPart(plain.slice(start, end)) : giveUp()
  })
}

/** Directives, ends of documents, and `---` with other text on its line. */
const otherMarkers = /^(?:%|\.\.\.|---(?! *(?:\n|$| #)))/m

/** Reads one document of a stream with the full reader. Gives up at a fault, since its position depends on the stream. */
function readPart(text: string): Value | undefined {
  try {
    const [value, ...others] = Array.from(readFully(text, false), reader => reader.value())
    return others.length === 0 ? value : giveUp()
  } catch (error) {
    if (error instanceof ParseError) giveUp()
    throw error
  }
}

/**
 * Returns all documents of a YAML stream, with positions. Throws the same errors as `parseYaml`. The first request for a position may take
 * longer than reading all values.
 */
export function parseYamlWithPositions(text: string, options: PositionOptions = {}): YamlDocument[] {
  requireOptions("options", options)
  requireArgument("text", text, aString)
  const fast = readDocuments(text)
  if (fast === undefined) {
    const read = readersWithValues(text, options.acceptRepeatedKeys)
    return read.map(([reader, value]) => new PlacedDocument(value, () => reader, reader.repeated))
  }
  let read: ReturnType<typeof readersWithValues> | undefined
  return fast.map(({ value }, i) => {
    return new PlacedDocument(value, () => {
      read ??= readersWithValues(text)
      return read[i]?.[0]
    })
  })
}

class PlacedDocument implements YamlDocument {
  readonly value: Value | undefined
  readonly repeatedKeys: readonly RepeatedKey[]
  readonly #reader: () => DocumentReader | undefined

  constructor(
    value: Value | undefined,
    reader: () => DocumentReader | undefined,
    repeatedKeys: readonly RepeatedKey[] = [],
  ) {
    this.value = value
    this.repeatedKeys = repeatedKeys
    this.#reader = reader
  }

  // Properties, so that callers can detach them from the document.
  readonly positionOf = (path: Steps): Position | undefined => this.#reader()?.positionOf(path)

  readonly placeOf = (path: Steps): YamlPlace | undefined => {
    const reader = this.#reader()
    return reader && yamlPlaceOf(reader, path)
  }

  readonly editsFor = (changes: readonly ValueChange[]): TextEdits => {
    const reader = this.#reader()
    if (reader === undefined || this.value === undefined) return { impossible: "the document has no content" }
    if (this.repeatedKeys.length > 0) return { impossible: "the document has a key twice" }
    return yamlEdits(reader, this.value, changes, parseYamlDocuments)
  }

  readonly editsForEach = (all: readonly (readonly ValueChange[])[]): TextEdits[] => {
    const reader = this.#reader()
    const { value } = this
    if (reader === undefined || value === undefined || this.repeatedKeys.length > 0)
      return all.map(changes => this.editsFor(changes))
    return yamlEditsForEach(reader, value, all, parseYamlDocuments)
  }
}

// Returns the readers of all documents, each with its value. Readers know positions only after they have read the value.
function readersWithValues(text: string, acceptRepeatedKeys = false): (readonly [DocumentReader, Value | undefined])[] {
  return Array.from(readFully(text, false, acceptRepeatedKeys), reader => [reader, reader.value()] as const)
}
