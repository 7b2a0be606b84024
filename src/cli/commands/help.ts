import { UsageError } from "../input/options.js"
import { commandHelp, overview, topicHelp } from "../output/help.js"
import { printable } from "../terminal/layout.js"
import type { Terminal } from "../terminal/terminal.js"
import { type Command, command } from "./command.js"
import { type CommandGroup, commandAt, type ListedCommand, unknownCommand, wordsOf } from "./find.js"
import { exitCodes, formatsTopic } from "./topics.js"

/** Returns the command that explains these commands. */
export function helpFor(groups: readonly CommandGroup[]): Command {
  const commands = groups.flatMap(({ commands }) => commands)
  const firstWords = new Set(commands.map(command => wordsOf(command)[0] as string))
  return command({
    name: "help",
    summary: "List the commands, or explain a command or a subject",
    operands: `[COMMAND|${topicNames.join("|")}]`,
    firstOperands: [...firstWords, ...topicNames],
    options: {},
    notes: [],
    examples: ["smd help plan", "smd help exit-codes", "smd help formats"],
    async run({ args: { operands }, terminal }) {
      const [word] = operands
      if (word === undefined) {
        terminal.write(await loadOverview(groups, terminal))
        return 0
      }
      const found = commandAt(operands, commands)
      const surplus = operands[found === undefined ? 1 : wordsOf(found).length]
      if (surplus !== undefined && (found !== undefined || isTopic(word))) throw new UsageError(`unexpected ${surplus}`)
      if (found !== undefined) {
        terminal.write(commandHelp(await found.load(), terminal.style, terminal.program))
        return 0
      }
      if (isTopic(word)) {
        terminal.write(topicHelp(word === "formats" ? formatsTopic(await loaded(commands)) : exitCodes))
        return 0
      }
      const problem = unknownCommand(operands, commands, { what: "command or subject", others: topicNames })
      terminal.report(`smd: ${printable(problem)}\n${terminal.program} --help lists the commands.\n`)
      return 2
    },
  })
}

const topicNames = ["exit-codes", "formats"] as const

function isTopic(word: string): boolean {
  return topicNames.some(name => name === word)
}

function loaded(commands: readonly ListedCommand[]): Promise<Command[]> {
  return Promise.all(commands.map(command => command.load()))
}

/** Formats all commands. Loads them for their summaries. */
export async function loadOverview(
  groups: readonly CommandGroup[],
  { style, program }: Pick<Terminal, "style" | "program">,
): Promise<string> {
  const described = groups.map(async ({ title, commands }) => ({ title, commands: await loaded(commands) }))
  return overview(await Promise.all(described), style, program)
}
