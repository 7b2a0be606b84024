import { UsageError } from "../input/options.js"
import { commandHelp, overview } from "../output/help.js"
import { printable } from "../terminal/layout.js"
import type { Style } from "../terminal/terminal.js"
import { command } from "./command.js"
import { closestCommand, commandAt, commandGroups, commands, wordsOf } from "./list.js"
import { exitCodes, formatsTopic } from "./topics.js"

export const helpCommand = command({
  name: "help",
  summary: "List the commands, or explain a command or a subject",
  operands: "[COMMAND|exit-codes|formats]",
  firstOperands: [...new Set(commands.map(command => wordsOf(command)[0] as string)), "exit-codes", "formats"],
  options: {},
  notes: [],
  examples: ["smd help plan", "smd help exit-codes", "smd help formats"],
  async run({ args: { operands }, terminal }) {
    const { style } = terminal
    const [word, ...others] = operands
    if (word === undefined) {
      terminal.write(await loadOverview(style))
      return 0
    }
    const found = commandAt(operands)
    const surplus = operands[found === undefined ? 1 : wordsOf(found).length]
    if (surplus !== undefined && (found !== undefined || isTopic(word))) throw new UsageError(`unexpected ${surplus}`)
    if (found !== undefined) {
      terminal.write(commandHelp(await found.load(), style))
      return 0
    }
    const topic = await loadTopic(word)
    if (topic === undefined) {
      const close = closestCommand([word, ...others].join(" "), topicNames) ?? closestCommand(word, topicNames)
      const problem = `no command or subject ${word}${close === undefined ? "" : `; did you mean ${close}?`}`
      terminal.report(`smd: ${printable(problem)}\nsmd --help lists the commands.\n`)
      return 2
    }
    const { topicHelp } = await import("../output/help.js")
    terminal.write(topicHelp(topic))
    return 0
  },
})

const topicNames = ["exit-codes", "formats"] as const

function isTopic(word: string): boolean {
  return topicNames.some(name => name === word)
}

async function loadTopic(name: string) {
  if (name === exitCodes.name) return exitCodes
  return name === "formats" ? formatsTopic(await Promise.all(commands.map(command => command.load()))) : undefined
}

/** Formats all commands. Loads them for their summaries. */
export async function loadOverview(style: Style): Promise<string> {
  const loaded = commandGroups.map(async ({ title, commands }) => ({
    title,
    commands: await Promise.all(commands.map(command => command.load())),
  }))
  return overview(await Promise.all(loaded), style)
}
