/**
 * Compares the rules of Kubernetes' own kinds, read from their Go types, with the generated validation of k8s.io/kubernetes, for random
 * objects and their updates of every kind with rules. All errors must be the same, in the same order. Needs Go; the first run compiles for minutes.
 *
 *     npm run --silent fuzz -- kinds --cases 40 --seed 1
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { type GoSources, readGoTypes } from "../../../src/gotypes/index.js"
import { compileRules } from "../../../src/validation/compile.js"
import type { RuleDocument } from "../../../src/validation/rules/rules.js"
import { startAnswerer } from "../../fuzz/process.js"
import { Random } from "../../fuzz/random.js"
import { projectRoot } from "../../support/entries.js"
import { goModuleFolder } from "../../support/go.js"
import { type Answer, answerTo, differenceOf } from "../answers.js"
import { Objects } from "./objects.js"

const { values: given } = parseArgs({
  options: {
    cases: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    show: { type: "string", default: "3" },
    only: { type: "string", default: "" },
    write: { type: "string" },
  },
})

const home = join(projectRoot, "oracle", "reset-fields")
const program = join(projectRoot, "oracle", "bin", "rules")
execFileSync("go", ["build", "-o", program, "./rules"], { cwd: home, stdio: "inherit" })
const paths = JSON.parse(execFileSync(program, ["list"], { encoding: "utf8" })) as string[]
const modules = new Map(["k8s.io/api", "k8s.io/apimachinery"].map(name => [name, goModuleFolder(name, home)]))

function sourcesOf(path: string): GoSources | undefined {
  const module = [...modules.keys()].find(name => path.startsWith(`${name}/`))
  const folder = module === undefined ? undefined : join(modules.get(module) ?? "", path.slice(module.length))
  if (folder === undefined || !existsSync(folder)) return undefined
  const names = readdirSync(folder).filter(name => name.endsWith(".go") && !/^(generated|zz_generated)\./.test(name))
  return Object.fromEntries(names.map(name => [name, readFileSync(join(folder, name), "utf8")]))
}

/** Matches errors of handwritten Go code, which `customValidation` calls. */
const handwritten =
  /(conditions\[\d+\]\.lastTransitionTime FieldValueRequired|evictionResponders\[\d+\]\.priority FieldValueInvalid)$/

/** Returns the kinds of a document, without lists, which are not validated. */
function kindsOf({ types }: RuleDocument): string[] {
  return Object.keys(types).filter(name => {
    const fields = types[name]?.fields ?? []
    const embeds = (type: string) => fields.some(field => field.type.endsWith(`.${type}`) && field.name === type)
    return !name.includes(".") && embeds("TypeMeta") && !embeds("ListMeta")
  })
}

const theirs = startAnswerer(program, projectRoot)
const documents: Record<string, RuleDocument> = {}
const recorded: Answer[] = []
let problems = 0
let kinds = 0
let errors = 0
for (const path of paths.filter(name => name.includes(given.only))) {
  const { rules } = await readGoTypes(sourcesOf(path) ?? {}, { path, resolve: sourcesOf })
  const objects = new Objects(rules)
  for (const type of kindsOf(rules)) {
    const validator = compileRules(rules, type)
    const questions = Array.from({ length: Number(given.cases) }, (_, i) => {
      return { tag: path, type, ...objects.question(new Random(given.seed, `${path}.${type}`, i), type) }
    })
    const replies = await theirs.ask(questions.map(question => JSON.stringify(question)))
    let found = 0
    for (const [i, reply] of replies.entries()) {
      const said = JSON.parse(reply) as {
        errors?: Answer["errors"]
        unordered?: boolean
        panics?: true
        reason?: string
      }
      if (said.errors === undefined) {
        if (!said.reason?.includes("nil pointer")) throw new Error(`${path} ${type}: ${reply}`)
        continue
      }
      const answer: Answer = {
        ...(questions[i] as (typeof questions)[number]),
        errors: said.errors.filter(error => !handwritten.test(`${error.field} ${error.type}${error.origin}`)),
        ...(said.unordered && { unordered: true }),
      }
      found += answer.errors.length
      const difference = differenceOf(answer, () => answerTo(answer, validator))
      if (difference !== undefined && ++problems <= Number(given.show)) {
        console.log(`${path} ${type}:\n${JSON.stringify(difference, null, 1)}\n`)
      }
      if (recorded.length < 1e6) recorded.push(answer)
    }
    errors += found
    if (found > 0) kinds++
  }
  documents[path] = rules
}
theirs.close()
if (given.write !== undefined) {
  writeFileSync(given.write, gzipSync(JSON.stringify({ documents, answers: recorded }), { level: 9 }))
}
console.log(
  `rules of kinds: ${recorded.length} cases, ${kinds} kinds with errors, ${errors} errors, seed ${given.seed}, ${problems} differences`,
)
if (problems > 0 || kinds === 0) process.exitCode = 1
