/** Checks the laws of the simulator on more stories than `npm test` does: `npm run laws -- simulator --stories 5000 --seed 1`. */
import { parseArgs } from "node:util"
import { checkContentions, checkHistories } from "./laws.js"

const { values } = parseArgs({ options: { stories: { type: "string" }, seed: { type: "string" } } })
const [seed, stories] = [Number(values.seed ?? 1), Number(values.stories ?? 5_000)]
const broken: string[] = []
for (const check of [checkHistories, checkContentions]) {
  const found = check(seed, 0, stories)
  console.log(found.counts)
  broken.push(...found.broken)
}
for (const problem of broken) console.log(problem)
if (broken.length > 0) process.exitCode = 1
