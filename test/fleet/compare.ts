// Checks that all recipes give the same bytes, and measures their time and memory.
import { statSync } from "node:fs"
import { parseYaml } from "../../src/io/index.js"
import { recipe } from "./recipes.js"
import type { Report } from "./report.js"
import type { Ran, Workplace } from "./shell.js"

/** Makes `objects.ndjson`, and runs every recipe on it; then reads one List of `listed` objects. */
export async function compareRecipes(
  place: Workplace,
  report: Report,
  { objects, listed }: { readonly objects: number; readonly listed: number },
): Promise<void> {
  await place.make("objects.ndjson", objects, "ndjson")
  const megabytes = statSync(place.path("objects.ndjson")).size / 1e6
  report.say(`${objects} objects, ${megabytes.toFixed(0)} MB, ${((megabytes / objects) * 1e6).toFixed(0)} bytes each`)
  const one = recipe("One machine", "sh")
  let first: Written | undefined
  const compare = async (name: string, run: () => Promise<Ran>) => {
    place.discard("findings.ndjson")
    const ran = await run()
    report.check(ran.status === 0, `${name}: exit status ${ran.status}\n${ran.said}`)
    if (ran.status !== 0) return
    report.ran(name, ran, objects, megabytes)
    const written = await writtenOf(place)
    first ??= written
    const { records, digest, sorted } = written
    report.check(records === objects, `${name}: ${records} records`)
    report.check(sorted === first.sorted, `${name}: other records than those of --jobs 1`)
    if (name !== job)
      report.check(digest === first.digest, `${name}: the records are in another order than with --jobs 1`)
  }
  await compare("--jobs 1", () => place.run(one, { env: { JOBS: "1" } }))
  await compare("--jobs 2", () => place.run(one, { env: { JOBS: "2" } }))
  await compare("parallel --pipe", () => place.run(recipe("GNU parallel", "sh")))
  place.write("lint.py", recipe("Apache Spark", "python"))
  await compare("Spark, two workers", () => place.run(recipe("Apache Spark", "sh")))
  await compare(job, () => runJob(place))
  report.say(`the same ${first?.records} records from all`)
  await readList(place, report, listed)
}

/** The only recipe that does not keep the order of objects. */
const job = "Indexed Job, its pods one after the other"

/** Runs the command line of the Job as each of its pods would, and joins their outputs. */
async function runJob(place: Workplace): Promise<Ran> {
  const { completions, script, env } = jobOf(recipe("A Kubernetes Job", "yaml"))
  const here = { ...env, OBJECTS: place.path("objects.ndjson"), FINDINGS: place.folder }
  const all: Ran[] = []
  for (let index = 0; index < completions; index++) {
    all.push(await place.run(script, { env: { ...here, JOB_COMPLETION_INDEX: String(index) } }))
  }
  all.push(await place.run(recipe("A Kubernetes Job", "sh"), { env: here }))
  return {
    status: Math.max(...all.map(({ status }) => status)),
    seconds: all.reduce((sum, { seconds }) => sum + seconds, 0),
    megabytes: Math.max(...all.map(({ megabytes }) => megabytes)),
    said: all.map(({ said }) => said).join(""),
  }
}

interface Job {
  readonly completions: number
  readonly script: string
  readonly env: NodeJS.ProcessEnv
}

function jobOf(manifest: string): Job {
  const { spec } = parseYaml(manifest) as unknown as {
    readonly spec: {
      readonly completions: number
      readonly template: {
        readonly spec: {
          readonly containers: readonly [
            {
              readonly args: readonly [string]
              readonly env: readonly { readonly name: string; readonly value: string }[]
            },
          ]
        }
      }
    }
  }
  const [{ args, env }] = spec.template.spec.containers
  return {
    completions: spec.completions,
    script: args[0],
    env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
  }
}

interface Written {
  readonly records: number
  readonly digest: string
  /** The digest of the records after sorting. */
  readonly sorted: string
}

async function writtenOf(place: Workplace): Promise<Written> {
  const [records = "", digest = "", sorted = ""] = await place.ask(
    "wc -l < findings.ndjson; sha256sum < findings.ndjson; sort findings.ndjson | sha256sum",
  )
  return { records: Number(records), digest, sorted }
}

/** Reads one List that is much larger than the memory that the test allows. */
async function readList(place: Workplace, report: Report, objects: number): Promise<void> {
  await place.make("list.json", objects, "list")
  const megabytes = statSync(place.path("list.json")).size / 1e6
  for (const jobs of [1, 2]) {
    const name = `one List of ${(megabytes / 1000).toFixed(2)} GB, --jobs ${jobs}`
    const script = `smd lint --stream --jobs ${jobs} --fail-on never list.json > findings.ndjson`
    const ran = await place.run(script)
    report.check(ran.status === 0, `${name}: exit status ${ran.status}\n${ran.said}`)
    report.ran(name, ran, objects, megabytes)
    const [records] = await place.ask("wc -l < findings.ndjson")
    report.check(Number(records) === objects, `${name}: ${records} records`)
  }
  place.discard("list.json")
}
