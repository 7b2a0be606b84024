// Reads documents from files and standard input, and knows the place of every value, for messages about it.

import { ParseError, StructuredMergeError } from "../../errors.js"
import { type Position, parseYamlWithPositions } from "../../io/yaml.js"
import { parseJson } from "../../json/json.js"
import { ConflictError } from "../../merge/conflict.js"
import type { SourceText } from "../../ownership/source.js"
import { compareStrings } from "../../value/compare.js"
import { own } from "../../value/object.js"
import { isList, isMap, type MapValue, type Value } from "../../value/value.js"
import { printable } from "../output/layout.js"
import type { FolderEntry, Terminal } from "../terminal.js"
import type { Steps } from "./locate.js"

/** Input that can't be used. The message is complete and safe to show: file, place and reason, with one problem on each line. */
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
  /** The file with all that it holds: the same object for all of its documents. */
  readonly source: SourceText & { readonly file: string }
  readonly value: Value
  /** The place of the value to which these steps lead, or of the last value on the way that exists. */
  placeOf(steps: Steps): Place
  /** The same as text: `file:line:column`. */
  at(steps: Steps): string
}

/** A line of a file, without its end. */
export interface Line {
  /** The name of the file for messages. */
  readonly name: string
  /** From 1. */
  readonly number: number
  readonly text: string
}

/** A place in a file. */
export interface Place {
  readonly file: string
  /** Undefined for what programs write and no person reads. */
  readonly position: Position | undefined
}

/** The part of a document to which these steps lead, as a document with its own value. */
export function partOf(document: Document, steps: Steps, value: Value): Document {
  const placeOf = (more: Steps): Place => document.placeOf([...steps, ...more])
  return { ...document, value, placeOf, at: more => formatPlace(placeOf(more)) }
}

/** Reads documents. Standard input is read at most once. */
export class Input {
  private readonly terminal: Terminal
  private stdinRead = false

  /** Whether standard input was read. */
  get isStdinRead(): boolean {
    return this.stdinRead
  }

  constructor(terminal: Terminal) {
    this.terminal = terminal
  }

  /** The document of a file, or of standard input for "-". Throws an InputError unless there is exactly one. */
  async document(file: string): Promise<Document> {
    const documents = await this.documents(file)
    const [document] = documents
    const name = fileName(file)
    if (document === undefined) throw noDocument(file)
    if (documents.length > 1) throw new InputError(`${name}: holds ${documents.length} documents, expected one`)
    return document
  }

  /** All documents of a file that have content. */
  async documents(file: string): Promise<Document[]> {
    return this.parse(file, await this.text(file))
  }

  /**
   * The manifests of a folder, or the files with other endings, in the order in which kubectl reads them: by name, and with
   * `recursive` those of inner folders in their place. Undefined if the path is not a folder. Throws an InputError for a folder
   * without any.
   */
  async filesOf(
    path: string,
    recursive: boolean,
    endings: readonly string[] = manifestEndings,
  ): Promise<string[] | undefined> {
    if (path === "-") return undefined
    const files: string[] = []
    const walk = async (folder: string): Promise<boolean> => {
      const entries = await this.entriesOf(folder)
      if (entries === undefined) return false
      for (const { name, isFolder } of [...entries].sort((a, b) => compareStrings(a.name, b.name))) {
        const inside = `${folder.replace(/\/$/, "")}/${name}`
        if (isFolder && recursive) await walk(inside)
        else if (!isFolder && endings.some(ending => name.endsWith(ending))) files.push(inside)
      }
      return true
    }
    if (!(await walk(path))) return undefined
    if (files.length > 0) return files
    const names = `${endings.join(", ").replace(/, ([^,]*)$/, " or $1")} file`
    const hint = recursive || endings !== manifestEndings ? "" : "; -R reads inner folders too"
    throw new InputError(`${path}: holds no ${names}${hint}`)
  }

  private async entriesOf(folder: string): Promise<readonly FolderEntry[] | undefined> {
    try {
      return await this.terminal.list(folder)
    } catch (error) {
      throw new InputError(`${folder}: ${whyUnreadable(error)}`)
    }
  }

  private parse(file: string, text: string): Document[] {
    return isJsonLines(text) ? parseLines(fileName(file), text) : this.parseYaml(file, text)
  }

