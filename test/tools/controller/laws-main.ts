/** Checks the laws of the Applier on more stories than `npm test` does: `npm run laws -- applier --stories 20000 --seed 1`. */
import { parseArgs } from "node:util"
import { checkLaws } from "./laws.js"

const { values } = parseArgs({ options: { stories: { type: "string" }, seed: { type: "string" } } })
const { reasons, broken } = await checkLaws(Number(values.seed ?? 1), 0, Number(values.stories ?? 20_000))
console.table(reasons)
for (const problem of broken) console.log(problem)
if (broken.length > 0) process.exitCode = 1
