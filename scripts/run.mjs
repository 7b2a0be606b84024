// Runs one of the project's programs, after installing and compiling what it needs:
//   node scripts/run.mjs dist/cli/main.cjs ARGUMENT ...
//   node scripts/run.mjs laws plan ARGUMENT ...     a program of programs.mjs, by its names
// Only the program writes to standard output.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "./build.mjs"
import { ensureInstalled, root } from "./install.mjs"
import { programs } from "./programs.mjs"

const { paths, args } = choose(process.argv.slice(2))
ensureInstalled()
for (const path of paths) if (path.startsWith("dist")) build(path.split("/")[0])
const program = paths.at(-1)
const file = join(root, program)
if (!existsSync(file)) fail(`${program} does not exist`)
process.argv = [process.argv[0], file, ...args]
await import(pathToFileURL(file).href)

/** The program and what it needs, and the arguments for it. */
function choose([group, ...args]) {
  const named = programs[group]
  if (named === undefined) return { paths: [group], args }
  const isNamed = args[0] !== undefined && args[0] !== "" && Object.hasOwn(named, args[0])
  const found = named[isNamed ? args[0] : ""]
  if (found === undefined) fail(`npm run ${group} -- NAME; NAME is one of ${Object.keys(named).join(", ")}`)
  return { paths: [found].flat(), args: isNamed ? args.slice(1) : args }
}

function fail(message) {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
