/** Compares plans with the answers of a server on more stories than `npm test` does: `npm run laws -- plan --stories 20000 --seed 1`. */
import { parseArgs } from "node:util"
import { checkServerLaws } from "./server-laws.js"

const { values } = parseArgs({ options: { stories: { type: "string" }, seed: { type: "string" } } })
const { applies, outcomes, reasons, broken } = await checkServerLaws(
  Number(values.seed ?? 1),
  0,
  Number(values.stories ?? 20_000),
)
console.log(outcomes, reasons)
for (const problem of broken) console.log(problem)
console.log(`${applies} applies, ${broken.length} predicted wrong`)
if (broken.length > 0) process.exitCode = 1
