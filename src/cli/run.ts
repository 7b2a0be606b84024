// Runs a command, and turns its outcome into an exit status: 0 done, 1 conflicts, 2 bad input, 3 what the command says, 4 a bug of the
// program, after which its output is not whole.

import { readFileSync } from "node:fs"
import { StructuredMergeError } from "../errors.js"
import { nearest } from "../value/nearest.js"
import { apply } from "./commands/apply.js"
import { blame } from "./commands/blame.js"
import type { Command } from "./commands/command.js"
import { compare } from "./commands/compare.js"
import { explain } from "./commands/explain.js"
import { extract } from "./commands/extract.js"
import { fieldset } from "./commands/fieldset.js"
import { help, overview } from "./commands/help.js"
import { ignore } from "./commands/ignore.js"
import { lint } from "./commands/lint.js"
import { listTypes } from "./commands/list-types.js"
import { managers } from "./commands/managers.js"
import { merge } from "./commands/merge.js"
import { plan } from "./commands/plan.js"
import { schemaConvert } from "./commands/schema-convert.js"
import { schemaDiff } from "./commands/schema-diff.js"
import { serve } from "./commands/serve.js"
import { simulate } from "./commands/simulate.js"
import { story } from "./commands/story.js"
import { types } from "./commands/types.js"
import { update } from "./commands/update.js"
import { upgrade } from "./commands/upgrade.js"
import { validate } from "./commands/validate.js"
import { InputError } from "./input/document.js"
import { Input } from "./input/input.js"
import { parseArguments, UsageError } from "./input/options.js"
import { withOut } from "./output/out.js"
import { requireNoStreamOptions } from "./stream/options.js"
import { runStream } from "./stream/run.js"
import { printable } from "./terminal/layout.js"
import { guarded, type Terminal } from "./terminal/terminal.js"

export const commands: readonly Command[] = [
  apply,
  update,
  extract,
  upgrade,
  explain,
  plan,
  blame,
  ignore,
  managers,
  merge,
  compare,
  validate,
  lint,
  fieldset,
  listTypes,
  types,
  schemaConvert,
  schemaDiff,
  simulate,
  serve,
  story,
]

/** Runs the command line `argv` and returns the exit status. */
export async function run(argv: readonly string[], raw: Terminal): Promise<number> {
  const terminal = guarded(raw)
  const [name = ""] = argv
  if (name === "") {
    terminal.report(overview(commands, terminal.reportStyle))
    return 2
  }
  const asked = name === "help" ? commandOf(argv.slice(1)) : undefined
  if (["--help", "-h", "help"].includes(name)) {
    terminal.write(asked === undefined ? overview(commands, terminal.style) : help(asked, terminal.style))
    return 0
  }
  if (name === "--version") {
    terminal.write(`${version()}\n`)
    return 0
  }
  const command = commandOf(argv)
  if (command === undefined) {
    const close = closest(name)
    const hint = close === undefined ? "" : `; did you mean ${close}?`
    terminal.report(`smd: no command ${printable(name)}${hint}\nsmd --help lists the commands.\n`)
    return 2
  }
  return await runCommand(command, argv.slice(wordsOf(command).length), terminal)
}

async function runCommand(command: Command, argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const args = parseArguments(argv, command.options)
    if (args.has("help")) {
      terminal.write(help(command, terminal.style))
      return 0
    }
    const print = (text: string) => terminal.write(text)
    const context = { args, input: new Input(terminal), terminal, print }
    if (command.isPrinter && (args.get("out") ?? "-") === "-" && terminal.isOutputClosed) {
      throw new InputError("standard output is closed, so the result would be lost; redirect it, or use --out FILE")
    }
    return await withOut(context, async context => {
      if (command.stream !== undefined) {
        if (args.has("stream")) {
          const task = { command: command.name, argv, now: terminal.now() }
          return await runStream(task, command.stream, context, new URL("./worker.js", import.meta.url))
        }
        requireNoStreamOptions(args, command.stream)
      }
      return await command.run(context)
    })
  } catch (error) {
    if (error instanceof InputError) {
      terminal.report(`${error.message}\n`)
      return 2
    }
    if (error instanceof UsageError) {
      terminal.report(
        `smd ${command.name}: ${printable(error.message)}\nsmd ${command.name} --help shows how to use it.\n`,
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
}

/** The command whose name these words begin with. A name may have several words. */
function commandOf(words: readonly string[]): Command | undefined {
  const [first] = words
  return commands.find(command => command.alias === first || wordsOf(command).every((word, i) => words[i] === word))
}

function wordsOf({ name }: Command): string[] {
  return name.split(" ")
}

/** The name of the command that was probably meant by the first word. */
function closest(word: string): string | undefined {
  const begun = commands.find(command => wordsOf(command)[0] === word)
  const names = commands.map(({ name }) => name)
  return begun === undefined ? nearest(word, names) : begun.name
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string
  }
  return manifest.version
}
