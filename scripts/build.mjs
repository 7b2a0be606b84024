// Compiles the package (dist) or the package with its tests and benchmarks (dist-test):
//   node scripts/build.mjs [dist | dist-test]
// The new output replaces the old one in one step, so a running program never sees half of it.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { bundle } from "./bundle.mjs"
import { ensureInstalled, root } from "./install.mjs"
import { removeUnused } from "./used-files.mjs"

const targets = {
  dist: { config: "tsconfig.json", sources: ["src"] },
  "dist-test": { config: "test/tsconfig.json", sources: ["src", "test", "bench"] },
}

const cache = join(root, "node_modules", ".cache")

/**
 * Compiles `target` if it is older than its sources. It does not check types, which `npm run types` does, so that starting is quick;
 * with `checked`, it reports type errors too, and always compiles. Prints nothing on success.
 */
export function build(target, { checked = false } = {}) {
  if (!checked && isFresh(target)) return
  const unlock = lock(join(cache, `${target}.lock`))
  let complaint = null
  try {
    // Another process may have built it while this one waited.
    if (checked || !isFresh(target)) complaint = compile(target, checked)
  } finally {
    unlock()
  }
  if (complaint === null) return
  process.stderr.write(`${complaint}\nBuilding ${target} failed\n`)
  process.exit(1)
}

function isFresh(target) {
  const stamp = join(root, target, ".fingerprint")
  return existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint(target)
}

/** Returns the errors of the compiler, or null. */
function compile(target, checked) {
  const print = fingerprint(target)
  const fresh = join(cache, `${target}.${process.pid}`)
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc")
  const args = [tsc, "-p", targets[target].config, "--outDir", fresh, ...(checked ? [] : ["--noCheck"])]
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" })
  if (result.status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    return `${result.stdout}${result.stderr}`
  }
  if (target === "dist") {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    bundle(fresh)
    removeUnused(manifest, fresh)
    makeExecutable(manifest, fresh)
  }
  writeFileSync(join(fresh, ".fingerprint"), print)
  const old = `${fresh}.old`
  if (existsSync(join(root, target))) renameSync(join(root, target), old)
  renameSync(fresh, join(root, target))
  rmSync(old, { recursive: true, force: true })
  return null
}

/** Waits until no other process holds the lock, takes it, and returns a function that releases it. A lock expires after a minute. */
function lock(path) {
  mkdirSync(dirname(path), { recursive: true })
  for (;;) {
    try {
      mkdirSync(path)
      return () => rmSync(path, { recursive: true, force: true })
    } catch (error) {
      if (error.code !== "EEXIST") throw error
    }
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > 60_000) rmSync(path, { recursive: true, force: true })
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
  }
}

/** Hashes names, sizes and times of the sources and of the scripts, so that a deleted file makes the output stale too. */
function fingerprint(target) {
  const { config, sources } = targets[target]
  const hash = createHash("sha1")
  const add = path => {
    const { size, mtimeMs } = statSync(join(root, path))
    hash.update(`${path} ${size} ${mtimeMs}\n`)
  }
  const walk = folder => {
    if (!existsSync(join(root, folder))) return
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      if (entry.name === "node_modules") continue
      const path = `${folder}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else if (/\.[cm]?[jt]s$/.test(entry.name)) add(path)
    }
  }
  for (const file of [config, "tsconfig.json", "package.json", "package-lock.json"]) add(file)
  for (const folder of ["scripts", ...sources]) walk(folder)
  return hash.digest("hex")
}

function makeExecutable({ bin }, folder) {
  for (const path of Object.values(bin)) {
    const file = join(folder, path.replace("./dist/", ""))
    if (existsSync(file)) chmodSync(file, 0o755)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled()
  build(process.argv[2] ?? "dist", { checked: true })
}
