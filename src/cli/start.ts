// Everything that each start needs, as one module: a dynamic import of each part would read one more file.
import { run } from "./run.js"
import { processTerminal } from "./terminal/process-terminal.js"

/** Runs the command line of this process, and returns the exit status. */
export async function start(): Promise<number> {
  return await run(process.argv.slice(2), processTerminal())
}
