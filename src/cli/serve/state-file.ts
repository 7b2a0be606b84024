// Writes the file of `--save`: the state of the server as NDJSON, one object on each line.
import type { ApiServer } from "../../apiserver/server.js"
import { formatGoJson } from "../../json/json.js"
import { InputError } from "../input/document.js"
import { whyUnwritable } from "../input/input.js"
import { printable } from "../terminal/layout.js"
import { replaceFile } from "../terminal/replace-file.js"
import type { Terminal } from "../terminal/terminal.js"

/** The time for which changes are collected before they are written, in milliseconds. */
const delay = 200

/**
 * Writes the state of a server whenever it has changed. The file is replaced as a whole: even after a crash, a reader finds one saved
 * state.
 */
export class StateFile {
  private readonly file: string
  private readonly server: ApiServer
  private readonly terminal: Terminal
  private saved = ""
  private timer: NodeJS.Timeout | undefined
  private writing: Promise<void> = Promise.resolve()
  private failed = ""

  constructor(file: string, server: ApiServer, terminal: Terminal) {
    this.file = file
    this.server = server
    this.terminal = terminal
  }

  /** Writes the state with which the server begins. Throws an InputError if the file can't be written. */
  async begin(): Promise<void> {
    await this.write()
    if (this.failed !== "") throw new InputError(`${this.file}: can't be written: ${this.failed}`)
  }

  /** Schedules a write of the state if the file does not have it. */
  changed(): void {
    if (this.timer !== undefined || this.server.resourceVersion === this.saved) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.writing = this.writing.then(() => this.write()).then(() => this.changed())
    }, delay)
  }

  /** Whether the last write succeeded. */
  get isSaved(): boolean {
    return this.failed === ""
  }

  /** Writes the last changes, if the file does not have them. */
  async end(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    await this.writing
    clearTimeout(this.timer)
    if (this.server.resourceVersion !== this.saved) await this.write()
  }

  /** Writes the state. Reports the first of several failures in a row. */
  private async write(): Promise<void> {
    const { resourceVersion } = this.server
    const lines = this.server.snapshot().map(object => `${formatGoJson(object, { sorted: false })}\n`)
    try {
      await replaceFile(this.file, lines.join(""), { newMode: 0o600, suffix: ".tmp" })
      this.saved = resourceVersion
      this.failed = ""
    } catch (error) {
      const why = whyUnwritable(error)
      if (this.failed === "" && this.saved !== "") {
        this.terminal.report(`${printable(this.file)}: can't be written: ${printable(why)}\n`)
      }
      this.failed = why
    }
  }
}
