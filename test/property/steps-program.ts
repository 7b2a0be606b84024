// Counts the steps that operations take on inputs of growing size, and prints them as JSON: {case: [steps for each size]}.
//
// A step is one run of a block of code: of a function, a loop's body, a branch. V8 counts them (precise coverage with block
// counts), so the count is the same each time and covers every loop of ours. It does not cover code inside V8, such as sorting without
// its comparisons. Runs in a process of its own, because counting slows everything down.
import { Session } from "node:inspector"
import { cases } from "./steps-cases.js"

const session = new Session()
session.connect()

/** The count of every block that ran since the last call. */
function takeCounts(): number {
  let steps = 0
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error !== null) throw error
    for (const { url, functions } of result) {
      if (url.startsWith("node:")) continue
      for (const { ranges } of functions) for (const { count } of ranges) steps += count
    }
  })
  return steps
}

const sizes = process.argv.slice(2).map(Number)
const steps: Record<string, number[]> = {}
session.post("Profiler.enable")
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
for (const [name, prepare] of Object.entries(cases)) {
  const runs = sizes.map(prepare)
  takeCounts() // discards the steps of the preparation
  steps[name] = runs.map(run => {
    run()
    return takeCounts()
  })
}
process.stdout.write(JSON.stringify(steps))
