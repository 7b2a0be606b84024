/** Random rules, read from Go types, have the errors of the code that upstream's generator wrote from them (`npm run fuzz -- rules`). */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { readGoTypes } from "../../src/gotypes/index.js"
import { parseJson } from "../../src/json/json.js"
import { compileRules } from "../../src/validation/compile.js"
import type { Validator } from "../../src/validation/rules/report.js"
import { projectRoot } from "../support/entries.js"
import { type Answer, answerTo, differenceOf } from "./answers.js"

interface Recorded {
  /** Packages by name, as the text of their one file. */
  readonly sources: Readonly<Record<string, string>>
  /** The packages that the generator refuses, and its messages. */
  readonly refused: Readonly<Record<string, string>>
  readonly answers: readonly Answer[]
}

const text = gunzipSync(readFileSync(`${projectRoot}/test/vectors/random-rules.json.gz`)).toString()
const { sources, refused, answers } = parseJson(text) as unknown as Recorded

async function validatorsOf(source: string): Promise<Map<string, Validator>> {
  const { rules } = await readGoTypes({ "doc.go": source }, { path: "example.com/types" })
  return new Map(Object.keys(rules.types).map(name => [name, compileRules(rules, name)]))
}

it("finds the errors of generated code", async () => {
  const validators = new Map<string, Map<string, Validator>>()
  for (const [name, source] of Object.entries(sources)) {
    if (!Object.hasOwn(refused, name)) validators.set(name, await validatorsOf(source))
  }
  const differences = answers.flatMap(answer => {
    const validator = validators.get(answer.tag)?.get(answer.type) as Validator
    return differenceOf(answer, () => answerTo(answer, validator)) ?? []
  })
  expect(answers.length).toBeGreaterThan(2000)
  expect(differences.slice(0, 3)).toEqual([])
})

it("refuses the packages that the generator refuses", async () => {
  const accepted: string[] = []
  for (const [name, said] of Object.entries(refused)) {
    const outcome = await validatorsOf(sources[name] ?? "").catch(() => undefined)
    if (outcome !== undefined) accepted.push(`${name}: ${said}`)
  }
  expect(Object.keys(refused).length).toBeGreaterThan(5)
  expect(accepted).toEqual([])
})
