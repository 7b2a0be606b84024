// A copy of the project that holds the mutants. The sources themselves never change, so a run that is killed leaves no mutant behind.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { root } from "../../scripts/install.mjs"

/** Holds one folder for each process that tries mutants; git ignores it. */
const parent = join(root, ".mutants")
const leftOut = new Set([
  ".git",
  ".mutants",
  "node_modules",
  "dist",
  "dist-test",
  "coverage",
  "reference",
  "bin",
  "generated",
])

/** Copies the project without packages, compiled code and history. Returns the path of the copy. */
export function makeSandbox() {
  removeOldSandboxes()
  const sandbox = join(parent, String(process.pid))
  mkdirSync(sandbox, { recursive: true })
  const isCopied = path => !leftOut.has(path.split(/[\\/]/).at(-1))
  for (const name of readdirSync(root))
    if (!leftOut.has(name)) cpSync(join(root, name), join(sandbox, name), { recursive: true, filter: isCopied })
  symlinkSync(join(root, "node_modules"), join(sandbox, "node_modules"), "junction")
  return sandbox
}

/** The sources of one folder as the instrumenter takes them. */
export function sourcesOf(folder) {
  const names = readdirSync(join(root, "src", folder), { recursive: true }).sort()
  return names
    .filter(name => name.endsWith(".ts"))
    .map(name => join(root, "src", folder, name))
    .map(path => ({ name: path, content: readFileSync(path, "utf8") }))
}

/** Writes files with mutants into the sandbox, in place of those that have the same names there. */
export function writeInto(sandbox, files) {
  for (const { name, content } of files) writeFileSync(join(sandbox, relative(root, name)), `${noteHits}\n${content}`)
}

/** In a program that a test starts, this appends the number of each mutant that the program reaches to the file that setup.mjs names. */
const noteHits = `;(global => {
  const file = global.process?.env?.MUTANTS_HITS
  if (file === undefined || global.__stryker__ !== undefined) return
  const { appendFileSync } = global.process.getBuiltinModule("node:fs")
  const note = (hits, id, count) => {
    if (!(id in hits)) appendFileSync(file, id + "\\n")
    return Reflect.set(hits, id, count)
  }
  global.__stryker__ = { mutantCoverage: { static: new Proxy({}, { set: note }), perTest: {} } }
})(globalThis);`

export function removeSandbox(sandbox) {
  rmSync(sandbox, { recursive: true, force: true })
}

/** Removes copies whose processes are gone. */
function removeOldSandboxes() {
  if (!existsSync(parent)) return
  for (const pid of readdirSync(parent)) if (!isRunning(Number(pid))) removeSandbox(join(parent, pid))
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === "EPERM"
  }
}
