// YAML text to values, as Kubernetes reads it: YAML 1.1 with the meaning yaml.v2 gives it (see yaml-scalar.ts), keys as strings,
// 64-bit integers exact. Beyond that, duplicate keys and numbers that are not finite are refused.
//
// yaml-fast.ts reads what manifests are mostly written in. For everything else, and for errors and positions, there is the full
// reader: yaml-full.ts has the yaml package read the text into a tree of nodes, and yaml-document.ts turns the tree into values.
// That is faster than the package's own conversion, and allows to count aliases and to name positions.

import { ParseError } from "../errors.js"
import { aString, requireArgument, requireOptions } from "../value/argument.js"
import type { Steps, ValueChange } from "../value/change.js"
import type { Value } from "../value/value.js"
import type { Position } from "./line-index.js"
import type { DocumentReader, RepeatedKey } from "./yaml-document.js"
import { type TextEdits, yamlEdits, yamlEditsForEach } from "./yaml-edit.js"
import { readYamlFast } from "./yaml-fast.js"
import { readFully } from "./yaml-full.js"
import { type YamlPlace, yamlPlaceOf } from "./yaml-place.js"

export { formatYaml } from "./yaml-format.js"
export type { Position }

/** A document of a YAML stream, and where in the text its parts are. */
export interface YamlDocument {
  /** Undefined for a document without content. */
  readonly value: Value | undefined
  /** Where the key of a field, or an item of a list, begins: `positionOf(["spec", "ports", 0])`; undefined if there is none. */
  positionOf(path: readonly (string | number)[]): Position | undefined
  /** Where the key and the value of a field, or an item of a list, stand in the text; undefined where there is none. */
  placeOf(path: readonly (string | number)[]): YamlPlace | undefined
  /**
   * The edits of the text that make these changes to the document and leave all else as it is; comments are kept, but for those
   * on the lines that go. Fields and items can be removed or get another value. Impossible where a value comes from elsewhere in
   * the text, by an alias or a merge key, or where other parts of the text share it.
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
   * The same for each of several changes by itself.
   * @internal
   */
  editsForEach(all: readonly (readonly ValueChange[])[]): TextEdits[]
}

/** How strictly YAML is read. */
export interface YamlOptions {
  /**
   * Accept what Go's reader accepts: the last of equal keys wins, and further documents are ignored, as is whatever follows a
   * root in brackets or quotes.
   */
  readonly lenient?: boolean | undefined
}

/**
 * The value of a YAML text of one document; null if the text is empty. Throws a ParseError with line and column for bad syntax,
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
  const { lenient = false } = options
  const fast = readYamlFast(text)
  if (fast !== undefined && (lenient || fast.length === 1)) return fast[0] as Value
  let found: Value | undefined
  for (const reader of readFully(text, lenient)) {
    const value = reader.value()
    if (lenient) return value ?? null
    if (found !== undefined && value !== undefined) reader.failAtStart("expected one document, found another")
    // An empty document that is followed by another one is a document too: Go reads nothing else.
    found ??= value ?? null
  }
  return found ?? null
}

/**
 * The keys that the first document of a YAML text has more than once in a map, in the order in which Go's reader finds them: those
 * inside a value come before its own. Throws as the lenient `parseYaml` does.
 */
export function repeatedKeys(text: string): readonly RepeatedKey[] {
  if (readYamlFast(text) !== undefined) return []
  for (const reader of readFully(text, true)) {
    reader.value()
    return reader.repeated
  }
  return []
}

/** The values of all documents of a YAML stream, without those that have no content. Throws as `parseYaml` does. */
export function parseYamlDocuments(text: string): Value[] {
  requireArgument("text", text, aString)
  const fast = readDocuments(text)
  if (fast !== undefined) return fast
  const values: Value[] = []
  for (const reader of readFully(text, false)) {
    const value = reader.value()
    if (value !== undefined) values.push(value)
  }
  return values
}

/**
 * The values of all documents, those that need it by the full reader; undefined if that has to read the stream as a whole: for errors, for
 * empty documents, and where more than a line `---` divides the documents.
 */
function readDocuments(text: string): Value[] | undefined {
  const fast = readYamlFast(text)
  if (fast !== undefined || otherMarkers.test(text)) return fast
  const [before = "", ...parts] = text.split(/^---\n/m)
  if (hasContent.test(before)) parts.unshift(before)
  if (parts.length < 2) return undefined
  const values: Value[] = []
  for (const part of parts) {
    const found = readYamlFast(part) ?? readPart(part)
    if (found?.length !== 1 || found[0] === undefined) return undefined
    values.push(found[0])
  }
  return values
}

/** Directives, ends of documents, byte order marks, and marks that have something else on their line. */
const otherMarkers = /^(?:%|\.\.\.|\ufeff|---(?!\n))/m
const hasContent = /^[ \t]*[^ \t\n#]/m

/** The values of the documents in a part of a stream by the full reader; undefined if it finds a fault, whose place depends on the stream. */
function readPart(text: string): (Value | undefined)[] | undefined {
  try {
    return Array.from(readFully(text, false), reader => reader.value())
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}

/**
 * All documents of a YAML stream, with positions. Throws as `parseYaml` does. Asking for a first position may take longer than
 * reading all values did.
 */
export function parseYamlWithPositions(text: string): YamlDocument[] {
  requireArgument("text", text, aString)
  const fast = readDocuments(text)
  if (fast === undefined) {
    return readersWithValues(text).map(([reader, value]) => new PlacedDocument(value, () => reader))
  }
  let read: ReturnType<typeof readersWithValues> | undefined
  return fast.map((value, i) => {
    return new PlacedDocument(value, () => {
      read ??= readersWithValues(text)
      return read[i]?.[0]
    })
  })
}

class PlacedDocument implements YamlDocument {
  readonly value: Value | undefined
  readonly #reader: () => DocumentReader | undefined

  constructor(value: Value | undefined, reader: () => DocumentReader | undefined) {
    this.value = value
    this.#reader = reader
  }

  // Properties, so that they can be taken from the document.
  readonly positionOf = (path: Steps): Position | undefined => this.#reader()?.positionOf(path)

  readonly placeOf = (path: Steps): YamlPlace | undefined => {
    const reader = this.#reader()
    return reader && yamlPlaceOf(reader, path)
  }

  readonly editsFor = (changes: readonly ValueChange[]): TextEdits => {
    const reader = this.#reader()
    if (reader === undefined || this.value === undefined) return { impossible: "the document has no content" }
    return yamlEdits(reader, this.value, changes, parseYamlDocuments)
  }

  readonly editsForEach = (all: readonly (readonly ValueChange[])[]): TextEdits[] => {
    const reader = this.#reader()
    const { value } = this
    if (reader === undefined || value === undefined) return all.map(changes => this.editsFor(changes))
    return yamlEditsForEach(reader, value, all, parseYamlDocuments)
  }
}

// The readers of all documents, each with its value, so that positions can be asked for.
function readersWithValues(text: string): (readonly [DocumentReader, Value | undefined])[] {
  return Array.from(readFully(text, false), reader => [reader, reader.value()] as const)
}
