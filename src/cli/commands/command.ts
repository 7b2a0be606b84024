import type { Context } from "../input/input.js"
import type { Operands, Options, ValuesOf } from "../input/options.js"
import { secretOptions } from "../input/secret-options.js"
import type { StreamedCommand } from "../stream/judge.js"
import type { StreamValues } from "../stream/options.js"

/** A command whose options have the values `V`. */
export interface Command<V = CommonValues> {
  readonly name: string
  /** Another name for it. */
  readonly alias?: string
  /** One line, without a full stop. */
  readonly summary: string
  /** The operands as the help shows them. */
  readonly operands: string
  /** The words that the first operand may be, if they are few, for completion. */
  readonly firstOperands?: readonly string[]
  /** In the order of the help. */
  readonly options: Options<V>
  /** Help beyond the summary, as lines, which the help fills anew. An empty line ends a paragraph. */
  readonly notes: readonly string[]
  readonly examples: readonly string[]
  /** Whether the output is all that the command is for. Such a command refuses to run while standard output is closed. */
  readonly isPrinter?: true
  /** Returns the file that --in-place replaces; absent if the command does not have that option. Throws a UsageError unless there is exactly one. */
  inPlaceFile?(args: Operands & V): string
  /** Runs instead of `run` with --stream; absent if the command does not have that option. */
  readonly stream?: StreamedCommand<V>
  /** Returns the exit status. */
  run(context: Context<Operands & V>): Promise<number>
}

/** The values of options that mean the same in all commands that have them. */
export interface CommonValues extends StreamValues, Partial<ValuesOf<typeof secretOptions>> {
  readonly [option: string]: unknown
  readonly out?: string | undefined
  readonly inPlace?: boolean
}

/** Returns the command, with the options of every command. The types of the values that `run` gets follow from `options`. */
export function command<V>(declared: Command<V>): Command<V> {
  return { ...declared, options: { ...declared.options, ...secretOptions } }
}
