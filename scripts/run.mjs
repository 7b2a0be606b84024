// Runs one of the project's programs, after installing and compiling what it needs:
//   node scripts/run.mjs dist/cli/main.js ARGUMENT ...
// Standard output belongs to the program alone.
import { existsSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "./build.mjs"
import { ensureInstalled, root } from "./install.mjs"

const [program, ...args] = process.argv.slice(2)
ensureInstalled()
build(program.split("/")[0])
const file = join(root, program)
if (!existsSync(file)) {
  process.stderr.write(`${program} does not exist\n`)
  process.exit(1)
}
process.argv = [process.argv[0], file, ...args]
await import(pathToFileURL(file).href)
