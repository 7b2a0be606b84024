#!/usr/bin/env node
// Starts the command line. No other folder of src, except entries for Node, uses files or the terminal.
//
// start.ts loads run.ts, which finds the command, and run-command.ts runs it and returns the exit status. `commands` has a file for each
// command, `input` reads options, documents and types, and `output` formats results. All input and output passes through
// terminal/terminal.ts.
import * as module from "node:module"

// Node 22.1 and later can cache compiled code between runs. The cache does not cover static imports of this file, which load first.
const { enableCompileCache } = module as { readonly enableCompileCache?: () => unknown }
enableCompileCache?.()
const { start } = await import("./start.js")

process.exitCode = await start()
