// A process that runs test files of the sandbox, one after the other, each in a thread of its own. pool.mjs starts this process, and kills
// it when a mutant hangs. Its messages:
//   {run, file, testIds, mutant: {active, hitLimit}, limits: {cpu, wall}}  →  {run, outcome}
import { createVitest } from "vitest/node"

const [sandbox] = process.argv.slice(2)
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"))
process.env.NODE_ENV = "test"

const vitest = await createVitest("test", {
  root: sandbox,
  config: false,
  watch: false,
  include: ["test/**/*.test.ts"],
  setupFiles: ["test/support/clock.mjs", "test/mutants/setup.mjs"],
  pool: "threads",
  maxWorkers: 1,
  testTimeout: 120_000,
  update: false,
  ci: true,
  reporters: [{}],
  coverage: { enabled: false },
  cache: false,
  onConsoleLog: () => false,
})
await vitest.standalone?.()
const project = vitest.getRootProject()

process.on("message", async ({ run, file, testIds, mutant, limits }) => {
  vitest.provide("mutant", mutant)
  const start = usage()
  const clock = limits === undefined ? undefined : setInterval(endIfOverLimit, 200)
  function endIfOverLimit() {
    const { cpu, wall } = used(start)
    if (cpu <= limits.cpu && wall <= limits.wall) return
    clearInterval(clock)
    // A thread in an endless loop can't be stopped, so the process ends.
    process.send({ run, outcome: { timeout: true } }, () => process.kill(-process.pid, "SIGKILL"))
  }
  const spec = project.createSpecification(file, testIds === null ? undefined : { testIds })
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications([spec])
  clearInterval(clock)
  const module = testModules.find(({ moduleId }) => moduleId === spec.moduleId)
  process.send({ run, outcome: { ...outcomeOf(module, unhandledErrors), ...used(start) } })
})

function outcomeOf(module, unhandledErrors) {
  if (module === undefined) return { tests: [], failures: ["the file was not run"], hits: {} }
  const tests = [...module.children.allTests()].map(test => ({
    id: test.id,
    name: test.fullName,
    state: test.result().state,
    milliseconds: test.diagnostic()?.duration ?? 0,
    hits: test.meta().hits ?? {},
  }))
  const failures = [
    ...tests.filter(({ state }) => state === "failed").map(({ name }) => name),
    ...[...module.errors(), ...unhandledErrors].map(({ message }) => message),
    ...[...module.children.allSuites()].flatMap(suite => suite.errors().map(({ message }) => message)),
  ]
  const { hits = {}, isOverLimit = false } = module.meta()
  return { tests, failures, hits, timeout: isOverLimit }
}

function usage() {
  return { cpu: process.cpuUsage(), wall: performance.now() }
}

/** Milliseconds since `start`: of processor time of all threads of this process, and on the clock. */
function used(start) {
  const { user, system } = process.cpuUsage(start.cpu)
  return { cpu: (user + system) / 1000, wall: performance.now() - start.wall }
}

process.send({ ready: true })
