// A worker thread of --jobs: turns batches into records, as the main thread does without --jobs.
import { Tinypool } from "tinypool"
import { commands } from "./commands/list.js"
import { Input } from "./input/input.js"
import { parseArguments } from "./input/options.js"
import { secretsOf } from "./input/secret-options.js"
import type { StreamTask } from "./stream/judge.js"
import { streamSettings } from "./stream/options.js"
import { type BatchRecords, RecordWriter } from "./stream/records.js"
import type { Batch } from "./stream/unit.js"
import { processTerminal } from "./terminal/process-terminal.js"
import { guarded } from "./terminal/terminal.js"

const writer = createWriter(Tinypool.workerData as StreamTask)

/** Returns the records of a batch. */
export async function write(batch: Batch): Promise<BatchRecords> {
  return (await writer).write(batch)
}

async function createWriter({ command, argv, now, clusterDocuments }: StreamTask): Promise<RecordWriter> {
  const { options, stream } = (await commands.find(({ name }) => name === command)?.load()) ?? {}
  if (options === undefined || stream === undefined) throw new Error(`no streams of ${command}`)
  const { args } = parseArguments(argv, options)
  if (args === undefined) throw new Error("--help makes no stream")
  // The main thread has already reported the remarks about the options.
  const secrets = secretsOf(args)
  const input = new Input({ ...guarded(processTerminal()), report: () => undefined }, secrets, clusterDocuments)
  const judge = await stream.prepare(args, input, now)
  return new RecordWriter(stream, judge, streamSettings(args, stream), secrets)
}
