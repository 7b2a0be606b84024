import type { Input } from "../input/input.js"
import type { Arguments, Option } from "../input/options.js"
import type { StreamedCommand } from "../stream/judge.js"
import type { Terminal } from "../terminal.js"

/** What a command needs to run. */
export interface Context {
  readonly args: Arguments
  readonly input: Input
  readonly terminal: Terminal
}

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
  /** What it does with --stream, instead of `run`; absent if it has no such option. */
  readonly stream?: StreamedCommand
  /** Returns the exit status. */
  run(context: Context): Promise<number>
}
