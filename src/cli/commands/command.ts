import type { Context } from "../input/input.js"
import type { Option } from "../input/options.js"
import type { StreamedCommand } from "../stream/judge.js"

export interface Command {
  readonly name: string
  /** Another name for it. */
  readonly alias?: string
  /** One line, without a full stop. */
  readonly summary: string
  /** The operands as the help shows them. */
  readonly operands: string
  readonly options: readonly Option[]
  /** What the summary does not say, as lines that the help fills anew. An empty line ends a paragraph. */
  readonly notes: readonly string[]
  readonly examples: readonly string[]
  /** Whether it is run for what it prints, and not for its exit status too. It refuses to run with standard output closed. */
  readonly isPrinter?: true
  /** Runs in place of `run` with --stream; absent if the command has no such option. */
  readonly stream?: StreamedCommand
  /** Returns the exit status. */
  run(context: Context): Promise<number>
}
