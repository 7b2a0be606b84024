#!/usr/bin/env node
// Starts the command line. No other folder of src, except entries for Node, uses files or the terminal.
//
// start.ts loads run.ts, which finds the command, and run-command.ts runs it and returns the exit status. `commands` has a file for each
// command, `input` reads options, documents and types, and `output` formats results. All input and output passes through
// terminal/terminal.ts. In the package, scripts/run-compiled.mjs takes the place of this file.
import { start } from "./start.js"

process.exitCode = await start()
