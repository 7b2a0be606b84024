// Writes all tables of a Kubernetes release again, from its Go modules, and reports the changes:
//
//   node scripts/kubernetes.mjs [VERSION] [--check]
//
// VERSION is a release such as 1.37.2, by default the one that oracle/go.mod requires. With --check it writes nothing, and the exit
// status is 1 if a table would change. oracle/README.md describes the tables and their programs.
//
// The programs run in a copy of the project, so that a failure leaves everything as it was.
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { findRelease, requireRelease } from "./go-release.mjs"
import { ensureInstalled, root } from "./install.mjs"
import { differences, steps, textOf } from "./kubernetes-tables.mjs"

const copy = join(root, "oracle/bin/kubernetes")
/** The modules whose programs write the tables. */
const modules = ["oracle", "oracle/reset-fields", "oracle/shadow"]
/** The number of names that are printed for each kind of difference. */
const shown = 8

try {
  main()
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
} finally {
  rmSync(copy, { recursive: true, force: true })
}

function main() {
  const { values, positionals } = parseArgs({ options: { check: { type: "boolean" } }, allowPositionals: true })
  if (positionals.length > 1) throw new Error(`one version at a time, not ${positionals.join(" ")}`)
  const pinned = /k8s\.io\/api v0\.(\S+)/.exec(readFileSync(join(root, "oracle/go.mod"), "utf8"))[1]
  const [given = `1.${pinned}`] = positionals
  const version = /^v?1\.(\d+\.\d+(?:-[a-z]+\.\d+)?)$/.exec(given)?.[1]
  if (version === undefined) throw new Error(`${given} is not a version of Kubernetes: it should look like 1.${pinned}`)
  ensureInstalled()
  const release = findRelease(version)
  makeCopy()
  if (version !== pinned) for (const module of modules) requireRelease(join(copy, module), release)
  const notes = steps.flatMap(step => run(step, `1.${version}`))
  const changed = steps.flatMap(({ tables }) => Object.entries(tables)).filter(report)
  for (const note of notes) console.log(note)
  const files = changed.map(([file]) => file)
  if (version !== pinned) files.push(...modules.flatMap(module => [`${module}/go.mod`, `${module}/go.sum`]))
  if (!values.check) for (const file of files) cpSync(join(copy, file), join(root, file))
  else if (files.length > 0) process.exitCode = 1
  const outcome = values.check ? "would change" : "written"
  console.log(
    `Kubernetes 1.${version}: ${changed.length === 0 ? "all tables unchanged" : `${changed.length} tables ${outcome}`}`,
  )
}

/** Copies the files that git would add. */
function makeCopy() {
  rmSync(copy, { recursive: true, force: true })
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const files = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 }).stdout.split("\0")
  for (const file of files.filter(name => name !== "" && existsSync(join(root, name)))) {
    cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
}

/** Runs a program in the copy. Returns the message for the end of the run. */
function run({ cwd = ".", run: [command, ...args], input, prints = false, compares = false, tables }, version) {
  const name = [command, ...args].join(" ")
  const start = Date.now()
  for (const file of Object.keys(tables)) rmSync(join(copy, file))
  const result = spawnSync(command, args, {
    cwd: join(copy, cwd),
    encoding: "utf8",
    maxBuffer: 1 << 28,
    ...(input !== undefined && { input: readFileSync(join(copy, input)) }),
  })
  if (prints && result.status === 0) writeFileSync(join(copy, Object.keys(tables)[0]), result.stdout)
  const isWritten = Object.keys(tables).every(file => existsSync(join(copy, file)))
  if (!isWritten || (result.status !== 0 && !compares)) {
    const said = `${prints ? "" : result.stdout}${result.stderr}`.trim()
    throw new Error(`Kubernetes ${version}: ${name} failed in ${cwd}, and nothing was written:\n${said}`)
  }
  process.stderr.write(`${cwd}: ${name} (${Math.round((Date.now() - start) / 1000)} s)\n`)
  return result.status === 0 ? [] : [`${name} ended with ${result.status}: ${result.stdout.trim().split("\n").at(-1)}`]
}

/** Prints the differences between a table of the copy and the project's table, and returns whether there are any. */
function report([file, entriesOf]) {
  const [before, after] = [root, copy].map(folder => textOf(file, readFileSync(join(folder, file))))
  if (before === after) {
    console.log(`${file}: unchanged`)
    return false
  }
  const found = Object.entries(differences(entriesOf, before, after))
  const counts = found.map(
    ([noun, { added, removed, changed }]) =>
      `${noun}: ${added.length} added, ${removed.length} removed, ${changed.length} changed`,
  )
  console.log(`${file}: ${counts.join("; ") || "the same entries, in another order or with other text around them"}`)
  for (const [, lists] of found) {
    for (const [what, names] of Object.entries(lists)) {
      for (const name of names.slice(0, shown)) console.log(`  ${what} ${name}`)
      if (names.length > shown) console.log(`  and ${names.length - shown} more`)
    }
  }
  return true
}