  private parseYaml(file: string, text: string): Document[] {
    const name = fileName(file)
    const source = { file: name, text }
    try {
      return parseYamlWithPositions(text).flatMap(({ value, positionOf }) => {
        if (value === undefined) return []
        const placeOf = (steps: Steps): Place => ({ file: name, position: positionOf(nearestStep(value, steps)) })
        return [{ file: name, source, value, placeOf, at: (steps: Steps) => formatPlace(placeOf(steps)) }]
      })
    } catch (error) {
      if (error instanceof ParseError) throw new InputError(`${name}${placeFirst(error.message)}`)
      throw error
    }
  }

  /**
   * As `documents`, for what programs have written: JSON is read as JSON, which is many times faster than reading it as YAML, but
   * gives no lines and columns.
   */
  async generated(file: string): Promise<Document[]> {
    const text = await this.text(file)
    const value = /^\s*\{/.test(text) ? jsonOrNothing(text) : undefined
    if (value === undefined) return this.parse(file, text)
    const place = { file: fileName(file), position: undefined }
    return [{ file: place.file, source: { file: place.file, text }, value, placeOf: () => place, at: () => place.file }]
  }

  /** Reports something that is good to know, but not a problem. */
  remark(text: string): void {
    this.terminal.report(text)
  }

  /** Whether there is a file of this name. */
  async exists(file: string): Promise<boolean> {
    try {
      await this.terminal.read(file)
      return true
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== "ENOENT"
    }
  }

  /** The value of a JSON file; `unpack` makes the text of what the file holds. Throws an InputError for anything else. */
  async json(file: string, unpack: (bytes: Uint8Array) => Uint8Array): Promise<Value> {
    const text = await this.text(file, unpack)
    try {
      return parseJson(text)
    } catch (error) {
      if (error instanceof ParseError) throw new InputError(`${fileName(file)}${whyNoJson(text)}`)
      throw error
    }
  }

  /**
   * The lines of a file, or of standard input for "-", as they are read: the file may be larger than what fits into memory. Throws an
   * InputError for what is not UTF-8.
   */
  async *lines(file: string): AsyncGenerator<Line> {
    const name = fileName(file)
    let number = 0
    let parts: Uint8Array[] = []
    const line = (): Line => {
      const text = decodedLine(parts, `${name}:${++number}`)
      parts = []
      return { name, number, text }
    }
    for await (const bytes of this.bytes(file)) {
      let from = 0
      for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, from)) {
        parts.push(bytes.subarray(from, end))
        from = end + 1
        yield line()
      }
      parts.push(Uint8Array.from(bytes.subarray(from)))
    }
    if (parts.some(({ length }) => length > 0)) yield line()
  }

  /**
   * The bytes of a file, or of standard input for "-", in parts as they are read; a part is there until the next one is asked for.
   * They end early where `signal` is aborted.
   */
  async *bytes(file: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    if (file === "-" && this.stdinRead) throw new InputError("standard input can be read only once")
    this.stdinRead ||= file === "-"
    const parts = this.terminal.stream(file, signal)[Symbol.asyncIterator]()
    try {
      for (let part = await nextOf(parts); part !== undefined; part = await nextOf(parts)) yield part
    } finally {
      await parts.return?.()
    }
    async function nextOf(parts: AsyncIterator<Uint8Array>): Promise<Uint8Array | undefined> {
      try {
        const { done, value } = await parts.next()
        return done ? undefined : value
      } catch (error) {
        if (signal?.aborted) return undefined
        throw new InputError(`${fileName(file)}: ${whyUnreadable(error)}`)
      }
    }
  }

  /** How many bytes a file has; undefined for what has no length yet, such as standard input. */
  async size(file: string): Promise<number | undefined> {
    return file === "-" ? undefined : await this.terminal.size(file)
  }

  /** The text of a file, or of standard input for "-". Throws an InputError for what is not UTF-8. */
  async text(file: string, unpack = (bytes: Uint8Array): Uint8Array => bytes): Promise<string> {
    if (file === "-" && this.stdinRead) throw new InputError("standard input can be read only once")
    this.stdinRead ||= file === "-"
    let bytes: Uint8Array
    try {
      bytes = unpack(await this.terminal.read(file))
    } catch (error) {
      throw new InputError(`${fileName(file)}: ${whyUnreadable(error)}`)
    }
    if (bytes.length > mostBytes) throw new InputError(`${fileName(file)}: ${tooLarge}`)
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    } catch {
      throw new InputError(`${fileName(file)}: is not UTF-8 text`)
    }
  }
}

