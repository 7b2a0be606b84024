// `npm test` and `npm run check`: all checks that need only Node, two parts at a time.
//   node scripts/test.mjs test     types, lint and tests, with a quarter of the budgets of random cases
//   node scripts/test.mjs check    the package and its consumers, size, docs of public names, unused code, the playground, slow tests,
//                                  full budgets
// Each part reports in one line and shows its output if it fails; the last line counts the tests and the parts.
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build } from "./build.mjs"
import { ensureInstalled, root } from "./install.mjs"

ensureInstalled()
build("dist")
const folder = mkdtempSync(join(tmpdir(), "test-"))
const report = join(folder, "vitest.json")
const bin = (name, file) => join(root, "node_modules", name, file)
const tsc = bin("typescript", "bin/tsc")
const vitest = [
  bin("vitest", "vitest.mjs"),
  "run",
  "--reporter=default",
  "--reporter=json",
  `--outputFile.json=${report}`,
]

/**
 * Name and command of each part of a suite. The first is by far the longest; the others run at the same time, one after the other. Slow
 * tests start processes, attack servers, or play thousands of requests. Tests that import support/budget.ts count their random cases by it: if
 * TEST_BUDGET is set, the suite test has spent it, and the suite check leaves them out.
 */
const suites = {
  test: () => [
    ["unit, vectors, property, layers", [...vitest, "--exclude", "**/*.slow.test.ts"]],
    ["types", [tsc, "--noEmit", "-p", "test/tsconfig.json"]],
    ["types without Node", [tsc, "-p", "tsconfig.browser.json"]],
    ["lint", [bin("@biomejs/biome", "bin/biome"), "check", "--error-on-warnings", "."]],
  ],
  check: () => [
    process.env.TEST_BUDGET === undefined
      ? ["slow tests, random cases", [...vitest, ".slow.test.ts", ...testsWithBudget()], { TEST_BUDGET: "1" }]
      : ["slow tests", [...vitest, ".slow.test.ts"]],
    ["package", ["scripts/package.mjs"]],
    ["public API", ["scripts/public-api.mjs"]],
    ["unused code", [bin("knip", "bin/knip.js"), "--no-progress"]],
    ["size", ["scripts/run.mjs", "dist-test/test/size/main.js"]],
    ["types of the playground", [tsc, "-p", "playground/tsconfig.json"]],
    ["playground", ["playground/test/run.mjs"]],
  ],
}
const parts = suites[process.argv[2] ?? "test"]()

function testsWithBudget() {
  return readdirSync(join(root, "test"), { recursive: true })
    .filter(name => name.endsWith(".test.ts"))
    .map(name => join("test", name))
    .filter(name => readFileSync(join(root, name), "utf8").includes('support/budget.js"'))
}

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
async function run(name, args, more = {}) {
  const begin = Date.now()
  const { status, output } = await capture(args, more)
  const seconds = `${((Date.now() - begin) / 1000).toFixed(1)} s`
  if (status === 0) console.log(`ok      ${name} (${seconds})${leftOut(output)}`)
  else {
    failures.push(name)
    console.log(`FAILED  ${name} (${seconds})\n${output}`)
  }
}

/** Returns the line in which a part reports skipped checks and the reason. */
function leftOut(output) {
  const said = /^left out: .*$/m.exec(output)?.[0]
  return said === undefined ? "" : `\n        ${said}`
}

function capture(args, more) {
  return new Promise(resolve => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...env, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    })
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

/** Vitest's own counts: all 0 if it died before it wrote its report. */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, "utf8"))
  } catch {
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 }
  }
}
