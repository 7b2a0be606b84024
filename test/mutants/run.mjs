// Mutation testing: changes the code in one small place at a time, and counts the changes that a test notices.
//
//   npm run mutants -- [--sample 600] [--seed 1] [--folder value --folder union ...]
//
// A sample of all mutants is tried, split evenly among the folders; the same seed gives the same sample of the same code. Each
// folder is tried with its own tests, the vectors and the laws. equivalents.json lists mutants that change nothing that could be
// noticed, each with its reason; they count as noticed. Prints the mutants that nothing noticed, then a line for each folder.
// It takes a quarter of an hour for 600 mutants on two idle cores, and is no part of `npm test`.
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { ensureInstalled, npm, root } from "../tools/install.mjs"

const here = dirname(fileURLToPath(import.meta.url))
const engine = ["value", "json", "fieldpath", "typed", "merge", "union", "managedfields"]
const { values: options } = parseArgs({
  options: {
    sample: { type: "string", default: "600" },
    seed: { type: "string", default: "1" },
    folder: { type: "string", multiple: true, default: engine },
    concurrency: { type: "string", default: "2" },
  },
})

ensureInstalled()
installStryker()
const { Stryker } = await import("@stryker-mutator/core")
const equivalents = JSON.parse(readFileSync(join(here, "equivalents.json"), "utf8"))
for (const known of equivalents.filter(isOutdated))
  console.log(`not in ${known.file} any more: ${known.in ?? known.was}`)
const summary = []
for (const folder of options.folder) summary.push(await tryFolder(folder))
console.log(["", ...summary.map(({ line }) => line)].join("\n"))
process.exitCode = summary.some(({ share }) => share < 0.92) ? 1 : 0

function installStryker() {
  if (existsSync(join(here, "node_modules", "@stryker-mutator", "core"))) return
  process.stderr.write("Installing Stryker ...\n")
  const result = npm(["ci", "--prefix", here, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
  if (result.status !== 0) throw new Error(`npm ci failed in ${here}\n${result.stderr}`)
}

async function tryFolder(folder) {
  if (!existsSync(join(root, "src", folder))) throw new Error(`src/${folder} does not exist`)
  process.env.MUTANTS_SAMPLE = String(Math.ceil(Number(options.sample) / options.folder.length))
  process.env.MUTANTS_SEED = options.seed
  process.env.MUTANTS_FOLDER = folder
  const results = await new Stryker({
    mutate: [`src/${folder}/**/*.ts`],
    testRunner: "vitest-loading",
    vitest: { configFile: "test/mutants/vitest.config.ts", related: false },
    plugins: ["@stryker-mutator/vitest-runner", join(here, "runner.mjs"), join(here, "sample.mjs")],
    checkers: ["sample"],
    coverageAnalysis: "perTest",
    concurrency: Number(options.concurrency),
    dryRunTimeoutMinutes: 20,
    timeoutMS: 20_000,
    disableTypeChecks: false,
    tsconfigFile: "none.json", // Stryker would read it with TypeScript's old API
    tempDirName: ".mutants",
    ignorePatterns: ["dist", "dist-test", "coverage", "oracle", "bench/results", "test/mutants/node_modules"],
    reporters: [],
    logLevel: "error",
    allowConsoleColors: false,
  }).runMutationTest()
  return report(
    folder,
    results.filter(({ status }) => status !== "CompileError"),
  )
}

function report(folder, tried) {
  const missed = tried.filter(({ status }) => status === "Survived" || status === "NoCoverage")
  const known = missed.filter(isEquivalent)
  for (const mutant of missed) if (!known.includes(mutant)) console.log(describe(mutant))
  const share = tried.length === 0 ? 1 : 1 - (missed.length - known.length) / tried.length
  const percent = `${(100 * share).toFixed(1)} %`
  const line = `${folder}: ${percent} of ${tried.length} noticed, ${missed.length - known.length} missed, ${known.length} equivalent`
  return { share, line }
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

/** Whether the code has changed since the entry was made, so that it says nothing now. */
function isOutdated(known) {
  const path = join(root, known.file)
  const text = existsSync(path) ? readFileSync(path, "utf8") : ""
  return !text.includes(known.was) || !text.includes(known.in ?? "")
}

function describe(mutant) {
  const { file, was, line } = placeOf(mutant)
  const quote = text => JSON.stringify(text)
  return `${file}:${line} ${mutant.mutatorName}\n    ${quote(was)}\n    ${quote(mutant.replacement)}`
}

function placeOf({ fileName, location: { start, end } }) {
  const file = relative(root, fileName).replaceAll("\\", "/")
  const lines = readFileSync(join(root, file), "utf8").split("\n")
  // Lines and columns count from 1.
  const text = lines.slice(start.line - 1, end.line)
  text[text.length - 1] = text[text.length - 1].slice(0, end.column - 1)
  text[0] = text[0].slice(start.column - 1)
  return { file, line: start.line, whole: lines[start.line - 1], was: text.join("\n") }
}
