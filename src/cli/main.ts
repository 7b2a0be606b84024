#!/usr/bin/env node
// The command line: the only folder that touches files and the terminal.
//
// commands.ts finds the command and turns errors into exit statuses; each command has a file of its own. They read their
// input through input.ts, types.ts finds the types, and everything that goes in or out passes terminal.ts.
import { run } from "./commands.js"
import { processTerminal } from "./terminal.js"

process.exitCode = await run(process.argv.slice(2), processTerminal())
