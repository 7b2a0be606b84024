#!/usr/bin/env node
// The command line: the only folder that touches files and the terminal.
//
// run.ts finds the command, and run-command.ts turns its outcome into an exit status. `commands` has a file for each command, `input`
// what they read (options, documents, types), `output` how they show it; everything that goes in or out passes terminal.ts.
import * as module from "node:module"

// From Node 22.1 on, compiled code is kept between runs; but not that of static imports of this file, which come before.
const { enableCompileCache } = module as { readonly enableCompileCache?: () => unknown }
enableCompileCache?.()
const { run } = await import("./run.js")
const { processTerminal } = await import("./terminal/terminal.js")

process.exitCode = await run(process.argv.slice(2), processTerminal())
