// Runs a command on a stream: reads files one after the other, and writes the records of their objects as it goes.
import { counted } from "../../value/words.js"
import { namedObjects } from "../input/cluster-operands.js"
import type { LiveObjectValues } from "../input/cluster-options.js"
import { type Context, fileName, type Input } from "../input/input.js"
import { openFor, readsCluster } from "../input/live-objects.js"
import { firstGiven, type Operands, UsageError } from "../input/options.js"
import { printable } from "../terminal/layout.js"
import type { StreamedCommand, StreamTask } from "./judge.js"
import { type StreamSettings, type StreamValues, streamSettings } from "./options.js"
import { Progress } from "./progress.js"
import { type BatchRecords, RecordWriter } from "./records.js"
import { StreamReport, WorkerDied } from "./report.js"
import { Splitter } from "./splitter.js"
import type { Batch } from "./unit.js"

/** The endings of the files that are read in folders. */
const endings = [".json", ".jsonl", ".ndjson"]

/** The size of a batch for a worker: at least this many bytes, unless its file ends. */
const leastForWorker = 2 ** 17

/** The operands and options of a command that works on streams. */
interface StreamArguments extends Operands, StreamValues, LiveObjectValues {
  readonly filename?: readonly string[]
  readonly recursive?: boolean
}

/** Turns batches into records, in this thread or in workers, and returns them in the order of the batches. */
interface Writers {
  /** Takes a batch. Returns the records of this or an earlier batch; undefined if none are ready. */
  add(batch: Batch): Promise<BatchRecords | undefined>
  /** Returns the records of the next batch; undefined after the last one. */
  next(): Promise<BatchRecords | undefined>
  end(): Promise<void>
}

/**
 * Runs the command on the streams that the arguments name, or on standard input. Returns the exit status: 4 if a worker died and the
 * output is incomplete, 130 if the user interrupted the run, and 3 after errors. Otherwise it is the highest status of any object.
 */
export async function runStream(
  task: StreamTask,
  command: StreamedCommand,
  context: Context<StreamArguments>,
  worker: URL,
): Promise<number> {
  const { input, terminal } = context
  const settings = streamSettings(context.args, command)
  const files = (await clusterSource(command, context)) ?? (await streamedFiles(command, context))
  for (const file of files) input.requireNotOutput(file)
  const totals = await command.summaryOf?.(context.args)
  const report = new StreamReport(terminal, input.secrets, totals && { key: command.result, totals })
  const interrupt = new AbortController()
  const stopListening = terminal.onInterrupt(() => interrupt.abort())
  const writers = await writersFor(task, command, context, settings, worker)
  try {
    const progress = new Progress(await totalSize(files, input), terminal)
    const least = settings.jobs === 1 ? 1 : leastForWorker
    await readBatches(files, input, interrupt.signal, least, async (batch, bytes) => {
      await report.add(batch && (await writers.add(batch)))
      progress.show(bytes, report.records)
      return !report.isOver
    })
    for (let written = await writers.next(); written !== undefined && !report.isOver; written = await writers.next()) {
      await report.add(written)
      progress.show(0, report.records)
    }
  } catch (error) {
    if (!(error instanceof WorkerDied)) throw error
    terminal.progress(undefined)
    const why = `a worker died (${error.message}) after ${counted(report.records, "record")}: the output is incomplete`
    terminal.report(`${printable(`smd ${task.command}: ${why}`)}\n`)
    return 4
  } finally {
    stopListening()
    terminal.progress(undefined)
    await writers.end()
  }
  if (!interrupt.signal.aborted) await report.summarize(task.command)
  report.finish(task.command)
  if (!interrupt.signal.aborted) return report.status
  terminal.report(`smd ${task.command}: interrupted after ${counted(report.records, "record")}\n`)
  return 130
}

/** Returns a writer in this thread for a single job, or else workers. Prepares the command in any case, to report wrong options. */
async function writersFor(
  task: StreamTask,
  command: StreamedCommand,
  { args, input }: Context<StreamArguments>,
  settings: StreamSettings,
  worker: URL,
): Promise<Writers> {
  const judge = await command.prepare(args, input, task.now)
  if (settings.jobs === 1) {
    const writer = new RecordWriter(command, judge, settings, input.secrets)
    return { add: async batch => writer.write(batch), next: async () => undefined, end: async () => undefined }
  }
  if (input.isStdinRead)
    throw new UsageError("with --jobs, options can't read standard input, because each job reads their files")
  const { Workers } = await import("./workers.js")
  const clusterDocuments = await input.clusterDocuments()
  return new Workers(settings.jobs, worker, { ...task, clusterDocuments })
}

/** Opens the cluster if the arguments name one, and returns the name of the source with its objects. */
async function clusterSource(
  command: StreamedCommand,
  { args, input }: Context<StreamArguments>,
): Promise<string[] | undefined> {
  // Not every command reads live objects.
  if (!("allNamespaces" in args)) return undefined
  const operands = command.streamsOf?.(args) ?? args.operands
  const named = { ...args, operands }
  if (!(await readsCluster(named, input))) return undefined
  const option = firstGiven(args, ["filename", "from"])
  if (option !== undefined) throw new UsageError(`${option} can't be used with --stream for objects of a cluster`)
  const cluster = await openFor(named, input)
  input.addSource("cluster", await cluster.stream(namedObjects(operands, args), args))
  return ["cluster"]
}

/** Returns the files that the arguments name, including the files of folders, or standard input if they name nothing. */
async function streamedFiles(command: StreamedCommand, { args, input }: Context<StreamArguments>): Promise<string[]> {
  const paths = [...(command.streamsOf?.(args) ?? args.operands), ...(args.filename ?? [])]
  const files: string[] = []
  for (const path of paths.length === 0 ? ["-"] : paths) {
    files.push(...((await input.filesOf(path, args.recursive === true, endings)) ?? [path]))
  }
  return files
}

async function totalSize(files: readonly string[], input: Input): Promise<number | undefined> {
  let total = 0
  for (const file of files) {
    const size = await input.size(file)
    if (size === undefined) return undefined
    total += size
  }
  return total
}

/**
 * Reads the files, and calls `take` after each chunk with its number of bytes and, once they have `least` bytes, the complete values.
 * Stops when `take` returns false or `signal` is aborted.
 */
async function readBatches(
  files: readonly string[],
  input: Input,
  signal: AbortSignal,
  least: number,
  take: (batch: Batch | undefined, bytes: number) => Promise<boolean>,
): Promise<void> {
  for (const file of files) {
    const splitter = new Splitter(fileName(file))
    for await (const bytes of input.bytes(file, signal)) {
      splitter.push(bytes)
      const batch = splitter.ready >= least || splitter.ready === 0 ? splitter.take() : undefined
      if (!(await take(batch, bytes.length)) || signal.aborted) return
    }
    if (signal.aborted) return
    splitter.end()
    if (!(await take(splitter.take(), 0))) return
  }
}
