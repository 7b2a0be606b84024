// Reads files, folders and standard input.
import { ParseError } from "../../errors.js"
import { parseJson } from "../../json/json.js"
import { compareStrings } from "../../value/compare.js"
import type { Value } from "../../value/value.js"
import { printable } from "../terminal/layout.js"
import { type FolderEntry, mostBytes, type Terminal } from "../terminal/terminal.js"
import { type Document, InputError, jsonOrNothing, parseDocuments, whyNoJson } from "./document.js"
import type { Arguments } from "./options.js"

/** The surroundings in which a command runs. */
export interface Context {
  readonly args: Arguments
  readonly input: Input
  readonly terminal: Terminal
  /** Writes to standard output even with --out, for text that must not take the place of a result. */
  readonly print: (text: string) => void
}

/** A line of a file, without its end. */
export interface Line {
  /** The name of the file for messages. */
  readonly name: string
  /** From 1. */
  readonly number: number
  readonly text: string
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
    return parseDocuments(fileName(file), await this.text(file))
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
    if (isStdin(path)) return undefined
    const files: string[] = []
    const walk = async (folder: string): Promise<boolean> => {
      const entries = await this.entriesOf(folder)
      if (entries === undefined) return false
      for (const { name, type } of [...entries].sort((a, b) => compareStrings(a.name, b.name))) {
        const inside = `${folder.replace(/\/$/, "")}/${name}`
        if (type === "folder") {
          if (recursive) await walk(inside)
        } else if (endings.some(ending => name.endsWith(ending))) {
          if (type === "file") files.push(inside)
          else this.remark(`${printable(inside)}: is passed over, because it is not a regular file\n`)
        }
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

  /**
   * As `documents`, for what programs have written: JSON is read as JSON, which is many times faster than reading it as YAML, but
   * gives no lines and columns.
   */
  async generated(file: string): Promise<Document[]> {
    const text = await this.text(file)
    const value = /^\s*\{/.test(text) ? jsonOrNothing(text) : undefined
    if (value === undefined) return parseDocuments(fileName(file), text)
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
    let length = 0
    const add = (part: Uint8Array): void => {
      length += part.length
      if (length > mostBytes) throw new InputError(`${name}:${number + 1}: ${tooLarge}`)
      parts.push(part)
    }
    const line = (): Line => {
      const text = decodedLine(parts, `${name}:${++number}`)
      parts = []
      length = 0
      return { name, number, text }
    }
    for await (const bytes of this.bytes(file)) {
      let from = 0
      for (let end = bytes.indexOf(lineEnd); end >= 0; end = bytes.indexOf(lineEnd, from)) {
        add(bytes.subarray(from, end))
        from = end + 1
        yield line()
      }
      add(Uint8Array.from(bytes.subarray(from)))
    }
    if (length > 0) yield line()
  }

  /**
   * The bytes of a file, or of standard input for "-", in parts as they are read; a part is there until the next one is asked for.
   * They end early where `signal` is aborted.
   */
  async *bytes(file: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const parts = this.terminal.stream(this.opened(file), signal)[Symbol.asyncIterator]()
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
    return isStdin(file) ? undefined : await this.terminal.size(file)
  }

  /**
   * Throws an InputError if standard output goes to this file: the shell has emptied it already, or what is written to it would be
   * read as input.
   */
  requireNotOutput(file: string): void {
    if (!this.terminal.isOutput(isStdin(file) ? "-" : file)) return
    const [name, option] = isStdin(file) ? ["standard input", "FILE"] : [file, file]
    throw new InputError(
      `${name}: standard output goes to this file, which is read too; use --out ${option}, which replaces it after it was read`,
    )
  }

  /** The name under which the terminal knows a file that is about to be read. Throws an InputError if it must not be. */
  private opened(file: string): string {
    this.requireNotOutput(file)
    if (!isStdin(file)) return file
    if (this.stdinRead) throw new InputError("standard input can be read only once")
    this.stdinRead = true
    return "-"
  }

  /** The text of a file, or of standard input for "-". Throws an InputError for what is not UTF-8. */
  async text(file: string, unpack = (bytes: Uint8Array): Uint8Array => bytes): Promise<string> {
    const opened = this.opened(file)
    let bytes: Uint8Array
    try {
      bytes = unpack(await this.terminal.read(opened))
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

const manifestEndings: readonly string[] = [".json", ".yaml", ".yml"]

/** Names of standard input. By these names it can't be opened again if it is a socket, as in programs that Node starts. */
const stdinNames: readonly string[] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]

function isStdin(file: string): boolean {
  return stdinNames.includes(file)
}

const tooLarge = "is too large: more than 512 MB can't be read"

/** What messages call a file. */
export function fileName(file: string): string {
  return isStdin(file) ? "standard input" : file
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
