// npm run fleet -- recipes [--objects 200000 --list 720000 --owners 20000 --seed 1]
//
// Runs the recipes of docs/fleets.md on many objects: all have to give the same bytes, in little memory, and a recipe of which a part is
// killed in mid-run has to fail. Then asks the questions of docs/fleets.md, and compares the answers with a plain computation. Prints
// figures, and asserts nothing about times. `--list` is the size of a List that is read with bounded memory, `--owners` how many objects
// the questions are about.
import { parseArgs } from "node:util"
import { compareRecipes } from "./compare.js"
import { findFailures } from "./failures.js"
import { askQuestions } from "./questions.js"
import { Report } from "./report.js"
import { Workplace } from "./shell.js"
import { findTools } from "./tools.js"

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "200000" },
    list: { type: "string", default: "720000" },
    owners: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
  },
})

const place = new Workplace(findTools(), Number(values.seed))
const report = new Report()
try {
  await compareRecipes(place, report, { objects: Number(values.objects), listed: Number(values.list) })
  await findFailures(place, report)
  await askQuestions(place, report, Number(values.owners))
} finally {
  place.remove()
}
process.exitCode = report.end()
