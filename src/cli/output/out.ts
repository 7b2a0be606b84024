// `--out` writes a command's result to a file instead of standard output.
import { InputError } from "../input/document.js"
import { type Context, whyUnwritable } from "../input/input.js"
import { type Operands, UsageError } from "../input/options.js"
import { harmless } from "../terminal/layout.js"
import { plainStyle } from "../terminal/style.js"
import type { Terminal } from "../terminal/terminal.js"

/** The value of `outOption`. */
export interface OutValue {
  /** Absent if the command has no `--out`. */
  readonly out?: string | undefined
}

/** The values of the options that `namingOut` reads. */
export interface InPlaceValues extends OutValue {
  readonly inPlace?: boolean
  readonly output?: unknown
  readonly live?: unknown
  readonly context?: unknown
  readonly kubeconfig?: unknown
}

/**
 * Returns the arguments with `--out` in place of `--in-place`, for which `fileOf` finds the file. A file that ends with .json gets JSON.
 * Throws a UsageError if the result can't replace one file.
 */
export async function namingOut<A extends Operands & InPlaceValues>(
  args: A,
  fileOf: (args: A) => string,
  terminal: Terminal,
): Promise<A> {
  if (args.inPlace !== true) return args
  if (args.out !== undefined) throw new UsageError("--in-place and --out exclude each other")
  const { live, context, kubeconfig } = args
  if ([live].flat().includes("cluster") || context !== undefined || kubeconfig !== undefined) {
    throw new UsageError("--in-place replaces a file, not objects of a cluster")
  }
  if (args.output === "name") throw new UsageError("--in-place writes objects: --output can't be name")
  const out = fileOf(args)
  if (out === "-" || (await terminal.list(out)) !== undefined) {
    throw new UsageError(`--in-place replaces a file, not ${out === "-" ? "standard input" : `the folder ${out}`}`)
  }
  return { ...args, out, output: args.output ?? (out.endsWith(".json") ? "json" : undefined) }
}

/** Returns the only file. Throws a UsageError, which calls it a `what`, unless there is exactly one. */
export function onlyFile(files: readonly string[], what: string): string {
  const [file, ...others] = files
  if (file !== undefined && others.length === 0) return file
  throw new UsageError(`--in-place needs exactly one ${what}, not ${files.length}`)
}

/** The exit statuses of runs that did not finish. */
const unfinished: readonly number[] = [4, 130]

/**
 * Runs a command, and replaces the file of `--out` with its output once it has finished. The file is replaced if the command succeeded,
 * or if it has a result despite its status, such as a report of problems; otherwise it stays unchanged. Without `--out` the command gets
 * `context` itself. Throws an InputError if the file can't be written.
 */
export async function withOut<A extends Operands & OutValue>(
  context: Context<A>,
  run: (context: Context<A>) => Promise<number>,
): Promise<number> {
  const { args, input, terminal } = context
  const file = args.out
  if (file === undefined || file === "-") return await run(context)
  if (file === "") throw new UsageError("--out needs a value: FILE")
  const replacement = terminal.replace(file)
  const { secrets } = input
  secrets.target = file
  const attempt = async (step: Promise<void>): Promise<void> => {
    try {
      await step
    } catch (error) {
      throw new InputError(`${file}: can't be written: ${whyUnwritable(error)}`)
    }
  }
  let text = ""
  let isWritten = false
  const inner: Terminal = {
    ...terminal,
    style: plainStyle,
    columns: terminal.fileColumns,
    messageColumns: Number.POSITIVE_INFINITY,
    write: part => {
      text += harmless(secrets.isEdit ? part : secrets.guard(part), false)
    },
    writeRecords: async part => {
      isWritten = true
      await attempt(replacement.write(part))
      return true
    },
  }
  try {
    const status = await run({ ...context, terminal: inner })
    if (unfinished.includes(status)) return status
    isWritten ||= text !== ""
    if (status !== 0 && !isWritten) return status
    if (text !== "") await attempt(replacement.write(text))
    await attempt(replacement.commit())
    return status
  } finally {
    await replacement.discard()
  }
}
