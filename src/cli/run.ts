// Finds the command of a command line.
import { didYouMean } from "../value/nearest.js"
import { commandAt, unknownCommand, wordsOf } from "./commands/find.js"
import { commandGroups, commands } from "./commands/list.js"
import { packageVersion } from "./input/package-version.js"
import { pluginArguments } from "./plugin.js"
import { printable } from "./terminal/layout.js"
import { guarded, type Terminal } from "./terminal/terminal.js"

/** Runs the command line `argv` and returns the exit status. */
export async function run(argv: readonly string[], raw: Terminal): Promise<number> {
  const terminal = guarded(raw)
  const [name, ...others] = argv
  if (name === undefined || name === "") {
    const { loadOverview } = await import("./commands/help.js")
    terminal.report(await loadOverview(commandGroups, { style: terminal.reportStyle, program: terminal.program }))
    return 2
  }
  if (argv.length === 1 && (name === "--version" || name === "version")) {
    terminal.write(`${packageVersion()}\n`)
    return 0
  }
  if (name === "--help" || name === "-h") return await run(["help", ...others], raw)
  if (name === "--version") return await run(["version", ...others], raw)
  const command = commandAt(argv, commands)
  if (command === undefined) {
    const problem = name.startsWith("-") ? misplacedOption(argv) : unknownCommand(argv, commands)
    terminal.report(`smd: ${printable(problem)}\n${terminal.program} --help lists the commands.\n`)
    return 2
  }
  const { runCommand } = await import("./run-command.js")
  const given = argv.slice(wordsOf(command).length)
  const args = terminal.program === "smd" ? given : pluginArguments(command.name, given)
  return await runCommand(await command.load(), args, raw)
}

/** Returns a message about a command line that begins with an option. */
function misplacedOption(argv: readonly string[]): string {
  const option = (argv[0] ?? "").split("=")[0] as string
  const command = argv.map((_, i) => commandAt(argv.slice(i), commands)).find(found => found !== undefined)
  if (command !== undefined) return `options come after the command: smd ${command.name} ${option} ...`
  const hint = option.startsWith("--") ? didYouMean(option, ["--help", "--version"]) : ""
  return hint === "" ? `no command before ${option}` : `unknown option ${option}${hint}`
}
