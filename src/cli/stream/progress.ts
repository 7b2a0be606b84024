// Shows how far a stream has been read.
import { counted } from "../../value/words.js"
import type { Terminal } from "../terminal/terminal.js"

/** Shows the number of records, their rate and, if the size of the input is known, the remaining time. */
export class Progress {
  private readonly terminal: Terminal
  private readonly total: number | undefined
  private readonly begin: number
  private read = 0

  /** `total` is the size of the input in bytes; undefined if it is not known. */
  constructor(total: number | undefined, terminal: Terminal) {
    this.total = total
    this.terminal = terminal
    this.begin = terminal.now().getTime()
  }

  /** Shows the progress after another `bytes` bytes, with `records` records in all. */
  show(bytes: number, records: number): void {
    this.read += bytes
    const seconds = (this.terminal.now().getTime() - this.begin) / 1000
    const parts = [counted(records, "record")]
    if (seconds > 0) parts.push(`${Math.round(records / seconds)} a second`)
    if (this.total !== undefined && this.total > 0) {
      const share = Math.min(1, this.read / this.total)
      parts.push(`${Math.floor(share * 100)} %`)
      if (seconds > 0 && share > 0) parts.push(`${duration(seconds * (1 / share - 1))} left`)
    }
    this.terminal.progress(parts.join(", "))
  }
}

/** `45 s`, `3 min 20 s`, `2 h 5 min`. */
function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
