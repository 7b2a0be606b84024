// The terminal of this process: its files, its standard streams, and its environment.
//
// Whole files and folders are read synchronously: a run has nothing else to do meanwhile, and the thread pool would take 4 % of an apply.
import {
  type BigIntStats,
  type Dirent,
  fstatSync,
  promises,
  readdirSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
} from "node:fs"
import { join } from "node:path"
import { addAbortSignal } from "node:stream"
import { foldLines, printable } from "./layout.js"
import { replacementOf } from "./replace-file.js"
import { styleFor } from "./style.js"
import { type FolderEntry, mostBytes, type Terminal } from "./terminal.js"
import { cutMiddle } from "./width.js"

/** The most bytes that are read from a device: some never end. */
const mostOfDevice = 2 ** 26

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
function programName(file = ""): string {
  return /[\\/]kubectl-smd(?:\.[a-z]+)?$/.test(file) ? "kubectl smd" : "smd"
}

async function readWhole(file: string): Promise<Uint8Array> {
  if (file !== "-" && statSync(file).isFile()) return readFileSync(file)
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
  const handle = await promises.open(file)
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
    const found = await promises.stat(file)
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
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.map(entry => ({ name: entry.name, type: entryType(folder, entry) }))
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException
    if (code === "ENOTDIR" || code === "ENOENT") return undefined
    throw error
  }
}

function entryType(folder: string, entry: Dirent): FolderEntry["type"] {
  if (entry.isDirectory()) return "folder"
  if (entry.isFile()) return "file"
  if (!entry.isSymbolicLink()) return "other"
  try {
    const target = statSync(join(folder, entry.name))
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
