// The only access of commands to the outside world: files, the two output streams, and the styles of text there. Tests pass their own.
import { type BigIntStats, type Dirent, fstatSync, readSync, type Stats, statSync } from "node:fs"
import { open, readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { addAbortSignal } from "node:stream"
import { styleText } from "node:util"
import type { Connection } from "../cluster/connection.js"
import type { ConnectOptions } from "../cluster/transport.js"
import { foldLines, harmless, printable } from "./layout.js"
import { type Replacement, replacementOf } from "./replace-file.js"
import { cutMiddle } from "./width.js"

export interface Terminal {
  /** The program in usage lines: `smd`, or `kubectl smd` if kubectl has started it as a plugin. */
  readonly program: string
  /**
   * Reads the bytes of a file, or of standard input for "-". Rejects as `fs.readFile` does, with a RangeError for a pipe that delivers
   * more than `mostBytes`, and with an Error for a device that delivers more than 64 MB.
   */
  read(file: string): Promise<Uint8Array>
  /**
   * Reads the bytes of a file, or of standard input for "-", in chunks. A chunk is valid until the next one is requested. Fails as
   * `read` does. Ends early, or fails, once `signal` is aborted.
   */
  stream(file: string, signal?: AbortSignal): AsyncIterable<Uint8Array>
  /** Returns the size of a regular file in bytes; undefined for anything else, such as a pipe. */
  size(file: string): Promise<number | undefined>
  /** Returns the entries of a folder, in no particular order; undefined if the folder does not exist. */
  list(folder: string): Promise<readonly FolderEntry[] | undefined>
  /** Connects to a cluster, only to read. Rejects with an Error that says why it can't. */
  connect(options: ConnectOptions): Promise<Connection>
  /** Returns a replacement for the content of a file. Its methods reject as the functions of `fs` do. */
  replace(file: string): Replacement
  /** Whether standard output is redirected to this file, or for "-" to the file that standard input reads. */
  isOutput(file: string): boolean
  /** Whether the program was started with standard output closed, so that everything written to it is lost. */
  readonly isOutputClosed: boolean
  /** Writes results to standard output. */
  write(text: string): void
  /**
   * Writes lines of JSON to standard output, unchanged: the caller has escaped everything that could control a terminal
   * (`printableJson`). Resolves once they are written, to false if nobody reads them.
   */
  writeRecords(text: string): Promise<boolean>
  /** Writes problems and remarks to standard error. */
  report(text: string): void
  /**
   * Shows on standard error how far a long run has come. The next line replaces this one, and undefined removes it. Does nothing if
   * standard error is not a terminal.
   */
  progress(line: string | undefined): void
  /**
   * Calls `listener` when the user interrupts the program for the first time, instead of ending it; a second interrupt ends it. Returns
   * a function that removes the listener.
   */
  onInterrupt(listener: () => void): () => void
  /** The styles of text on standard output. */
  readonly style: Style
  /** The styles of text on standard error. */
  readonly reportStyle: Style
  /** The width of standard output, in columns. */
  readonly columns: number
  /** Where messages on standard output are folded: infinite unless it is a terminal, because programs expect a message on one line. */
  readonly messageColumns: number
  /** The width of lines that are written to a file, in columns. */
  readonly fileColumns: number
  now(): Date
}

/** The most bytes that are read at once: as many as a string can hold on every system. */
export const mostBytes = 2 ** 29 - 24

/** The most bytes that are read from a device: some never end. */
const mostOfDevice = 2 ** 26

/** An entry of a folder. */
export interface FolderEntry {
  readonly name: string
  /** A link has the type of its target, except that a link to a folder or to nothing counts as a file. */
  readonly type: "file" | "folder" | "other"
}

/**
 * Returns the terminal for commands, which escapes everything in their output that could control the real one. `hide` returns a text
 * without the secrets that formatters have missed. Commands themselves keep names on one line (`printable`), because names look like any
 * other text here.
 */
export function guarded(terminal: Terminal, hide: (text: string) => string = same): Terminal {
  const { style, reportStyle } = terminal
  return {
    ...terminal,
    write: text => terminal.write(harmless(hide(text), style === coloured)),
    report: text => terminal.report(harmless(hide(text), reportStyle === coloured)),
    progress: line => terminal.progress(line === undefined ? undefined : printable(hide(line))),
  }
}

/** Functions that colour text, or return it unchanged. */
export interface Style {
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

const plain: Style = { strong: same, faint: same, good: same, bad: same }
const coloured: Style = { strong: styled("bold"), faint: styled("dim"), good: styled("green"), bad: styled("red") }

function same(text: string): string {
  return text
}

/** Always colours: `styleFor` decides whether colours are wanted. */
function styled(format: "bold" | "dim" | "green" | "red"): (text: string) => string {
  return text => styleText(format, text, { validateStream: false })
}

/**
 * Returns colours for a stream that is a terminal, unless TERM is dumb. NO_COLOR turns colours off for all streams; otherwise FORCE_COLOR
 * turns them on, or off if it is 0 or false.
 */
export function styleFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const { NO_COLOR = "", FORCE_COLOR, TERM } = env
  if (NO_COLOR !== "") return plain
  if (FORCE_COLOR !== undefined) return FORCE_COLOR === "0" || FORCE_COLOR === "false" ? plain : coloured
  return stream.isTTY === true && TERM !== "dumb" ? coloured : plain
}

/** Returns the terminal with colours as `--color` requests. `auto` keeps the styles of the streams. */
export function withColor(terminal: Terminal, color: "auto" | "always" | "never"): Terminal {
  if (color === "auto") return terminal
  const style = color === "always" ? coloured : plain
  return { ...terminal, style, reportStyle: style }
}

/** The style of text in files. */
export const fileStyle: Style = plain

/** The terminal of this process. */
export function processTerminal(): Terminal {
  process.stdout.on("error", endUnlessClosed)
  process.stderr.on("error", error => {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") process.exit(2)
  })
  return {
    program: programName(process.argv[1]),
    read: readWhole,
    stream: openStream,
    size: fileSize,
    list: listFolder,
    connect: async options => (await import("../cluster/connection.js")).connect(options),
    replace: file => replacementOf(file),
    isOutput: isStandardOutput,
    isOutputClosed: isStandardOutputClosed(),
    write: text => void process.stdout.write(text),
    writeRecords: text => new Promise(resolve => process.stdout.write(text, error => resolve(error == null))),
    report: text => void process.stderr.write(foldLines(text, messageColumnsOf(process.stderr, process.env))),
    progress: progressOn(process.stderr, process.env, () => performance.now()),
    onInterrupt: listener => {
      process.once("SIGINT", listener)
      return () => process.off("SIGINT", listener)
    },
    style: styleFor(process.stdout, process.env),
    reportStyle: styleFor(process.stderr, process.env),
    columns: columnsOf(process.stdout, process.env),
    messageColumns: messageColumnsOf(process.stdout, process.env),
    fileColumns: columnsOf({}, process.env),
    now: () => new Date(),
  }
}

/** Returns the program's name in usage lines. kubectl starts a plugin by the name of its file. */
export function programName(file = ""): string {
  return /[\\/]kubectl-smd(?:\.[a-z]+)?$/.test(file) ? "kubectl smd" : "smd"
}

async function readWhole(file: string): Promise<Uint8Array> {
  if (file !== "-" && (await stat(file)).isFile()) return await readFile(file)
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of openStream(file)) {
    length += part.length
    if (length > mostBytes) throw new RangeError("too many bytes")
    parts.push(Uint8Array.from(part))
  }
  return Buffer.concat(parts, length)
}

