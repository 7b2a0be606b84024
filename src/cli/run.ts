// Finds the command of a command line. Starting takes as long as the code that is read, so each command is loaded when it is needed.
import { readFileSync } from "node:fs"
import { nearest } from "../value/nearest.js"
import type { Command } from "./commands/command.js"
import { printable } from "./terminal/layout.js"
import { guarded, type Style, type Terminal } from "./terminal/terminal.js"

/** A command before it is loaded. */
export interface ListedCommand extends Pick<Command, "name" | "alias"> {
  load(): Promise<Command>
}

/** All commands, in the order of the help. */
export const commands: readonly ListedCommand[] = [
  { name: "apply", load: async () => (await import("./commands/apply.js")).apply },
  { name: "update", load: async () => (await import("./commands/update.js")).update },
  { name: "extract", load: async () => (await import("./commands/extract.js")).extract },
  { name: "upgrade", load: async () => (await import("./commands/upgrade.js")).upgrade },
  { name: "explain", load: async () => (await import("./commands/explain.js")).explain },
  { name: "plan", load: async () => (await import("./commands/plan.js")).plan },
  { name: "blame", alias: "owners", load: async () => (await import("./commands/blame.js")).blame },
  { name: "ignore", load: async () => (await import("./commands/ignore.js")).ignore },
  { name: "managers", load: async () => (await import("./commands/managers.js")).managers },
  { name: "merge", load: async () => (await import("./commands/merge.js")).merge },
  { name: "compare", load: async () => (await import("./commands/compare.js")).compare },
  { name: "validate", load: async () => (await import("./commands/validate.js")).validate },
  { name: "lint", load: async () => (await import("./commands/lint.js")).lint },
  { name: "fieldset", load: async () => (await import("./commands/fieldset.js")).fieldset },
  { name: "list-types", load: async () => (await import("./commands/list-types.js")).listTypes },
  { name: "types", load: async () => (await import("./commands/types.js")).types },
  { name: "schema convert", load: async () => (await import("./commands/schema-convert.js")).schemaConvert },
  { name: "schema diff", load: async () => (await import("./commands/schema-diff.js")).schemaDiff },
  { name: "simulate", load: async () => (await import("./commands/simulate.js")).simulate },
  { name: "serve", load: async () => (await import("./commands/serve.js")).serve },
  { name: "story", load: async () => (await import("./commands/story.js")).story },
]

/** Runs the command line `argv` and returns the exit status. */
export async function run(argv: readonly string[], raw: Terminal): Promise<number> {
  const terminal = guarded(raw)
  const [name = ""] = argv
  if (name === "") {
    terminal.report(await overviewFor(terminal.reportStyle))
    return 2
  }
  const asked = name === "help" ? commandOf(argv.slice(1)) : undefined
  if (["--help", "-h", "help"].includes(name)) {
    const { help } = await import("./commands/help.js")
    terminal.write(asked === undefined ? await overviewFor(terminal.style) : help(await asked.load(), terminal.style))
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
  const { runCommand } = await import("./run-command.js")
  return await runCommand(await command.load(), argv.slice(wordsOf(command).length), terminal)
}

async function overviewFor(style: Style): Promise<string> {
  const { overview } = await import("./commands/help.js")
  return overview(await Promise.all(commands.map(command => command.load())), style)
}

/** The command whose name these words begin with. A name may have several words. */
function commandOf(words: readonly string[]): ListedCommand | undefined {
  const [first] = words
  return commands.find(command => command.alias === first || wordsOf(command).every((word, i) => words[i] === word))
}

function wordsOf({ name }: ListedCommand): string[] {
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
