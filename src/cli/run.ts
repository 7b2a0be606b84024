// Finds the command of a command line. Loading code takes most of the time of a start, so each command is loaded only when it runs.
import { readFileSync } from "node:fs"
import { nearest } from "../value/nearest.js"
import type { Command } from "./commands/command.js"
import { printable } from "./terminal/layout.js"
import { guarded, type Style, type Terminal } from "./terminal/terminal.js"

/** A command before it is loaded. */
export interface ListedCommand extends Pick<Command, "name" | "alias"> {
  load(): Promise<Command>
}

interface CommandGroup {
  readonly title: string
  readonly commands: readonly ListedCommand[]
}

/** All commands, in the order of the help. */
const groups: readonly CommandGroup[] = [
  {
    title: "Requests",
    commands: [
      { name: "apply", load: async () => (await import("./commands/apply.js")).apply },
      { name: "update", load: async () => (await import("./commands/update.js")).update },
      { name: "plan", load: async () => (await import("./commands/plan.js")).plan },
      { name: "explain", load: async () => (await import("./commands/explain.js")).explain },
      { name: "ignore", load: async () => (await import("./commands/ignore.js")).ignore },
    ],
  },
  {
    title: "Owners",
    commands: [
      { name: "blame", alias: "owners", load: async () => (await import("./commands/blame.js")).blame },
      { name: "managers", load: async () => (await import("./commands/managers.js")).managers },
      { name: "extract", load: async () => (await import("./commands/extract.js")).extract },
    ],
  },
  {
    title: "Checks and schemas",
    commands: [
      { name: "validate", load: async () => (await import("./commands/validate.js")).validate },
      { name: "lint", load: async () => (await import("./commands/lint.js")).lint },
      { name: "schema diff", load: async () => (await import("./commands/schema-diff.js")).schemaDiff },
      { name: "schema convert", load: async () => (await import("./commands/schema-convert.js")).schemaConvert },
    ],
  },
  {
    title: "Simulations",
    commands: [
      { name: "simulate", load: async () => (await import("./commands/simulate.js")).simulate },
      { name: "serve", load: async () => (await import("./commands/serve.js")).serve },
      { name: "story", load: async () => (await import("./commands/story.js")).story },
    ],
  },
  {
    title: "Tools of the engine",
    commands: [
      { name: "merge", load: async () => (await import("./commands/merge.js")).merge },
      { name: "compare", load: async () => (await import("./commands/compare.js")).compare },
      { name: "fieldset", load: async () => (await import("./commands/fieldset.js")).fieldset },
      { name: "list-types", load: async () => (await import("./commands/list-types.js")).listTypes },
      { name: "types", load: async () => (await import("./commands/types.js")).types },
    ],
  },
]
export const commands: readonly ListedCommand[] = groups.flatMap(group => group.commands)

/** Commands of earlier releases, with the commands that replace them. */
const replaced: Readonly<Record<string, string>> = { upgrade: "managers upgrade" }

/** Runs the command line `argv` and returns the exit status. */
export async function run(argv: readonly string[], raw: Terminal): Promise<number> {
  const terminal = guarded(raw)
  const [name, ...others] = argv
  if (name === undefined || name === "") {
    terminal.report(await overviewFor(terminal.reportStyle))
    return 2
  }
  if (name === "--help" || name === "-h" || (name === "help" && others.length === 0)) {
    terminal.write(await overviewFor(terminal.style))
    return 0
  }
  if (name === "--version") {
    terminal.write(`${version()}\n`)
    return 0
  }
  const words = name === "help" ? others : argv
  const command = commandOf(words)
  if (command === undefined) {
    const [word = ""] = words
    const close = closest(word)
    const hint = close === undefined ? "" : `; did you mean ${close}?`
    terminal.report(`smd: no command ${printable(word)}${hint}\nsmd --help lists the commands.\n`)
    return 2
  }
  if (name === "help") {
    const { help } = await import("./commands/help.js")
    terminal.write(help(await command.load(), terminal.style))
    return 0
  }
  const { runCommand } = await import("./run-command.js")
  return await runCommand(await command.load(), argv.slice(wordsOf(command).length), terminal)
}

async function overviewFor(style: Style): Promise<string> {
  const { overview } = await import("./commands/help.js")
  const loaded = groups.map(async ({ title, commands }) => ({
    title,
    commands: await Promise.all(commands.map(command => command.load())),
  }))
  return overview(await Promise.all(loaded), style)
}

/** Returns the command whose name is at the start of these words. A name may have several words. */
function commandOf(words: readonly string[]): ListedCommand | undefined {
  const [first] = words
  return commands.find(
    command =>
      (first !== undefined && command.alias === first) || wordsOf(command).every((word, i) => words[i] === word),
  )
}

function wordsOf({ name }: ListedCommand): string[] {
  return name.split(" ")
}

/** Returns the name of the command that the user probably meant by this word. */
function closest(word: string): string | undefined {
  if (Object.hasOwn(replaced, word)) return replaced[word]
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
