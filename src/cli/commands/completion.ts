import { listOr } from "../../value/words.js"
import { requireOperands, UsageError } from "../input/options.js"
import { type Command, command } from "./command.js"
import type { ListedCommand } from "./find.js"

const shells = ["bash", "zsh", "fish"] as const

/** Returns the command that completes these commands. */
export function completionOf(commands: readonly ListedCommand[]): Command {
  return command({
    name: "completion",
    summary: "Print a script that completes commands and options in a shell",
    operands: shells.join("|"),
    firstOperands: shells,
    options: {},
    notes: [
      "The script completes commands, options, and values of options: the words that an option accepts, or files. Let your shell",
      "read it when it starts, and write it again after an update of smd.",
    ],
    examples: [
      'echo "source <(smd completion bash)" >> ~/.bashrc',
      "smd completion zsh > ~/.zsh/completions/_smd",
      "smd completion fish > ~/.config/fish/completions/smd.fish",
    ],
    async run({ args, terminal }) {
      const [shell] = requireOperands(args, "SHELL")
      const { completedCommands } = await import("../completion/completed.js")
      const completed = completedCommands(await Promise.all(commands.map(({ load }) => load())))
      terminal.write(await scriptFor(shell, completed))
      return 0
    },
  })
}

type Completed = ReturnType<typeof import("../completion/completed.js").completedCommands>

async function scriptFor(shell: string, completed: Completed): Promise<string> {
  if (shell === "bash") return (await import("../completion/bash.js")).bashCompletion(completed)
  if (shell === "zsh") return (await import("../completion/zsh.js")).zshCompletion(completed)
  if (shell === "fish") return (await import("../completion/fish.js")).fishCompletion(completed)
  throw new UsageError(`SHELL must be ${listOr(shells)}, not ${shell}`)
}
