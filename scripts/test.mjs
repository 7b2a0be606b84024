// `npm test`: everything that can be checked with Node alone, two parts at a time. Each part reports in one line, and shows
// its output where it fails; the last line counts the tests and the parts.
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "./build.mjs"
import { ensureInstalled, root } from "./install.mjs"

ensureInstalled()
build("dist")
const folder = mkdtempSync(join(tmpdir(), "test-"))
const report = join(folder, "vitest.json")
const bin = (name, file) => join(root, "node_modules", name, file)
const vitest = bin("vitest", "vitest.mjs")
const vitestOptions = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`]

/** Name and command of each part. The first is by far the longest; the others run beside it, one after the other. */
const parts = [
  ["unit, vectors, property, layers", [vitest, "run", ...vitestOptions]],
  ["types", [bin("typescript", "bin/tsc"), "--noEmit", "-p", "test/tsconfig.json"]],
  ["types without Node", [bin("typescript", "bin/tsc"), "-p", "tsconfig.browser.json"]],
  ["lint", [bin("@biomejs/biome", "bin/biome"), "check", "--error-on-warnings", "."]],
  ["package", ["scripts/package.mjs"]],
  ["public API", ["scripts/public-api.mjs"]],
  ["unused code", [bin("knip", "bin/knip.js"), "--no-progress"]],
  ["size", ["scripts/run.mjs", "dist-test/test/size/main.js"]],
  ["types of the playground", [bin("typescript", "bin/tsc"), "-p", "playground/tsconfig.json"]],
  ["playground", ["playground/test/run.mjs"]],
]

const { FORCE_COLOR: _, NO_COLOR: __, ...inherited } = process.env
const env = { ...inherited, NODE_ENV: "test", [process.stdout.isTTY ? "FORCE_COLOR" : "NO_COLOR"]: "1" }
const failures = []
const [first, ...others] = parts
const start = Date.now()
const rest = async () => {
  for (const part of others) await run(...part)
}
await Promise.all([run(...first), rest()])
summarize()

/** Runs one part to its end and prints its line. */
async function run(name, args) {
  const begin = Date.now()
  const { status, output } = await capture(args)
  const seconds = `${((Date.now() - begin) / 1000).toFixed(1)} s`
  if (status === 0) console.log(`ok      ${name} (${seconds})${leftOut(output)}`)
  else {
    failures.push(name)
    console.log(`FAILED  ${name} (${seconds})\n${output}`)
  }
}

/** What a part says that it left out, and why. */
function leftOut(output) {
  const said = /^left out: .*$/m.exec(output)?.[0]
  return said === undefined ? "" : `\n        ${said}`
}

function capture(args) {
  return new Promise(resolve => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
    const chunks = []
    child.stdout.on("data", chunk => chunks.push(chunk))
    child.stderr.on("data", chunk => chunks.push(chunk))
    child.on("error", error => resolve({ status: 1, output: error.message }))
    child.on("close", status => resolve({ status, output: Buffer.concat(chunks).toString("utf8") }))
  })
}

function summarize() {
  const tests = readReport()
  rmSync(folder, { recursive: true, force: true })
  const partsPassed = others.filter(([name]) => !failures.includes(name)).length
  const partsFailed = others.length - partsPassed
  const failed =
    tests.numFailedTests + partsFailed + (failures.includes(first[0]) && tests.numFailedTests === 0 ? 1 : 0)
  const skipped = tests.numPendingTests + tests.numTodoTests
  console.log(
    `\n${tests.numPassedTests} tests and ${partsPassed} other checks in ${Math.round((Date.now() - start) / 1000)} s`,
  )
  if (failures.length > 0) console.log(`failed: ${failures.join("; ")}`)
  const note = skipped > 0 ? `, ${skipped} skipped` : ""
  console.log(`${tests.numPassedTests + partsPassed} passed, ${failed} failed${note}`)
  process.exitCode = failures.length > 0 ? 1 : 0
}

/** Vitest's own count; where it died before writing one, nothing passed. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 }
  }
}
