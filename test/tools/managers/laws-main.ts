/** Checks the laws of managers on more histories than `npm test` does: `npm run laws -- managers --stories 5000 --seed 1`. */
import { parseArgs } from "node:util"
import { checkLaws } from "./laws.js"

const { values } = parseArgs({ options: { stories: { type: "string" }, seed: { type: "string" } } })
const { outcomes, applies, broken } = await checkLaws(Number(values.seed ?? 1), 0, Number(values.stories ?? 5_000))
console.table(outcomes)
console.table(applies)
for (const problem of broken) console.log(problem)
if (broken.length > 0) process.exitCode = 1
