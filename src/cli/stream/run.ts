// Runs a command on a stream: reads its files one after the other, and writes the records of what they hold as it is read.
import type { Context } from "../commands/command.js"
import { fileName, type Input } from "../input/input.js"
import { count } from "../output/layout.js"
import type { StreamedCommand } from "./judge.js"
import { streamSettings } from "./options.js"
import { Outcome } from "./outcome.js"
import { Progress } from "./progress.js"
import { RecordWriter } from "./records.js"
import { type Batch, Splitter } from "./splitter.js"

/** The endings of the files of a folder that are read. */
const endings = [".json", ".jsonl", ".ndjson"]

/**
 * Runs the command called `name` on the streams that the arguments name, or on standard input. Returns the exit status: 3 if there
 * were errors, 130 where the user has interrupted it, and else the highest that the command has for one of the objects.
 */
export async function runStream(name: string, command: StreamedCommand, context: Context): Promise<number> {
  const { args, input, terminal } = context
  const settings = streamSettings(args)
  const files = await streamedFiles(context)
  const writer = new RecordWriter(command, await command.prepare(args, input), settings)
  const outcome = new Outcome(terminal)
  const progress = new Progress(await totalSize(files, input), terminal)
  const interrupt = new AbortController()
  const stopListening = terminal.onInterrupt(() => interrupt.abort())
  try {
    await readBatches(files, input, interrupt.signal, async (batch, bytes) => {
      if (batch !== undefined) await outcome.add(writer.write(batch))
      progress.show(bytes, outcome.records)
      return !outcome.isOver
    })
  } finally {
    stopListening()
    terminal.progress(undefined)
  }
  outcome.report(name)
  if (!interrupt.signal.aborted) return outcome.status
  terminal.report(`smd ${name}: interrupted after ${count(outcome.records, "record")}\n`)
  return 130
}

/** The files that the arguments name, those of folders among them; standard input if they name none. */
async function streamedFiles({ args, input }: Context): Promise<string[]> {
  const paths = [...args.operands, ...args.all("filename")]
  const files: string[] = []
  for (const path of paths.length === 0 ? ["-"] : paths) {
    files.push(...((await input.filesOf(path, args.has("recursive"), endings)) ?? [path]))
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
 * Reads the files, and calls `take` with the values that are whole and the number of bytes read, until that returns false or `signal`
 * is aborted.
 */
async function readBatches(
  files: readonly string[],
  input: Input,
  signal: AbortSignal,
  take: (batch: Batch | undefined, bytes: number) => Promise<boolean>,
): Promise<void> {
  for (const file of files) {
    const splitter = new Splitter(fileName(file))
    for await (const bytes of input.bytes(file, signal)) {
      splitter.push(bytes)
      if (!(await take(splitter.take(), bytes.length)) || signal.aborted) return
    }
    if (signal.aborted) return
    splitter.end()
    if (!(await take(splitter.take(), 0))) return
  }
}
