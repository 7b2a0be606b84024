#!/usr/bin/env node
// The command line: the only folder that touches files and the terminal.
//
// run.ts finds the command and turns errors into exit statuses. `commands` has a file for each command, `input` what they read
// (options, documents, types), `output` how they show it; everything that goes in or out passes terminal.ts.
import { run } from "./run.js"
import { processTerminal } from "./terminal/terminal.js"

process.exitCode = await run(process.argv.slice(2), processTerminal())
