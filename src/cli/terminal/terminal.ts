// The only access of commands to the outside world: files, the two output streams, and the styles of text there. Commands get it from
// process-terminal.ts, and tests pass their own.
import type { Connection } from "../cluster/connection.js"
import type { ConnectOptions } from "../cluster/transport.js"
import { harmless, printable } from "./layout.js"
import type { Replacement } from "./replace-file.js"
import { colouredStyle, plainStyle, type Style } from "./style.js"

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
export function guarded(terminal: Terminal, hide: (text: string) => string = text => text): Terminal {
  const { style, reportStyle } = terminal
  return {
    ...terminal,
    write: text => terminal.write(harmless(hide(text), style === colouredStyle)),
    report: text => terminal.report(harmless(hide(text), reportStyle === colouredStyle)),
    progress: line => terminal.progress(line === undefined ? undefined : printable(hide(line))),
  }
}

/** Returns the terminal with colours as `--color` requests. `auto` keeps the styles of the streams. */
export function withColor(terminal: Terminal, color: "auto" | "always" | "never"): Terminal {
  if (color === "auto") return terminal
  const style = color === "always" ? colouredStyle : plainStyle
  return { ...terminal, style, reportStyle: style }
}
