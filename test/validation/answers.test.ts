/** What code made by validation-gen answers, word for word. */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { formatGoJson, parseJson } from "../../src/json/json.js"
import { compileRules, type Validator } from "../../src/validation/compile.js"
import type { FieldError, StabilityLevel } from "../../src/validation/report.js"
import type { RuleDocument } from "../../src/validation/rules.js"
import type { Value } from "../../src/value/value.js"
import { projectRoot } from "../support/entries.js"

interface Answer {
  readonly tag: string
  readonly type: string
  readonly new: Value
  readonly old: Value
  readonly options?: Readonly<Record<string, boolean>>
  readonly subresources?: readonly string[]
  readonly errors: readonly Described[]
  readonly unordered?: boolean
}

interface Described {
  readonly type: string
  readonly field: string
  readonly detail: string
  readonly origin: string
  readonly badValue: string
  readonly level?: StabilityLevel
}

interface Recorded {
  readonly documents: Readonly<Record<string, RuleDocument>>
  readonly examples: readonly Answer[]
  readonly random: readonly Answer[]
}

const text = gunzipSync(readFileSync(`${projectRoot}/test/vectors/declarative.json.gz`)).toString()
const recorded = parseJson(text) as unknown as Recorded

const validators = new Map<string, Validator>()

function answerTo({ tag, type, new: next, old, options, subresources = [] }: Answer): Described[] {
  const name = `${tag} ${type}`
  const validator = validators.get(name) ?? compileRules(recorded.documents[tag] as RuleDocument, type)
  validators.set(name, validator)
  const subresource = subresources.join("/")
  return validator.validate(next, old, { ...(options && { options }), subresource }).map(describeError)
}

function describeError({ badValue, level, ...error }: FieldError): Described {
  return { ...error, badValue: formatGoJson(badValue, { sorted: false }), ...(level && { level }) }
}

function differences(answers: readonly Answer[]): unknown[] {
  return answers.flatMap(answer => {
    const sort = (errors: readonly Described[]) => {
      const lines = errors.map(({ type, field, detail, origin, badValue, level = "" }) =>
        [type, field, detail, origin, badValue, level].join(" | "),
      )
      return answer.unordered ? lines.sort() : lines
    }
    let got: string[]
    try {
      got = sort(answerTo(answer))
    } catch (error) {
      got = [String(error)]
    }
    const want = sort(answer.errors)
    return JSON.stringify(got) === JSON.stringify(want) ? [] : [{ ...answer, errors: want, got }]
  })
}

describe("answers of generated code", () => {
  it("are ours for the examples of the documentation and the unions of the generator's tests", () => {
    expect(recorded.examples.length).toBe(1037)
    expect(differences(recorded.examples).slice(0, 3)).toEqual([])
  })

  it("are ours for random objects of all types of the generator's tests", () => {
    expect(differences(recorded.random).slice(0, 3)).toEqual([])
  })
})
