// Compiles the package (dist) or the package with its tests and benchmarks (dist-test):
//   node test/tools/build.mjs [dist | dist-test]
// The output is written beside the old one and swapped in whole, so a program that runs meanwhile never sees half of it.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { chmodSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { ensureInstalled, root } from "./install.mjs"

const targets = {
  dist: { config: "tsconfig.json", sources: ["src"] },
  "dist-test": { config: "test/tsconfig.json", sources: ["src", "test", "bench"] },
}

/**
 * Compiles `target` where it is older than its sources. Types are left to `npm run types`, so that starting is quick;
 * `checked` reports type errors too and compiles in any case. Prints nothing where all is well.
 */
export function build(target, { checked = false } = {}) {
  const { config, sources } = targets[target]
  const print = fingerprint(config, sources)
  const stamp = join(root, target, ".fingerprint")
  if (!checked && existsSync(stamp) && readFileSync(stamp, "utf8") === print) return
  const fresh = join(root, "node_modules", ".cache", `${target}.${process.pid}`)
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
  const args = [tsc, "-p", config, "--outDir", fresh, "--incremental", "false", ...(checked ? [] : ["--noCheck"])]
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" })
  if (result.status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    process.stderr.write(`${result.stdout}${result.stderr}\nBuilding ${target} failed\n`)
    process.exit(1)
  }
  if (target === "dist") makeExecutable(fresh)
  writeFileSync(join(fresh, ".fingerprint"), print)
  swapIn(fresh, join(root, target))
}

/** Names, sizes and times of the sources: a file that went away makes the output stale as well. */
function fingerprint(config, sources) {
  const hash = createHash("sha1")
  const add = path => {
    const { size, mtimeMs } = statSync(join(root, path))
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  const walk = folder => {
    if (!existsSync(join(root, folder))) return
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else if (/\.[cm]?[jt]s$/.test(entry.name)) add(path)
    }
  }
  add(config)
  add("tsconfig.json")
  add("package-lock.json")
  for (const folder of sources) walk(folder)
  return hash.digest("hex")
}

function makeExecutable(folder) {
  const { bin } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
  for (const path of Object.values(bin)) {
    const file = join(folder, path.replace("./dist/", ""))
    if (existsSync(file)) chmodSync(file, 0o755)
  }
}

/** Puts `fresh` at `place`; where another process does the same at the same moment, either build may stay. */
function swapIn(fresh, place) {
  const old = `${fresh}.old`
  try {
    renameSync(place, old)
  } catch (error) {
    if (error.code !== "ENOENT") throw error
  }
  try {
    renameSync(fresh, place)
  } catch (error) {
    if (!existsSync(place)) throw error
    rmSync(fresh, { recursive: true, force: true })
  }
  rmSync(old, { recursive: true, force: true })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled()
  build(process.argv[2] ?? "dist", { checked: true })
}
