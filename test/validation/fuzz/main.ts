/**
 * Compares random rules with the code that upstream's generator makes from them: random Go types with random markers, random objects and
 * updates. All errors must be the same, in the same order. The project must also refuse everything that the generator refuses. Needs Go.
 *
 *     npm run --silent fuzz -- rules --packages 100 --cases 20000 --seed 1
 */
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { readGoTypes } from "../../../src/gotypes/index.js"
import { compileRules } from "../../../src/validation/compile.js"
import type { Validator } from "../../../src/validation/rules/report.js"
import type { RuleDocument } from "../../../src/validation/rules/rules.js"
import { startAnswerer } from "../../fuzz/process.js"
import { Random } from "../../fuzz/random.js"
import { projectRoot } from "../../support/entries.js"
import { type Answer, answerTo, differenceOf } from "../answers.js"
import { generateCode } from "./generated-code.js"
import { randomPackage } from "./go-source.js"
import { Objects } from "./objects.js"

const { values: given } = parseArgs({
  options: {
    packages: { type: "string", default: "100" },
    cases: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    show: { type: "string", default: "3" },
    write: { type: "string" },
    refusals: { type: "boolean", default: false },
  },
})
const seed = Number(given.seed)
const cases = Number(given.cases)
const show = Number(given.show)

const started = performance.now()
const sources = new Map<string, string>()
for (let i = 0; i < Number(given.packages); i++) {
  const name = `p${i}`
  const random = new Random(seed, "packages", i)
  sources.set(name, randomPackage(random, name, random.chance(0.25) ? 0.1 : 0))
}

/** Returns the document and the validators that the project makes from a package. */
interface Ours {
  readonly document: RuleDocument
  readonly validators: ReadonlyMap<string, Validator>
}

async function read(source: string): Promise<Ours | string> {
  try {
    const { rules: document } = await readGoTypes({ "doc.go": source }, { path: "example.com/types" })
    const names = Object.keys(document.types).filter(name => !name.includes("."))
    return { document, validators: new Map(names.map(name => [name, compileRules(document, name)])) }
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

const { program, refused, broken } = generateCode(sources)
const prepared = ((performance.now() - started) / 1000).toFixed(0)
let problems = 0
function report(...lines: string[]): void {
  problems++
  if (problems <= show) console.log(`${lines.join("\n")}\n`)
}

if (given.refusals) {
  for (const [name, said] of refused) console.log(`${name} refused: ${said.replaceAll(/\S*\/generated\/types\//g, "")}`)
  for (const [name, said] of broken) console.log(`${name} broken: ${said}`)
}
/** Matches refusals by the generator alone: a format of an older release. */
const older = /unsupported validation format "k8s-ip"/
/** Matches refusals by the project alone: unions that no schema can have, and bytes as a list of numbers. */
const stricter = /is in two unions|is not among the values|is given to .* and to|not on (\w+: )?\[\]byte/
const usable = new Map<string, Ours>()
for (const [name, source] of sources) {
  const ours = await read(source)
  const theirs = refused.get(name)
  if (typeof ours === "string") {
    if (theirs === undefined && !broken.has(name) && !stricter.test(ours))
      report(`${name}: refused here alone: ${ours}`)
  } else if (theirs !== undefined && !older.test(theirs)) report(`${name}: refused by the generator alone: ${theirs}`)
  else if (theirs === undefined && !broken.has(name)) usable.set(name, ours)
}

const questions: (Omit<Answer, "errors"> & { readonly name: string })[] = []
const names = [...usable.keys()]
const makers = new Map([...usable].map(([name, { document }]) => [name, new Objects(document)]))
for (let i = 0; i < cases && names.length > 0; i++) {
  const random = new Random(seed, "objects", i)
  const tag = names[i % names.length] as string
  const types = [...(usable.get(tag) as Ours).validators.keys()]
  const roots = types.filter(type => type.startsWith("Root"))
  const type = random.pick(random.chance(0.8) ? roots : types)
  questions.push({ name: `${tag} ${type}`, tag, type, ...(makers.get(tag) as Objects).question(random, type) })
}

const theirs = startAnswerer(program, projectRoot)
const replies = await theirs.ask(questions.map(({ name: _, ...question }) => JSON.stringify(question)))
theirs.close()
let panics = 0
let errors = 0
const recorded: Answer[] = []
for (const [i, reply] of replies.entries()) {
  const { name, ...question } = questions[i] as (typeof questions)[number]
  const said = JSON.parse(reply) as {
    errors?: Answer["errors"]
    unordered?: boolean
    panics?: true
    unknown?: true
    panic?: string
  }
  if (said.panic !== undefined) throw new Error(said.panic)
  if (said.panics) {
    panics++
    continue
  }
  const answer: Answer = { ...question, errors: said.errors ?? [], ...(said.unordered && { unordered: true }) }
  errors += answer.errors.length
  recorded.push(answer)
  const validator = usable.get(answer.tag)?.validators.get(answer.type) as Validator
  const difference = differenceOf(answer, () => answerTo(answer, validator))
  if (difference !== undefined) report(`${name}:`, JSON.stringify(difference, null, 1))
}
if (given.write !== undefined) {
  const used = Object.fromEntries([...sources].filter(([name]) => usable.has(name) || refused.has(name)))
  const text = JSON.stringify({ sources: used, refused: Object.fromEntries(refused), answers: recorded })
  writeFileSync(given.write, gzipSync(text, { level: 9 }))
}
const seconds = ((performance.now() - started) / 1000).toFixed(0)
console.log(
  `rules: ${sources.size} packages (${refused.size} refused, ${broken.size} with code that does not compile), ${recorded.length} cases, ` +
    `${errors} errors, ${panics} panics, seed ${seed}, ${problems} differences (${prepared} s to generate and compile, ${seconds} s in all)`,
)
if (problems > 0 || recorded.length === 0) process.exitCode = 1
