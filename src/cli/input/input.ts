// Reads files, folders and standard input.

import { ParseError } from "../../errors.js"
import { parseJson, tryParseJson } from "../../json/json.js"
import type { ClusterDocument } from "../../tools/cluster/documents.js"
import { compareStrings } from "../../value/compare.js"
import type { Value } from "../../value/value.js"
import { listOr } from "../../value/words.js"
import type { Secrets } from "../secrets/secrets.js"
import { printable } from "../terminal/layout.js"
import { type FolderEntry, mostBytes, type Terminal } from "../terminal/terminal.js"
import type { ConnectionValues } from "./cluster-options.js"
import type { ClusterSession } from "./cluster-session.js"
import { type Document, documentAt, InputError, parseDocuments, whyNoJson } from "./document.js"
import type { Operands } from "./options.js"

/** The arguments, input and output of a running command. */
export interface Context<A extends Operands = Operands> {
  /** The operands, and the values of the command's options. */
  readonly args: A
  readonly input: Input
  readonly terminal: Terminal
  /** Writes to standard output even with `--out`, for text that is not the result. */
  readonly print: (text: string) => void
}

/** A line of a file, without its line break. */
export interface Line {
  /** The name of the file in messages. */
  readonly name: string
  /** Counted from 1. */
  readonly number: number
  readonly text: string
}

/** Reads documents. Standard input is read at most once. */
export class Input {
  /** The hidden values of all documents so far. */
  readonly secrets: Secrets
  private readonly terminal: Terminal
  private readonly givenDocuments: readonly ClusterDocument[]
  private stdinRead = false
  private acceptsRepeatedKeys = false
  private session: ClusterSession | undefined
  private readonly sources = new Map<string, AsyncIterable<Uint8Array>>()

  /** Whether standard input has been read. */
  get isStdinRead(): boolean {
    return this.stdinRead
  }

  /** The cluster that this run reads; undefined before `openCluster`. */
  get cluster(): ClusterSession | undefined {
    return this.session
  }

  /** `clusterDocuments` are the types of a cluster that another thread has read. */
  constructor(terminal: Terminal, secrets: Secrets, clusterDocuments: readonly ClusterDocument[] = []) {
    this.terminal = terminal
    this.secrets = secrets
    this.givenDocuments = clusterDocuments
  }

  /** Connects to a cluster, once. Throws an InputError that says why it can't. */
  async openCluster(options: ConnectionValues): Promise<ClusterSession> {
    const { ClusterSession } = await import("./cluster-session.js")
    this.session ??= await ClusterSession.open(options, this.terminal, this.secrets)
    return this.session
  }

  /** Returns the OpenAPI documents of the cluster, for the objects that were read; none without a cluster. */
  async clusterDocuments(): Promise<readonly ClusterDocument[]> {
    return (await this.session?.documents()) ?? this.givenDocuments
  }

  /** Ends the connection to the cluster. */
  async close(): Promise<void> {
    await this.session?.close()
  }

  /** Lets keys occur several times in a map of the documents that are read from now on. The last one wins, and documents list them. */
  acceptRepeatedKeys(): void {
    this.acceptsRepeatedKeys = true
  }

  /** Makes `bytes` return these chunks for a name that is not that of a file. */
  addSource(name: string, chunks: AsyncIterable<Uint8Array>): void {
    this.sources.set(name, chunks)
  }

  /** Reads the document of a file, or of standard input for "-". Throws an InputError unless there is exactly one. */
  async document(file: string): Promise<Document> {
    const documents = await this.documents(file)
    const [document] = documents
    const name = fileName(file)
    if (document === undefined) throw noDocument(file)
    if (documents.length > 1) throw new InputError(`${name}: expected one document, found ${documents.length}`)
    return document
  }

  /** Reads all documents of a file that have content. */
  async documents(file: string): Promise<Document[]> {
    const options = { acceptRepeatedKeys: this.acceptsRepeatedKeys }
    return parseDocuments(fileName(file), await this.text(file), this.secrets, options)
  }