function openStream(file: string, signal?: AbortSignal): AsyncIterable<Uint8Array> {
  if (file !== "-") return readChunks(file, signal)
  const { stdin } = process
  if (signal !== undefined) addAbortSignal(signal, stdin)
  return isDevice(fstatSync(0)) ? limitDevice(stdin) : stdin
}

/** Reads a file through a single buffer: with new ones, a large file would leave tens of megabytes to the garbage collector at a time. */
async function* readChunks(file: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const handle = await open(file)
  try {
    const parts = readParts()
    yield* isDevice(await handle.stat()) ? limitDevice(parts) : parts
  } finally {
    await handle.close()
  }
  async function* readParts(): AsyncGenerator<Uint8Array> {
    const buffer = Buffer.allocUnsafeSlow(2 ** 17)
    while (!signal?.aborted) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  }
}

/** Passes on the chunks of a device. Throws after `mostOfDevice` bytes. */
async function* limitDevice(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const part of parts) {
    length += part.length
    if (length > mostOfDevice) throw new Error(`is a device that delivers more than ${mostOfDevice / 2 ** 20} MB`)
    yield part
  }
}

function isDevice(stats: Stats): boolean {
  return stats.isCharacterDevice() || stats.isBlockDevice()
}

function isStandardOutput(file: string): boolean {
  const output = statsOf(1)
  if (!output?.isFile()) return false
  const input = statsOf(file === "-" ? 0 : file)
  return input !== undefined && input.dev === output.dev && input.ino === output.ino
}

