// Checks that a recipe fails if one of its workers is killed.
import { existsSync } from "node:fs"
import { recipe } from "./recipes.js"
import type { Report } from "./report.js"
import type { Kill, Workplace } from "./shell.js"

/** The files that the recipes write. */
const outputs = ["findings.ndjson", "owners.ndjson"]

/** Runs the recipes on `objects.ndjson` and kills workers while they run. No recipe may leave an output. */
export async function findFailures(place: Workplace, report: Report): Promise<void> {
  const fails = async (name: string, script: string, kill: Kill, env: NodeJS.ProcessEnv = {}) => {
    for (const output of outputs) place.discard(output)
    const { status, said } = await place.run(script, { kill, env })
    report.check(kill.all === true || place.hasKilled, `${name}: nobody was there to be killed`)
    report.check(status !== 0, `${name}: exit status 0`)
    report.check(said.trim() !== "", `${name}: no word of it`)
    report.check(!outputs.some(output => existsSync(place.path(output))), `${name}: there is an output`)
    report.say(`${name}: exit status ${status}`)
  }
  const one = recipe("One machine", "sh")
  await fails("a worker thread that ends in mid-run", one, { what: "thread" }, { JOBS: "2" })
  await fails("an smd that is killed", one, { what: "process" }, { JOBS: "2" })
  await fails("an smd that is killed where errors may pass", recipe("What can go wrong", "sh"), { what: "process" })
  await fails("a child of parallel that is killed", recipe("GNU parallel", "sh"), { what: "process" })
  const spark = recipe("Apache Spark", "sh")
  await fails("tasks of Spark that are killed each time", spark, { what: "process", all: true })
  await repeated(place, report, spark)
}

/** Checks that Spark runs a task again after it was killed once. */
async function repeated(place: Workplace, report: Report, script: string): Promise<void> {
  const name = "a task of Spark that is killed once"
  const [wanted] = await place.ask("wc -l < objects.ndjson")
  const { status } = await place.run(script, { kill: { what: "process" } })
  report.check(place.hasKilled, `${name}: nobody was there to be killed`)
  report.check(status === 0, `${name}: exit status ${status}`)
  const [records] = status === 0 ? await place.ask("wc -l < findings.ndjson") : []
  report.check(records === wanted, `${name}: ${records} records`)
  report.say(`${name}: done again, exit status ${status}`)
}