  /**
   * Returns the manifests of a folder, or its files with other endings, in the order in which kubectl reads them: by name, and with
   * `recursive` each inner folder in its place. Returns undefined if the path is not a folder. Throws an InputError for a folder without
   * such files.
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
          else this.remark(`${printable(inside)}: skipped, because it is not a regular file\n`)
        }
      }
      return true
    }
    if (!(await walk(path))) return undefined
    if (files.length > 0) return files
    const names = `${listOr(endings)} file`
    const hint = recursive || endings !== manifestEndings ? "" : "; -R reads inner folders too"
    throw new InputError(`${path}: contains no ${names}${hint}`)
  }

  private async entriesOf(folder: string): Promise<readonly FolderEntry[] | undefined> {
    try {
      return await this.terminal.list(folder)
    } catch (error) {
      throw new InputError(`${folder}: ${whyUnreadable(error)}`)
    }
  }

  /**
   * Like `documents`, for files that programs have written: JSON is read as JSON, which is many times faster than reading it as YAML but
   * provides no lines and columns.
   */
  async generated(file: string): Promise<Document[]> {
    const text = await this.text(file)
    const value = /^\s*\{/.test(text) ? tryParseJson(text) : undefined
    if (value === undefined) return parseDocuments(fileName(file), text, this.secrets)
    const place = { file: fileName(file), position: undefined }
    return [documentAt(place, { file: place.file, text }, value, this.secrets)]
  }

  /** Reports something that is worth knowing but not a problem. */
  remark(text: string): void {
    this.terminal.report(text)
  }

  async exists(file: string): Promise<boolean> {
    try {
      await this.terminal.read(file)
      return true
    } catch (error) {
      return (error as NodeJS.ErrnoException).code !== "ENOENT"
    }
  }

  /** Whether the path is a regular file or a folder. */
  async isFileOrFolder(path: string): Promise<boolean> {
    return (await this.terminal.size(path)) !== undefined || (await this.terminal.list(path)) !== undefined
  }

  /** Reads the value of a JSON file, whose bytes `unpack` decompresses. Throws an InputError for anything but JSON. */
  async json(file: string, unpack: (bytes: Uint8Array) => Uint8Array): Promise<Value> {
    const text = await this.text(file, unpack)
    try {
      return parseJson(text)
    } catch (error) {
      if (error instanceof ParseError) throw new InputError(`${fileName(file)}${whyNoJson(text, this.secrets)}`)
      throw error
    }
  }

  /**
   * Reads the lines of a file, or of standard input for "-", one by one: the file may be larger than memory. Throws an InputError for
   * bytes that are not UTF-8.
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
      const text = decodeText(Buffer.concat(parts), `${name}:${++number}`)
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
   * Reads the bytes of a file, or of standard input for "-", in chunks. A chunk is valid until the next one is requested. Ends early if
   * `signal` is aborted.
   */
  async *bytes(file: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const source = this.sources.get(file) ?? this.terminal.stream(this.opened(file), signal)
    const parts = source[Symbol.asyncIterator]()
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

  /** Returns the size of a file in bytes; undefined if it is not known in advance, as for standard input. */
  async size(file: string): Promise<number | undefined> {
    return isStdin(file) ? undefined : await this.terminal.size(file)
  }

  /**
   * Throws an InputError if standard output goes to this file: either the shell has emptied it already, or the output would be read as
   * input.
   */
  requireNotOutput(file: string): void {
    if (!this.terminal.isOutput(isStdin(file) ? "-" : file)) return
    const [name, option] = isStdin(file) ? ["standard input", "FILE"] : [file, file]
    throw new InputError(
      `${name}: standard output goes to this file, which is an input too; use --out ${option}, which replaces it after reading`,
    )
  }

  /** Returns the name by which the terminal opens a file. Throws an InputError if the file must not be read. */
  private opened(file: string): string {
    this.requireNotOutput(file)
    if (!isStdin(file)) {
      this.secrets.addInput(file)
      return file
    }
    if (this.stdinRead) throw new InputError("standard input can be read only once")
    this.stdinRead = true
    return "-"
  }

  /** Reads the text of a file, or of standard input for "-". Throws an InputError for bytes that are not UTF-8. */
  async text(file: string, unpack = (bytes: Uint8Array): Uint8Array => bytes): Promise<string> {
    const opened = this.opened(file)
    let bytes: Uint8Array
    try {
      bytes = unpack(await this.terminal.read(opened))
    } catch (error) {
      throw new InputError(`${fileName(file)}: ${whyUnreadable(error)}`)
    }
    if (bytes.length > mostBytes) throw new InputError(`${fileName(file)}: ${tooLarge}`)
    return decodeText(bytes, fileName(file))
  }
}

const lineEnd = 0x0a

/** Decodes UTF-8. Throws an InputError that begins with `at` for any other bytes. */
function decodeText(bytes: Uint8Array, at: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw new InputError(`${at}: is not UTF-8 text`)
  }
}

export function noDocument(file: string): InputError {
  return new InputError(`${fileName(file)}: contains no document`)
}

const manifestEndings: readonly string[] = [".json", ".yaml", ".yml"]

/** Names of standard input. If it is a socket, as in programs that Node starts, it can't be opened by these names. */
const stdinNames: readonly string[] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]

function isStdin(file: string): boolean {
  return stdinNames.includes(file)
}

const tooLarge = "is too large: the limit is 512 MB"

/** Returns the name of a file in messages. */
export function fileName(file: string): string {
  return isStdin(file) ? "standard input" : file
}

/** Returns the reason why a file can't be written, for messages. */
export function whyUnwritable(error: unknown): string {
  return (error as NodeJS.ErrnoException).code === "ENOENT" ? "no such folder" : whyUnreadable(error)
}

function whyUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === "ENOENT") return "no such file"
  if (code === "EISDIR") return "is a directory"
  if (code === "EACCES") return "permission denied"
  if (code === "ERR_FS_FILE_TOO_LARGE" || error instanceof RangeError) return tooLarge
  return error instanceof Error ? error.message : String(error)
}
