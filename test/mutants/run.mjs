// Mutation testing: changes the code in one small place at a time, and counts the changes that a test notices.
//
//   npm run mutants -- [--sample 600] [--seed 1] [--folder value --folder union ...] [--at src/value/object.ts:12] [--concurrency 2]
//
// The program tries a sample of all mutants, split evenly among the folders (by default all folders of src). The same seed gives the same
// sample of the same code. With --at it tries every mutant of one file or line instead.
//
// First each test file of a folder runs without a mutant, which shows the tests that reach each mutant. Then each mutant runs with the tests
// that reach it, quick files first, until one fails. equivalents.json lists mutants whose effect nobody could notice, each with its reason;
// they count as noticed. The program prints the mutants that no test noticed, then a line for each folder. `npm test` does not run it.
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { ensureInstalled, npm, root } from "../../scripts/install.mjs"
import { Pool } from "./pool.mjs"
import { makeSandbox, removeSandbox, sourcesOf, writeInto } from "./sandbox.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const foldersIn = path =>
  readdirSync(join(root, path), { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
/** Relative to src: each folder, and in place of `tools` those in it. */
const folders = foldersIn("src").flatMap(name =>
  name === "tools" ? foldersIn("src/tools").map(tool => `tools/${tool}`) : [name],
)
const { values: options } = parseArgs({
  options: {
    sample: { type: "string", default: "600" },
    seed: { type: "string", default: "1" },
    folder: { type: "string", multiple: true },
    at: { type: "string" },
    concurrency: { type: "string", default: "2" },
  },
})
const chosen =
  options.folder ??
  (options.at === undefined ? folders : [folders.find(name => options.at.startsWith(`src/${name}/`)) ?? options.at])

/** For a folder of src, the tests outside of its own that should notice its mutants: how their paths in test begin. */
const vectors = ["vectors", "property/set", "property/typed", "property/updater", "property/value"]
const alsoIn = {
  value: vectors,
  json: vectors,
  fieldpath: vectors,
  schema: vectors,
  typed: vectors,
  union: vectors,
  merge: [...vectors, "union"],
  managedfields: vectors,
  requests: ["apiserver", "tools/managers", "tools/simulator"],
  kinds: ["apiserver"],
  write: ["apiserver"],
}
/** Tests that no folder runs: they need Go or measure load, and take longer than all others together. */
const leftOut = ["apiserver/go-clients.slow.test.ts", "apiserver/kubectl.slow.test.ts", "apiserver/load.slow.test.ts"]

ensureInstalled()
installInstrumenter()
const { placeSample } = await import("./sample.mjs")
const equivalents = JSON.parse(readFileSync(join(here, "equivalents.json"), "utf8"))
for (const known of equivalents.filter(isOutdated))
  console.log(`not in ${known.file} any more: ${known.in ?? known.was}`)
const summary = []
for (const folder of chosen) summary.push(await tryFolder(folder))
console.log(["", ...summary.map(({ line }) => line)].join("\n"))
process.exitCode = summary.some(({ share }) => share < 0.92) ? 1 : 0

function installInstrumenter() {
  if (existsSync(join(here, "node_modules", "@stryker-mutator", "instrumenter"))) return
  process.stderr.write("Installing Stryker's instrumenter ...\n")
  const result = npm(["ci", "--prefix", here, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
  if (result.status !== 0) throw new Error(`npm ci failed in ${here}\n${result.stderr}`)
}

async function tryFolder(folder) {
  if (!folders.includes(folder)) throw new Error(`src/${folder} does not exist`)
  const start = Date.now()
  const size = options.at === undefined ? Math.ceil(Number(options.sample) / chosen.length) : Number.POSITIVE_INFINITY
  const { mutants, files } = await placeSample(sourcesOf(folder), size, options.seed, isAsked)
  const sandbox = makeSandbox()
  const pool = new Pool(sandbox, Number(options.concurrency))
  const clean = () => {
    pool.close()
    removeSandbox(sandbox)
  }
  const stop = signal => {
    clean()
    process.exit(signal === "SIGINT" ? 130 : 143)
  }
  process.once("SIGINT", stop).once("SIGTERM", stop)
  try {
    writeInto(sandbox, files)
    const baseline = await runUnchanged(pool, sandbox, testsOf(folder))
    await pool.each(mutants, async (mutant, run) => {
      mutant.verdict = await tryMutant(mutant, baseline, run)
      if (isMissed(mutant) && !isEquivalent(mutant)) console.log(describe(mutant))
    })
  } finally {
    clean()
    process.off("SIGINT", stop).off("SIGTERM", stop)
  }
  return report(folder, mutants, Math.round((Date.now() - start) / 1000))
}

function isAsked(mutant) {
  if (options.at === undefined) return true
  const { file, line } = placeOf(mutant)
  return options.at === file || options.at === `${file}:${line}`
}

/** The test files that are to notice mutants of `folder`, relative to the root. */
function testsOf(folder) {
  const wanted = [`${folder}/`, ...(alsoIn[folder] ?? [])]
  return readdirSync(join(root, "test"), { recursive: true })
    .map(name => name.replaceAll("\\", "/"))
    .filter(name => name.endsWith(".test.ts") && !name.includes("node_modules/"))
    .filter(name => wanted.some(start => name.startsWith(start)) && !leftOut.some(start => name.startsWith(start)))
    .map(name => join("test", name))
}

/** Runs all files without a mutant. Returns the cost of each file, its tests, and how often each test reaches each mutant. */
async function runUnchanged(pool, sandbox, names) {
  const found = []
  await pool.each(names, async (name, run) => {
    const file = join(sandbox, name)
    const outcome = await run({ file, testIds: null, mutant: { active: null, hitLimit: 0 } })
    if (outcome.crashed) throw new Error(`${name} ends the process without any mutant`)
    if (outcome.failures.length > 0) throw new Error(`${name} fails without any mutant: ${outcome.failures.join("; ")}`)
    found.push({ ...outcome, file })
  })
  return found
}

/** Returns how a test noticed the mutant, or the number of tests that reach it. */
async function tryMutant({ id }, baseline, run) {
  const files = baseline.map(file => testsThatReach(id, file)).filter(({ tests }) => tests.length > 0)
  files.sort((a, b) => a.milliseconds - b.milliseconds)
  for (const { file, testIds, hits, limits } of files) {
    // Most endless loops evaluate the mutant at each turn, so counting these steps ends them, on a slow machine too.
    const mutant = { active: id, hitLimit: 100 * hits + 10_000 }
    const { failures = [], timeout = false, crashed = false } = await run({ file, testIds, mutant, limits })
    if (timeout) return { noticed: "time" }
    if (crashed || failures.length > 0) return { noticed: "failure" }
  }
  return { reachedBy: files.reduce((sum, { tests }) => sum + tests.length, 0) }
}

/**
 * The tests of a file that reach a mutant. If the mutant is reached while the file is loaded or in its hooks, these are all tests of the
 * file, since any of them may use the result.
 */
function testsThatReach(id, { file, tests, hits, cpu, wall }) {
  const reaching = id in hits ? tests : tests.filter(test => id in test.hits)
  const sum = (list, amount) => list.reduce((total, item) => total + amount(item), 0)
  const inTests = sum(tests, ({ milliseconds }) => milliseconds)
  return {
    file,
    tests: reaching,
    // A mutant that runs while the file is loaded may change the list of tests, and with it their ids.
    testIds: id in hits ? null : reaching.map(test => test.id),
    hits: (hits[id] ?? 0) + sum(tests, test => test.hits[id] ?? 0),
    milliseconds: Math.max(wall - inTests, 0) + sum(reaching, ({ milliseconds }) => milliseconds),
    limits: { cpu: 5 * cpu + 5_000, wall: 10 * wall + 20_000 },
  }
}

function isMissed({ verdict }) {
  return verdict.noticed === undefined
}

function report(folder, mutants, seconds) {
  const missed = mutants.filter(isMissed)
  const known = missed.filter(isEquivalent)
  const share = mutants.length === 0 ? 1 : 1 - (missed.length - known.length) / mutants.length
  const percent = `${(100 * share).toFixed(1)} %`
  const late = mutants.filter(({ verdict }) => verdict.noticed === "time").length
  const counts = `${missed.length - known.length} missed, ${known.length} equivalent, ${late} hung`
  return { share, line: `${folder}: ${percent} of ${mutants.length} noticed, ${counts} (${seconds} s)` }
}

/**
 * An entry of equivalents.json names the file, the text that was replaced, and what it was replaced by. Where the same text
 * stands in several places, `in` is the line that is meant, or a part of it.
 */
function isEquivalent(mutant) {
  const { file, was, whole } = placeOf(mutant)
  return equivalents.some(
    known =>
      known.file === file &&
      known.was === was &&
      known.becomes === mutant.replacement &&
      whole.includes(known.in ?? ""),
  )
}

/** Whether the code has changed since the entry was made, so that the entry matches no mutant. */
function isOutdated(known) {
  const path = join(root, known.file)
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  return !text.includes(known.was) || !text.includes(known.in ?? "")
}

function describe(mutant) {
  const { file, was, line } = placeOf(mutant)
  const quote = text => JSON.stringify(text)
  const { reachedBy } = mutant.verdict
  const reached =
    reachedBy === 0 ? "no test reaches it" : `reached by ${reachedBy} ${reachedBy === 1 ? "test" : "tests"}`
  return `${file}:${line} ${mutant.mutatorName} (${reached})\n    ${quote(was)}\n    ${quote(mutant.replacement)}`
}

/** Where a mutant is: its file, its line from 1, the whole of that line, and the text that it replaces. */
function placeOf({ fileName, location: { start, end } }) {
  const file = relative(root, fileName).replaceAll("\\", "/")
  const lines = readFileSync(join(root, file), "utf8").split("\n")
  const text = lines.slice(start.line, end.line + 1)
  text[text.length - 1] = text[text.length - 1].slice(0, end.column)
  text[0] = text[0].slice(start.column)
  return { file, line: start.line + 1, whole: lines[start.line], was: text.join("\n") }
}
