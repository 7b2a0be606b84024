// Runs a command and returns its exit status: 0 success, 1 conflicts or problems, 2 bad input, 3 defined by the command, 4 a bug in smd,
// after which the output is incomplete.

import { StructuredMergeError } from "../errors.js"
import type { Command, CommonValues } from "./commands/command.js"
import { InputError } from "./input/document.js"
import { Input } from "./input/input.js"
import { type Operands, parseArguments, UsageError } from "./input/options.js"
import { secretsOf } from "./input/secret-options.js"
import { namingOut, withOut } from "./output/out.js"
import { requireNoStreamOptions } from "./stream/options.js"
import { printable } from "./terminal/layout.js"
import { guarded, type Terminal, withColor } from "./terminal/terminal.js"

/** Runs the command with the arguments that follow its name, and returns the exit status. */
export async function runCommand(command: Command, argv: readonly string[], raw: Terminal): Promise<number> {
  let terminal = guarded(raw)
  try {
    const { args: given, color } = parseArguments(argv, command.options)
    const coloured = withColor(raw, color)
    terminal = guarded(coloured)
    if (given === undefined) {
      const { commandHelp } = await import("./output/help.js")
      terminal.write(commandHelp(command, terminal.style, terminal.program))
      return 0
    }
    const args = await namingOut(given, args => command.inPlaceFile?.(args) ?? "-", terminal)
    const secrets = secretsOf(args)
    terminal = guarded(coloured, text => secrets.guard(text))
    return await execute(command, argv, args, new Input(terminal, secrets), terminal)
  } catch (error) {
    return reportFailure(command, error, terminal)
  }
}

/** Runs the command with these arguments, which `argv` spells, and returns the exit status. */
async function execute(
  command: Command,
  argv: readonly string[],
  args: Operands & CommonValues,
  input: Input,
  terminal: Terminal,
): Promise<number> {
  try {
    const print = (text: string) => terminal.write(text)
    const context = { args, input, terminal, print }
    if (command.isPrinter && (args.out ?? "-") === "-" && terminal.isOutputClosed) {
      throw new InputError("standard output is closed, so the result would be lost; redirect it, or use --out FILE")
    }
    const status = await withOut(context, async context => {
      if (command.stream !== undefined) {
        if (args.stream) {
          const { runStream } = await import("./stream/run.js")
          const task = { command: command.name, argv, now: terminal.now() }
          return await runStream(task, command.stream, context, new URL("./worker.js", import.meta.url))
        }
        requireNoStreamOptions(args, command.stream)
      }
      return await command.run(context)
    })
    return input.cluster?.isIncomplete ? 2 : status
  } catch (error) {
    return reportFailure(command, error, terminal)
  } finally {
    await input.close()
    if (input.secrets.hasHidden)
      terminal.report("values are hidden, such as those of Secrets; --show-secrets shows them\n")
  }
}

/** Reports the error, and returns the exit status. */
function reportFailure(command: Command, error: unknown, terminal: Terminal): number {
  if (error instanceof InputError) {
    terminal.report(`${error.message}\n`)
    return 2
  }
  if (error instanceof UsageError) {
    terminal.report(
      `smd ${command.name}: ${printable(error.message)}\n${terminal.program} ${command.name} --help shows how to use it.\n`,
    )
    return 2
  }
  if (error instanceof StructuredMergeError) {
    terminal.report(`smd ${command.name}: ${error.message.split("\n").map(printable).join("\n  ")}\n`)
    return 2
  }
  terminal.report(`smd ${command.name}: internal error: ${error instanceof Error ? error.stack : String(error)}\n`)
  return 4
}
