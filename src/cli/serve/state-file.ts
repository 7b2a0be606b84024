// The file of `--save`: the state of the server as NDJSON, one object on each line.
import type { ApiServer } from "../../apiserver/server.js"
import { formatGoJson } from "../../json/json.js"
import { InputError } from "../input/document.js"
import { whyUnwritable } from "../input/input.js"
import { printable } from "../terminal/layout.js"
import { replaceFile } from "../terminal/replace-file.js"
import type { Terminal } from "../terminal/terminal.js"

/** How long changes are collected before they are written, in milliseconds. */
const delay = 200

/**
 * Writes the state of a server whenever it has changed. The file is replaced as a whole: whoever reads it, even after a crash,
 * finds one state that was saved.
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

  /** Sees to it that the state is written soon, if it is not that of the file. */
  changed(): void {
    if (this.timer !== undefined || this.server.resourceVersion === this.saved) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.writing = this.writing.then(() => this.write()).then(() => this.changed())
    }, delay)
  }

  /** Whether the last attempt to write succeeded. */
  get isSaved(): boolean {
    return this.failed === ""
  }

  /** Writes what is not written yet. */
  async end(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    await this.writing
    clearTimeout(this.timer)
    if (this.server.resourceVersion !== this.saved) await this.write()
  }

  /** Writes the state, and tells of it once if that fails. */
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
