// The options of `--stream`, shared by the commands that have it.
import { choice, firstGiven, flag, grouped, option, UsageError, type ValuesOf } from "../input/options.js"
import type { Shard } from "./shard.js"

export const streamOptions = grouped("Streams", {
  stream: flag("read a stream of JSON of any length, and write a line of JSON for each object"),
  jobs: option("N", "with --stream: share the work between N threads; the output is the same", parseJobs),
  shard: option("I/N", "with --stream: one of N equal parts of the objects, counted from 0", parseShard),
  where: flag("with --stream: add the file and line of each object"),
  failFast: flag("with --stream: stop at the first error"),
})

/** The options about streams, for commands that may lack them. */
export interface StreamValues extends Partial<ValuesOf<typeof streamOptions>> {
  readonly from?: unknown
  readonly output?: unknown
}

/** A command that may have `auditOption`. */
export interface AuditReader {
  /** Whether `--from audit` is available, which takes the stored objects from the events of an audit log. */
  readonly readsAudit?: boolean
}

/** Another option of commands for which `readsAudit` is set. */
export const auditOption = {
  ...choice(["audit"], "with --stream: events of an audit log, from which the stored objects are taken"),
  group: "Streams" as const,
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
export function streamSettings(args: StreamValues, { readsAudit = false }: AuditReader): StreamSettings {
  if (args.output !== undefined && args.output !== "json")
    throw new UsageError("--stream writes lines of JSON: --output must be json")
  return {
    isAudit: readsAudit && args.from === "audit",
    jobs: args.jobs ?? 1,
    shard: args.shard,
    showsPlace: args.where === true,
    failsFast: args.failFast === true,
  }
}

/** Throws a UsageError for an option that needs `--stream`. */
export function requireNoStreamOptions(args: StreamValues, { readsAudit = false }: AuditReader): void {
  const given = firstGiven(args, ["jobs", "shard", "where", "failFast", ...(readsAudit ? ["from" as const] : [])])
  if (given !== undefined) throw new UsageError(`${given} needs --stream`)
}

function parseJobs(text: string, name: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text)
  throw new UsageError(`${name} must be a number from 1 to 999, not ${text}`)
}

function parseShard(text: string, name: string): Shard {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text) ?? []
  const shard = { index: Number(index), count: Number(count) }
  if (shard.index < shard.count) return shard
  throw new UsageError(`${name} must be I/N with I from 0 to N - 1, not ${text}`)
}
