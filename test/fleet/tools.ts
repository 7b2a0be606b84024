// Finds GNU parallel, Spark and DuckDB, or installs them if that is allowed. Packages from PyPI go into `.fleet` at the root, which Git
// ignores. requirements.txt has their versions and hashes.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { projectRoot } from "../support/entries.js"

/** The folder of Python's virtual environment. */
const environment = join(projectRoot, ".fleet", "venv")
const requirements = ["build-requirements.txt", "requirements.txt"].map(file => join(projectRoot, "test/fleet", file))

/** Returns the folder with `spark-submit` and a `python3` that has DuckDB, for PATH. Throws an Error that names a missing program. */
export function findTools(): string {
  requireProgram("java", ["-version"], "openjdk-17-jre-headless")
  requireProgram("parallel", ["--version"], "parallel")
  installPackages()
  return join(environment, "bin")
}

/** Installs a package of Debian if its program is missing. */
function requireProgram(program: string, args: readonly string[], debian: string): void {
  if (runs(program, args)) return
  const wanted = `${program} is needed; it is in Debian's package ${debian}`
  if (!isDebian() || process.getuid?.() !== 0) throw new Error(wanted)
  process.stderr.write(`Installing ${debian} ...\n`)
  const install = () => apt("install", "-y", "-qq", "--no-install-recommends", debian)
  const done = install() || (apt("update", "-qq") && install())
  if (!done || !runs(program, args)) throw new Error(`${wanted}, which apt-get could not install`)
}

function runs(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: "ignore" }).status === 0
}

function isDebian(): boolean {
  return existsSync("/etc/os-release") && /^ID=debian$/m.test(readFileSync("/etc/os-release", "utf8"))
}

function apt(...args: string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" }
  return spawnSync("apt-get", args, { env, stdio: ["ignore", "ignore", "inherit"] }).status === 0
}

/** Creates the virtual environment again, unless it was made from the same requirements. */
function installPackages(): void {
  const wanted = createHash("sha256")
  for (const file of requirements) wanted.update(readFileSync(file))
  const print = wanted.digest("hex")
  const stamp = join(environment, "requirements.sha256")
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === print) return
  process.stderr.write("Installing Apache Spark and DuckDB from PyPI, some 480 MB ...\n")
  rmSync(environment, { recursive: true, force: true })
  mkdirSync(environment, { recursive: true })
  python("python3", ["-m", "venv", environment])
  const pip = join(environment, "bin", "pip")
  for (const file of requirements) {
    python(pip, ["install", "-q", "--require-hashes", "--no-deps", "--no-build-isolation", "-r", file])
  }
  writeFileSync(stamp, print)
}

function python(program: string, args: readonly string[]): void {
  const { status } = spawnSync(program, args, { stdio: ["ignore", 2, 2], env: { ...process.env, VIRTUAL_ENV: "" } })
  if (status !== 0) throw new Error(`${[program, ...args].join(" ")} failed`)
}

/** Returns PATH with these folders in front. */
export function pathWith(...folders: readonly string[]): string {
  return [...folders, process.env.PATH ?? ""].join(delimiter)
}
