/** Our errors equal those of code that validation-gen wrote, word for word. */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { parseJson } from "../../src/json/json.js"
import { compileRules } from "../../src/validation/compile.js"
import type { Validator } from "../../src/validation/rules/report.js"
import type { RuleDocument } from "../../src/validation/rules/rules.js"
import { projectRoot } from "../support/entries.js"
import { type Answer, answerTo, differenceOf } from "./answers.js"

interface Recorded {
  readonly documents: Readonly<Record<string, RuleDocument>>
  readonly examples: readonly Answer[]
  readonly random: readonly Answer[]
}

const text = gunzipSync(readFileSync(`${projectRoot}/test/vectors/declarative.json.gz`)).toString()
const recorded = parseJson(text) as unknown as Recorded

const validators = new Map<string, Validator>()

function differences(answers: readonly Answer[]): unknown[] {
  return answers.flatMap(answer => {
    const name = `${answer.tag} ${answer.type}`
    const ask = () => {
      const validator =
        validators.get(name) ?? compileRules(recorded.documents[answer.tag] as RuleDocument, answer.type)
      validators.set(name, validator)
      return answerTo(answer, validator)
    }
    return differenceOf(answer, ask) ?? []
  })
}

describe("errors of generated code", () => {
  it("equal ours for the examples of the documentation and the unions of the generator's tests", () => {
    expect(recorded.examples.length).toBe(1037)
    expect(differences(recorded.examples).slice(0, 3)).toEqual([])
  })

  it("equal ours for random objects of all types of the generator's tests", () => {
    expect(differences(recorded.random).slice(0, 3)).toEqual([])
  })
})
