// Installs the packages of the lock file if they are missing, so that any script of package.json can be the first
// command after a clone. It needs only Node, and prints nothing to standard output.
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder that holds package.json. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..")

/** Runs `npm ci` unless node_modules already matches the lock file. */
export function ensureInstalled() {
  if (isInstalled()) return
  process.stderr.write("Installing packages ...\n")
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"]
  const result = npm(args)
  if (result.status === 0 && isInstalled()) return
  // npm adds its complete usage text to some errors.
  const said = `${result.stdout ?? ""}${result.stderr ?? ""}${result.error?.message ?? ""}`
  process.stderr.write(`${said.split(/^npm error Usage:/m)[0]}\nnpm ci failed\n`)
  process.exit(1)
}

/** Runs npm with `args` at the root, without input, and returns the ended process with its output as text. */
export function npm(args) {
  const cli = process.env.npm_execpath
  const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }
  if (cli?.endsWith("npm-cli.js")) return spawnSync(process.execPath, [cli, ...args], options)
  return spawnSync("npm", args, { ...options, shell: process.platform === "win32" })
}

/** Compares versions, not times: npm lists the installed packages in node_modules/.package-lock.json. */
function isInstalled() {
  const wanted = packagesOf("package-lock.json")
  const present = packagesOf("node_modules/.package-lock.json")
  return Object.keys(wanted).every(path => {
    if (path === "") return true
    return present[path] === undefined ? wanted[path].optional === true : present[path].version === wanted[path].version
  })
}

function packagesOf(lockFile) {
  try {
    return JSON.parse(readFileSync(join(root, lockFile), "utf8")).packages
  } catch {
    return {}
  }
}
