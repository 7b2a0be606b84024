// The options of --stream, which the commands that have it share.
import { type Arguments, type Option, UsageError } from "../input/options.js"
import type { StreamedCommand } from "./judge.js"
import type { Shard } from "./shard.js"

export const streamOptions: readonly Option[] = [
  { name: "stream", help: "read a stream of JSON of any length, and write a line of JSON for each object" },
  { name: "jobs", value: "N", help: "with --stream: N threads share the work; the output is the same" },
  { name: "shard", value: "I/N", help: "with --stream: one of N equal parts of the objects, counted from 0" },
  { name: "where", help: "with --stream: say the file and line of each object" },
  { name: "fail-fast", help: "with --stream: stop at the first error" },
]

/** Beside these, for commands of which `readsAudit` is set. */
export const auditOption: Option = {
  name: "from",
  value: "audit",
  help: "with --stream: events of an audit log, of which the stored objects are taken",
}

/** What the help of a command says of --stream. `lines` are what one line of its output has, beside which object it is about. */
export function streamNotes(lines: string): readonly string[] {
  return [
    "",
    `With --stream, objects are read as JSON (NDJSON, one after the other, Lists, from files or standard input) and not held: ${lines}`,
    "Errors are lines too, and make the exit status 3.",
  ]
}

/** What the options of --stream ask for. */
export interface StreamSettings {
  readonly isAudit: boolean
  /** 1 for none beside the main thread. */
  readonly jobs: number
  /** Undefined for all objects. */
  readonly shard: Shard | undefined
  readonly showsPlace: boolean
  readonly failsFast: boolean
}

/** What these arguments ask for. Throws a UsageError for what does not go together. */
export function streamSettings(args: Arguments, { readsAudit = false }: StreamedCommand): StreamSettings {
  if ((args.get("output") ?? "json") !== "json") throw new UsageError("--stream writes lines of JSON: --output is json")
  return {
    isAudit: readsAudit && args.choice("from", ["audit"]) !== undefined,
    jobs: jobsOf(args.get("jobs") ?? "1"),
    shard: shardOf(args.get("shard")),
    showsPlace: args.has("where"),
    failsFast: args.has("fail-fast"),
  }
}

/** Throws a UsageError for an option that means something with --stream alone. */
export function requireNoStreamOptions(args: Arguments, { readsAudit = false }: StreamedCommand): void {
  const given = [...streamOptions, ...(readsAudit ? [auditOption] : [])].find(
    ({ name }) => name !== "stream" && args.get(name) !== undefined,
  )
  if (given !== undefined) throw new UsageError(`--${given.name} goes with --stream`)
}

function jobsOf(given: string): number {
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given)
  throw new UsageError(`--jobs is a number from 1 to 999, not ${given}`)
}

function shardOf(given: string | undefined): Shard | undefined {
  if (given === undefined) return undefined
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(given) ?? []
  const shard = { index: Number(index), count: Number(count) }
  if (shard.index < shard.count) return shard
  throw new UsageError(`--shard is I/N with I from 0 to N - 1, not ${given}`)
}
