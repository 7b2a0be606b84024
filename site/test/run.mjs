// Builds the site and tests it in a real Chromium:
//   node site/test/run.mjs [--built]      --built tests what is built already
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { findChromium } from "../../playground/chromium.mjs"
import { root } from "../../scripts/install.mjs"
import { buildSite } from "../build.mjs"

if (!process.argv.includes("--built")) await buildSite()
const { path, reason } = findChromium()
if (path === undefined) {
  console.log(`left out: the browser tests of the site, no Chromium: ${reason}`)
} else {
  const args = [join(root, "node_modules", "vitest", "vitest.mjs"), "run", "--root", join(root, "site")]
  const env = { ...process.env, CHROMIUM: path }
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env }).status ?? 1
}
