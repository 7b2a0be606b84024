/** Checks the laws of controllers on more sessions than `npm test` does: `npm run laws -- controllers --sessions 2000 --seed 1`. */
import { parseArgs } from "node:util"
import { checkLaws } from "./laws.js"

const { values } = parseArgs({ options: { sessions: { type: "string" }, seed: { type: "string" } } })
const { broken, seen } = await checkLaws(Number(values.sessions ?? 2_000), Number(values.seed ?? 1))
console.table(Object.fromEntries([...seen].sort()))
for (const problem of broken) console.log(problem)
if (broken.length > 0) process.exitCode = 1
