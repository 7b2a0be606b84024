// npm run bench [-- NAME ...] [-- --json FILE]
//
// Compares the answer of every case whose name contains each NAME with that of the reference, and times the case with benny.
import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { add, configure, cycle, suite } from "benny"
import { answersFile } from "./build.js"
import { prepare } from "./cases/case.js"
import type { Runnable } from "./cases/runnable.js"
import type { Case } from "./fixtures/plan-types.js"
import { callOnce, countBytes } from "./measure.js"
import { groupOf, makePlan } from "./plan.js"

interface Result {
  readonly name: string
  readonly opsPerSecond: number
  readonly microseconds: number
  /** The error of both figures, in percent. */
  readonly margin: number
  readonly heapBytesPerOp: number
}

const { values: options, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: "string" } } })
const plan = makePlan()
const answers = JSON.parse(readFileSync(answersFile, "utf8")) as { readonly [name: string]: string }
const chosen = plan.cases.filter(({ name }) => positionals.every(part => name.includes(part)))
if (chosen.length === 0) throw new Error(`no case matches ${positionals.join(" ")}`)
const results: Result[] = []
for (const what of chosen) results.push(await measure(what))
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`)

async function measure(what: Case): Promise<Result> {
  const runnable = prepare(plan, what)
  checkAnswer(what.name, runnable)
  const { results } = await suite(
    groupOf(what.name),
    add(what.name, () => {
      callOnce(runnable)
    }),
    configure({ cases: { maxTime: 1, minSamples: 20 }, minDisplayPrecision: 2 }),
    cycle(() => ""),
  )
  const [timed] = results
  if (timed === undefined) throw new Error(`benny gave no result for ${what.name}`)
  const calls = Math.max(1, Math.ceil(timed.ops / 20))
  const result = {
    name: what.name,
    opsPerSecond: timed.ops,
    microseconds: timed.details.mean * 1e6,
    margin: timed.margin,
    heapBytesPerOp: Math.round(countBytes(runnable, calls) / calls),
  }
  process.stdout.write(
    `${result.name}  ${result.microseconds.toPrecision(4)} µs ±${result.margin} %  ${result.heapBytesPerOp} B\n`,
  )
  return result
}

function checkAnswer(name: string, runnable: Runnable): void {
  const hash = createHash("sha256").update(runnable.answer()).digest("hex")
  if (answers[name] !== hash) throw new Error(`${name} does not result in what it should`)
}
