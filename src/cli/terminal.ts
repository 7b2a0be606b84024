// All that the commands know about the outside world: input, two outputs, and how text may look there. Tests make their own.
import { open, readdir, readFile, stat } from "node:fs/promises"
import { addAbortSignal } from "node:stream"
import { buffer } from "node:stream/consumers"
import { harmless, printable } from "./output/layout.js"
import { cutMiddle } from "./output/width.js"

export interface Terminal {
  /** The bytes of a file, or of standard input for "-". Rejects as `fs.readFile` does. */
  read(file: string): Promise<Uint8Array>
  /**
   * The bytes of a file, or of standard input for "-", in parts as they are read; a part is there until the next one is asked for.
   * Fails as `read` does. Ends early, or fails, once `signal` is aborted.
   */
  stream(file: string, signal?: AbortSignal): AsyncIterable<Uint8Array>
  /** How many bytes the file has; undefined for what is none, such as a pipe. */
  size(file: string): Promise<number | undefined>
  /** The entries of a folder, in no order; undefined if there is no folder of this name. */
  list(folder: string): Promise<readonly FolderEntry[] | undefined>
  /** Standard output: results. */
  write(text: string): void
  /**
   * Standard output: lines of JSON in which all is escaped that could steer a terminal (`printableJson`), for nothing is removed here.
   * Resolves when they are written, to false if nobody reads them.
   */
  writeRecords(text: string): Promise<boolean>
  /** Standard error: problems and remarks. */
  report(text: string): void
  /**
   * Says on standard error how far a long run has come, in a line that the next one replaces; undefined takes it away. Nothing where
   * that is no terminal.
   */
  progress(line: string | undefined): void
  /**
   * Calls `listener` when the user interrupts the program for the first time, instead of ending it; another time ends it. Returns what
   * stops that.
   */
  onInterrupt(listener: () => void): () => void
  /** How text on standard output may look. */
  readonly style: Style
  /** How text on standard error may look. */
  readonly reportStyle: Style
  /** How many characters fit into a line of standard output. */
  readonly columns: number
  now(): Date
}

/** A file or a folder in a folder. */
export interface FolderEntry {
  readonly name: string
  readonly isFolder: boolean
}

/**
 * The terminal for commands: removes everything that could steer the real one from what they write. Commands themselves keep names
 * on one line (`printable`), since here names can't be told from other text.
 */
export function guarded(terminal: Terminal): Terminal {
  const { style, reportStyle } = terminal
  return {
    read: file => terminal.read(file),
    stream: (file, signal) => terminal.stream(file, signal),
    size: file => terminal.size(file),
    list: folder => terminal.list(folder),
    write: text => terminal.write(harmless(text, style === coloured)),
    writeRecords: text => terminal.writeRecords(text),
    report: text => terminal.report(harmless(text, reportStyle === coloured)),
    progress: line => terminal.progress(line === undefined ? undefined : printable(line)),
    onInterrupt: listener => terminal.onInterrupt(listener),
    style,
    reportStyle,
    columns: terminal.columns,
    now: () => terminal.now(),
  }
}

/** Functions that mark up text, or leave it as it is. */
export interface Style {
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

const plain: Style = { strong: same, faint: same, good: same, bad: same }
const coloured: Style = { strong: sgr(1, 22), faint: sgr(2, 22), good: sgr(32, 39), bad: sgr(31, 39) }

function same(text: string): string {
  return text
}

function sgr(on: number, off: number): (text: string) => string {
  return text => `\x1b[${on}m${text}\x1b[${off}m`
}

/** Colours for a stream that is a terminal, unless the environment asks for none (NO_COLOR, or TERM=dumb). */
export function styleFor(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const wanted = stream.isTTY === true && (env.NO_COLOR ?? "") === "" && env.TERM !== "dumb"
  return wanted ? coloured : plain
}

/** The terminal of this process. */
export function processTerminal(): Terminal {
  process.stdout.on("error", endUnlessClosed)
  process.stderr.on("error", error => {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") process.exit(2)
  })
  return {
    read: async file => (file === "-" ? await buffer(process.stdin) : await readFile(file)),
    stream: (file, signal) => streamOf(file, signal),
    size: sizeOf,
    list: listFolder,
    write: text => void process.stdout.write(text),
    writeRecords: text => new Promise(resolve => process.stdout.write(text, error => resolve(error == null))),
    report: text => void process.stderr.write(text),
    progress: progressOn(process.stderr, process.env, () => performance.now()),
    onInterrupt: listener => {
      process.once("SIGINT", listener)
      return () => process.off("SIGINT", listener)
    },
    style: styleFor(process.stdout, process.env),
    reportStyle: styleFor(process.stderr, process.env),
    columns: columnsOf(process.stdout, process.env),
    now: () => new Date(),
  }
}

function streamOf(file: string, signal: AbortSignal | undefined): AsyncIterable<Uint8Array> {
  if (file !== "-") return partsOf(file, signal)
  return signal === undefined ? process.stdin : addAbortSignal(signal, process.stdin)
}

/** The parts of a file, in one buffer: a large file would else leave tens of megabytes to the garbage collector at any time. */
async function* partsOf(file: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const handle = await open(file)
  try {
    const buffer = Buffer.allocUnsafeSlow(2 ** 17)
    while (!signal?.aborted) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
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
 * Shows lines of progress on a terminal: the first after a second, for a run that is shorter needs none, and then ten a second at the
 * most. `clock` is in milliseconds.
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
    return entries.map(entry => ({ name: entry.name, isFolder: entry.isDirectory() }))
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "ENOTDIR" || code === "ENOENT") return undefined
    throw error
  }
}

/** The width of a stream: COLUMNS of the environment, that of the terminal, or 80. */
export function columnsOf(
  stream: { readonly columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): number {
  const wanted = /^[1-9]\d{0,4}$/.test(env.COLUMNS ?? "") ? Number(env.COLUMNS) : stream.columns
  return wanted || 80
}

// A reader that has seen enough, such as `head`, closes the pipe, and nobody needs the rest. Any other failure to write counts as
// input that can't be read.
function endUnlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") return
  const why = error.code === "ENOSPC" ? "no space left on device" : printable(error.message)
  process.stderr.write(`smd: output can't be written: ${why}\n`, () => process.exit(2))
}
