import { existsSync, readFileSync } from "node:fs"
import { requireOperands } from "../input/options.js"
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

/** Returns the version of the package. A bundle of this module is less deep in the package than its source. */
function packageVersion(): string {
  const candidates = ["../../package.json", "../../../package.json"].map(path => new URL(path, import.meta.url))
  const manifest = candidates.find(candidate => existsSync(candidate)) as URL
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version
}
