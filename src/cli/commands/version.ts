import { requireOperands } from "../input/options.js"
import { packageVersion } from "../input/package-version.js"
import { command } from "./command.js"

export const version = command({
  name: "version",
  summary: "Print the version of smd",
  operands: "",
  options: {},
  notes: [],
  examples: ["smd version"],
  async run({ args, terminal }) {
    requireOperands(args)
    terminal.write(`${packageVersion()}\n`)
    return 0
  },
})