const lineEnd = 0x0a

function decodedLine(parts: readonly Uint8Array[], at: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts))
  } catch {
    throw new InputError(`${at}: is not UTF-8 text`)
  }
}

export function noDocument(file: string): InputError {
  return new InputError(`${fileName(file)}: holds no document`)
}

/**
 * Returns what `request` returns. The engine validates its input, so nothing is checked before. If it throws anything but
 * conflicts, `check` looks for the problems of the documents and throws an InputError with their places. An error that is about
 * something else becomes an InputError with the place of `document`.
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

/** Returns what `visit` returns for each item. Throws a single InputError with the problems of all of them. */
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

/** Whether the text is NDJSON: its first line is a whole object, and another one begins after it. */
function isJsonLines(text: string): boolean {
  const [, first] = /^(\{.*)\n\s*\{/.exec(text) ?? []
  return first !== undefined && jsonOrNothing(first) !== undefined
}

/** The documents of NDJSON, each at its line. Throws an InputError with every line that is no JSON. */
function parseLines(file: string, text: string): Document[] {
  const source = { file, text }
  const problems: string[] = []
  const documents: Document[] = []
  text.split("\n").forEach((line, i) => {
    if (line.trim() === "") return
    const place = { file, position: { line: i + 1, column: 1 } }
    try {
      const value = parseJson(line)
      documents.push({ file, source, value, placeOf: () => place, at: () => formatPlace(place) })
    } catch (error) {
      if (!(error instanceof ParseError)) throw error
      problems.push(`${file}${whyNoJson(line, i + 1)}`)
    }
  })
  if (problems.length > 0) throw new InputError(problems)
  return documents
}

/** What is wrong with a text that is no JSON, as the reader of YAML says it, with line and column in front. */
function whyNoJson(text: string, firstLine = 1): string {
  try {
    parseYamlWithPositions(text)
    return `:${firstLine}: is not JSON`
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    return placeFirst(error.message).replace(/^:(\d+)/, (_, line) => `:${Number(line) + firstLine - 1}`)
  }
}

const manifestEndings: readonly string[] = [".json", ".yaml", ".yml"]

/** The value of a JSON text; undefined for any other text, for which the reader of YAML has better messages. */
function jsonOrNothing(text: string): Value | undefined {
  try {
    return parseJson(text)
  } catch (error) {
    if (error instanceof ParseError) return undefined
    throw error
  }
}

/** The steps as far as they exist in `value`. */
function nearestStep(value: Value, steps: Steps): Steps {
  let at: Value | undefined = value
  for (let i = 0; i < steps.length; i++) {
    const step = steps[i] as string | number
    const child: Value | undefined = isList(at)
      ? at[Number(step)]
      : isMap(at)
        ? own(at as MapValue, String(step))
        : undefined
    if (child === undefined) return steps.slice(0, i)
    at = child
  }
  return steps
}

/** `file:line:column`, or the file alone. */
export function formatPlace({ file, position }: Place): string {
  return position === undefined ? file : `${file}:${position.line}:${position.column}`
}

/** A message with its line and column in front, spelled as in all other messages. */
function placeFirst(message: string): string {
  return message.replace(/^(?:line (\d+), column (\d+))?/, (_, line, column) => (line ? `:${line}:${column}` : ": "))
}

/** The length of text that fits into a string on every system. */
const mostBytes = 2 ** 29 - 24
const tooLarge = "is too large: more than 512 MB can't be read"

/** What messages call a file. */
export function fileName(file: string): string {
  return file === "-" ? "standard input" : file
}

/** Why a file can't be written, for messages. */
export function whyUnwritable(error: unknown): string {
  return (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such folder" : whyUnreadable(error)
}

function whyUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === "ENOENT") return "no such file"
  if (code === "EISDIR") return "is a directory"
  if (code === "EACCES") return "permission denied"
  if (code === "ERR_FS_FILE_TOO_LARGE" || error instanceof RangeError) return tooLarge
  return error instanceof Error ? error.message : String(error)
}
