// The options of `--stream`, shared by the commands that have it.
import { type Arguments, type Option, UsageError } from "../input/options.js"
import type { StreamedCommand } from "./judge.js"
import type { Shard } from "./shard.js"

export const streamOptions: readonly Option[] = [
  { name: "stream", help: "read a stream of JSON of any length, and write a line of JSON for each object" },
  { name: "jobs", value: "N", help: "with --stream: N threads share the work; the output is the same" },
  { name: "shard", value: "I/N", help: "with --stream: one of N equal parts of the objects, counted from 0" },
  { name: "where", help: "with --stream: add the file and line of each object" },
  { name: "fail-fast", help: "with --stream: stop at the first error" },
]

/** Another option of commands for which `readsAudit` is set. */
export const auditOption: Option = {
  name: "from",
  value: "audit",
  help: "with --stream: events of an audit log, from which the stored objects are taken",
}

/** Returns the help about `--stream`. `lines` says what a line of the command's output contains in addition to the object's identity. */
export function streamNotes(lines: string): readonly string[] {
  return [
    "",
    `With --stream, objects are read one by one as JSON (NDJSON, concatenated or Lists, from files or standard input): ${lines}`,
    "Errors are lines too, and the exit status is then 3.",
  ]
}

/** The settings of a stream. */
export interface StreamSettings {
  readonly isAudit: boolean
  /** The number of worker threads; with 1, the main thread does the work. */
  readonly jobs: number
  /** The part of the objects to read; undefined for all objects. */
  readonly shard: Shard | undefined
  readonly showsPlace: boolean
  readonly failsFast: boolean
}

/** Returns the settings in these arguments. Throws a UsageError for invalid values and for options that don't go together. */
export function streamSettings(args: Arguments, { readsAudit = false }: StreamedCommand): StreamSettings {
  if ((args.get("output") ?? "json") !== "json")
    throw new UsageError("--stream writes lines of JSON: --output must be json")
  return {
    isAudit: readsAudit && args.choice("from", ["audit"]) !== undefined,
    jobs: jobsOf(args.get("jobs") ?? "1"),
    shard: shardOf(args.get("shard")),
    showsPlace: args.has("where"),
    failsFast: args.has("fail-fast"),
  }
}

/** Throws a UsageError for an option that needs `--stream`. */
export function requireNoStreamOptions(args: Arguments, { readsAudit = false }: StreamedCommand): void {
  const given = [...streamOptions, ...(readsAudit ? [auditOption] : [])].find(
    ({ name }) => name !== "stream" && args.get(name) !== undefined,
  )
  if (given !== undefined) throw new UsageError(`--${given.name} needs --stream`)
}

function jobsOf(given: string): number {
  if (/^[1-9]\d{0,2}$/.test(given)) return Number(given)
  throw new UsageError(`--jobs must be a number from 1 to 999, not ${given}`)
}

function shardOf(given: string | undefined): Shard | undefined {
  if (given === undefined) return undefined
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(given) ?? []
  const shard = { index: Number(index), count: Number(count) }
  if (shard.index < shard.count) return shard
  throw new UsageError(`--shard must be I/N with I from 0 to N - 1, not ${given}`)
}
