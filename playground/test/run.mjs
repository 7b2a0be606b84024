// The tests of the playground: its parts in Node, then the page in a real Chromium, where there is one.
//   node playground/test/run.mjs
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { root } from "../../scripts/install.mjs"
import { buildPlayground } from "../build.mjs"
import { findChromium } from "../chromium.mjs"

await buildPlayground()
const { path, reason } = findChromium()
const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
const args = [
  vitest,
  "run",
  "--root",
  join(root, "playground"),
  ...(path === undefined ? ["--exclude", "test/browser/**"] : []),
]
const { status } = spawnSync(process.execPath, args, {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, ...(path !== undefined && { CHROMIUM: path }) },
})
if (path === undefined) console.log(`left out: the browser tests, no Chromium: ${reason}`)
process.exitCode = status ?? 1
