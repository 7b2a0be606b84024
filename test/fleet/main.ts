// npm run fleet -- recipes [--objects 200000 --list 720000 --owners 20000 --seed 1]
//
// Runs the recipes of docs/fleets.md on many objects. All must give the same bytes and use little memory, and a recipe must fail if one of
// its processes is killed while it runs. Then asks the questions of docs/fleets.md, and compares the answers with a plain computation.
// Prints times without checking them. `--list` is the number of objects in a List that is read with bounded memory, `--owners` the number
// of objects that the questions are about.
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
