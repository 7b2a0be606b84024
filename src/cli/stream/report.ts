// Writes the records of a stream, reports its errors, and decides the exit status.
import { counted } from "../../value/words.js"
import type { Secrets } from "../secrets/secrets.js"
import { printable, printableJson } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import type { StreamSummary } from "./judge.js"
import { type BatchRecords, mostProblems } from "./records.js"

/** The exit status after errors. */
const failed = 3

/** A worker died, so that records are missing. The message says how. */
export class WorkerDied extends Error {}

/** A summary, and the key of the results in the records that it adds up. */
export interface StreamSummed {
  readonly key: string
  readonly totals: StreamSummary
}

/** Adds the results of records. Errors are reported, and not added. */
function addTo({ key, totals }: StreamSummed, records: string): void {
  for (const line of records.split("\n")) {
    if (line === "") continue
    const result: unknown = Reflect.get(JSON.parse(line) as object, key)
    if (result !== undefined) totals.add(result)
  }
}

/** Takes the results of the batches in their order. */
export class StreamReport {
  private readonly terminal: Terminal
  private readonly secrets: Secrets
  private readonly summary: StreamSummed | undefined
  private worst = 0
  private errors = 0
  private reported = 0
  private notLogged = 0
  private isRead = true
  private isLast = false
  /** The number of records written so far. */
  records = 0

  /** With a summary, `key` is that of the results in records, and only the records of the summary are written. */
  constructor(terminal: Terminal, secrets: Secrets, summary?: StreamSummed) {
    this.terminal = terminal
    this.secrets = secrets
    this.summary = summary
  }

  /** Whether no more records are needed: nobody reads them, or the run stops at the first error. */
  get isOver(): boolean {
    return this.isLast || !this.isRead
  }

  /** The exit status of the run. */
  get status(): number {
    return this.errors > 0 ? failed : this.worst
  }

  /** Writes the records of a batch, if there is one. Resolves when the output takes more. */
  async add(written: BatchRecords | undefined): Promise<void> {
    if (this.isOver || written === undefined) return
    const { text, records, errors, problems, status, notLogged, hasHidden, isLast } = written
    if (this.summary !== undefined) addTo(this.summary, text)
    else if (text !== "") this.isRead = await this.terminal.writeRecords(text)
    this.records += records
    this.errors += errors
    this.notLogged += notLogged
    this.worst = Math.max(this.worst, status)
    this.isLast = isLast
    if (hasHidden) this.secrets.hasHidden = true
    const room = Math.min(problems.length, mostProblems - this.reported)
    if (room > 0) this.terminal.progress(undefined)
    for (const problem of problems.slice(0, room)) this.terminal.report(`${problem}\n`)
    this.reported += room
  }

  /** Writes the records of the summary, if there is one. */
  async summarize(name: string): Promise<void> {
    if (this.summary === undefined) return
    const { totals } = this.summary
    const text = totals.records().map(record => `${printableJson(JSON.stringify(record))}\n`)
    if (text.length > 0) this.isRead = await this.terminal.writeRecords(text.join(""))
    const note = totals.note()
    if (note !== undefined && this.isRead) this.terminal.report(`${printable(`smd ${name}: ${note}`)}\n`)
  }

  /** Reports the number of errors, and other facts that are not in the records, after the last batch. */
  finish(name: string): void {
    if (!this.isRead) return
    const say = (text: string) => this.terminal.report(`${printable(`smd ${name}: ${text}`)}\n`)
    if (this.notLogged > 0) {
      const events = `${counted(this.notLogged, "event")} of the audit log ${this.notLogged === 1 ? "does" : "do"} not have the object`
      say(`${events} that was stored; events have it with level RequestResponse`)
    }
    if (this.errors === 0) return
    const rest = this.errors > this.reported ? `; the first ${this.reported} are above` : ""
    say(`${counted(this.errors, "error")} in ${counted(this.records, "record")}${rest}`)
  }
}
