/** Checks the laws of the default policy on more stories than the tests do: `npm run laws -- unions --stories 20000 --seed 1`. */
import { parseArgs } from "node:util"
import { checkLaws } from "./laws.js"

const { values } = parseArgs({ options: { stories: { type: "string" }, seed: { type: "string" } } })
const { outcomes, broken } = await checkLaws(Number(values.seed ?? 1), 0, Number(values.stories ?? 20_000))
console.table(outcomes)
for (const problem of broken) console.log(problem)
if (broken.length > 0) process.exitCode = 1