/** The stats of a file or a descriptor; undefined if it does not exist. They are bigints because inode numbers exceed safe integers. */
function statsOf(file: string | number): BigIntStats | undefined {
  try {
    return typeof file === "string" ? statSync(file, { bigint: true }) : fstatSync(file, { bigint: true })
  } catch {
    return undefined
  }
}

/**
 * Whether the program was started with standard output closed. Node then opens the null device in its place, also for reading, which no
 * shell does for `> /dev/null`. Some programs do the same for a child whose output they ignore. Most of these ignore standard error
 * too, so that case does not count as closed.
 */
function isStandardOutputClosed(): boolean {
  return isReadableNull(1) && !isReadableNull(2)
}

function isReadableNull(descriptor: number): boolean {
  const [given, none] = [statsOf(descriptor), statsOf("/dev/null")]
  if (given === undefined || none === undefined || given.rdev !== none.rdev || !given.isCharacterDevice()) return false
  try {
    return readSync(descriptor, new Uint8Array(1)) === 0
  } catch {
    return false
  }
}

async function fileSize(file: string): Promise<number | undefined> {
  try {
    const found = await stat(file)
    return found.isFile() ? found.size : undefined
  } catch {
    return undefined
  }
}

/** A stream that may be a terminal. */
interface Screen {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

/**
 * Returns a function that shows lines of progress on a terminal: the first after a second, because shorter runs need none, then at most
 * ten per second. `clock` returns milliseconds.
 */
export function progressOn(
  screen: Screen,
  env: Readonly<Record<string, string | undefined>>,
  clock: () => number,
): (line: string | undefined) => void {
  if (screen.isTTY !== true || env.TERM === "dumb") return () => undefined
  const begin = clock()
  let isShown = false
  let next = begin + 1000
  return line => {
    if (line === undefined) {
      if (isShown) screen.write("\r\x1b[K")
      isShown = false
    } else if (clock() >= next) {
      screen.write(`\r\x1b[K${cutMiddle(line, columnsOf(screen, env) - 1)}`)
      isShown = true
      next = clock() + 100
    }
  }
}

async function listFolder(folder: string): Promise<readonly FolderEntry[] | undefined> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return await Promise.all(entries.map(async entry => ({ name: entry.name, type: await entryType(folder, entry) })))
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "ENOTDIR" || code === "ENOENT") return undefined
    throw error
  }
}

async function entryType(folder: string, entry: Dirent): Promise<FolderEntry["type"]> {
  if (entry.isDirectory()) return "folder"
  if (entry.isFile()) return "file"
  if (!entry.isSymbolicLink()) return "other"
  try {
    const target = await stat(join(folder, entry.name))
    return target.isFile() || target.isDirectory() ? "file" : "other"
  } catch {
    return "file"
  }
}

/** The width of a stream: COLUMNS in the environment, else the width of the terminal, else 80. */
export function columnsOf(
  stream: { readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): number {
  const wanted = /^[1-9]\d{0,4}$/.test(env.COLUMNS ?? "") ? Number(env.COLUMNS) : stream.columns
  return wanted || 80
}

/** Returns the width at which messages on a stream are folded. */
function messageColumnsOf(
  stream: Pick<Screen, "isTTY" | "columns">,
  env: Readonly<Record<string, string | undefined>>,
): number {
  return stream.isTTY === true ? columnsOf(stream, env) : Number.POSITIVE_INFINITY
}

// A reader that has seen enough, such as `head`, closes the pipe, and nobody needs the rest. After any other failed write, the exit
// status is 2, as for unreadable input.
function endUnlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") return
  const why = error.code === "ENOSPC" ? "no space left on device" : printable(error.message)
  process.stderr.write(`smd: output can't be written: ${why}\n`, () => process.exit(2))
}
