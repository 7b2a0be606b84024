// `--replay` on the command line: reads the log, reports what it does not have, shows changes, and steps on Enter.

import { timeBy } from "../../apiserver/reproducible/clock.js"
import { groupBy } from "../../value/groups.js"
import { counted, listAnd } from "../../value/words.js"
import type { Context, Input } from "../input/input.js"
import { fileName } from "../input/input.js"
import { logValues } from "../input/log-values.js"
import { UsageError } from "../input/options.js"
import { printable } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import type { ServeArguments } from "./options.js"
import type { Gap } from "./replay/observe.js"
import { describeChange, Replay, replayPath } from "./replay/replay.js"
import { type Change, readLog } from "./replay/timeline.js"

/** Reads the log of `--replay`; undefined without the option. Throws a UsageError for options that need it. */
export async function openReplay({ args, input, terminal }: Context<ServeArguments>): Promise<Replay | undefined> {
  const { replay: file, speed = 1, writable, readOnly } = args
  if (file === undefined) {
    if (args.speed !== undefined) throw new UsageError("--speed needs --replay")
    if (writable) throw new UsageError("--writable needs --replay: other servers are writable without it")
    return undefined
  }
  if (args.authorization !== undefined) {
    throw new UsageError(
      "--replay and --authorization exclude each other: roles would take resourceVersions of the log",
    )
  }
  if (writable && readOnly) throw new UsageError("--writable and --read-only exclude each other")
  const log = await readLog(logValues(file, input))
  const isShown = speed === "step" && args.afterDashes.length === 0
  const show = (change: Change) => terminal.write(`${titleOf(change)}\n`)
  return new Replay(log, speed, timeBy({}), isShown ? show : undefined)
}

/** Whether a request is for the address of the replay. */
export function isForReplay(request: Request): boolean {
  return new URL(request.url).pathname === replayPath
}

/** How many lines of the log a report about one reason names. */
const mostLines = 5

/** Reports what the log does not have: a line for each reason. */
export function reportGaps(file: string, gaps: readonly Gap[], terminal: Terminal): void {
  for (const [reason, some] of groupBy(gaps, gap => gap.reason)) {
    const named = some.slice(0, mostLines).map(({ line, about }) => `line ${line}${about === "" ? "" : ` (${about})`}`)
    const rest = some.length - named.length
    const where = listAnd(rest > 0 ? [...named, `${rest} more`] : named)
    terminal.report(`${printable(`${fileName(file)}: ${reason}: ${where}`)}\n`)
  }
}

/** Starts the replay, and says how to advance it. Returns a function that stops reading the keys of the terminal. */
export function startReplay(replay: Replay, url: string, input: Input, terminal: Terminal): () => void {
  replay.play()
  const { speed, changes, position } = replay.status
  const left = counted(Number(changes) - Number(position), "change")
  if (speed !== "step") {
    terminal.write(`Replaying ${left} at ${String(speed)}.\n`)
    return () => undefined
  }
  const keys = input.isStdinRead ? "Send " : "Press Enter for the next change, or send "
  terminal.write(`${left} to come. ${keys}POST ${printable(url)}${replayPath}.\n`)
  const stop = new AbortController()
  if (!input.isStdinRead) void stepOnEnter(replay, input, stop.signal)
  return () => stop.abort()
}

async function stepOnEnter(replay: Replay, input: Input, signal: AbortSignal): Promise<void> {
  for await (const bytes of input.bytes("-", signal)) {
    const steps = bytes.filter(byte => byte === 0x0a).length
    if (steps > 0) replay.advance({ steps })
  }
}

function titleOf(change: Change): string {
  const { time, type, object, line } = describeChange(change)
  return printable(`${String(time)}  ${String(type).padEnd(8)}  ${String(object)}  (line ${String(line)})`)
}
