/** Checks the laws of `plan`, `blame`, `explain` and `resolve` on more stories than `npm test` does: `npm run laws -- ownership --stories 20000 --seed 1`. */
import { parseArgs } from "node:util"
import { checkLaws } from "./laws.js"
import { checkResolveLaws } from "./resolve-laws.js"

const { values } = parseArgs({ options: { stories: { type: "string" }, seed: { type: "string" } } })
const [seed, stories] = [Number(values.seed ?? 1), Number(values.stories ?? 20_000)]
const { outcomes, becauses, broken } = checkLaws(seed, 0, stories)
console.log(outcomes, becauses)
const resolving = checkResolveLaws(seed, 0, stories)
console.log(resolving.counts)
for (const problem of [...broken, ...resolving.broken]) console.log(problem)
if (broken.length + resolving.broken.length > 0) process.exitCode = 1
