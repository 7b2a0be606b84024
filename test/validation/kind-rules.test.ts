/** Compares the rules of Kubernetes' own kinds with recorded answers of the generated validation of k8s.io/kubernetes (`npm run fuzz -- kinds`). */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { expect, it } from "vitest"
import { parseJson } from "../../src/json/json.js"
import { compileRules } from "../../src/validation/compile.js"
import type { Validator } from "../../src/validation/rules/report.js"
import type { RuleDocument } from "../../src/validation/rules/rules.js"
import { projectRoot } from "../support/entries.js"
import { type Answer, answerTo, differenceOf } from "./answers.js"

interface Recorded {
  /** The documents that `readGoTypes` returned, by the import path of the package. */
  readonly documents: Readonly<Record<string, RuleDocument>>
  readonly answers: readonly Answer[]
}

it("answers as the generated validation of Kubernetes does", () => {
  const text = gunzipSync(readFileSync(`${projectRoot}/test/vectors/kind-rules.json.gz`)).toString()
  const { documents, answers } = parseJson(text) as unknown as Recorded
  const validators = new Map<string, Validator>()
  const differences = answers.flatMap(answer => {
    const name = `${answer.tag}.${answer.type}`
    const validator = validators.get(name) ?? compileRules(documents[answer.tag] as RuleDocument, answer.type)
    validators.set(name, validator)
    return differenceOf(answer, () => answerTo(answer, validator)) ?? []
  })
  expect(answers.filter(({ errors }) => errors.length > 0).length).toBeGreaterThan(500)
  expect(differences.slice(0, 3)).toEqual([])
})
