/** API servers return, log and count the same for random errors of handwritten and declarative validation. `oracle/shadow` records them. */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { type FieldError, fieldErrorMessage } from "../../../src/validation/rules/report.js"
import type { HandwrittenError } from "../../../src/validation/shadow/compare.js"
import { ValidationMetrics } from "../../../src/validation/shadow/metrics.js"
import { shadowed, type ValidationGates } from "../../../src/validation/shadow/shadowed.js"
import { projectRoot } from "../../support/entries.js"
import { samplesOf } from "./samples.js"

interface Recorded {
  readonly gates: ValidationGates
  readonly subresource: string
  readonly update: boolean
  readonly normalizations: readonly { readonly pattern: string; readonly replacement: string }[]
  readonly handwritten: readonly (HandwrittenError & Described)[]
  readonly declarative: readonly (FieldError & Described)[]
  readonly panic?: string
  readonly expect: Outcome
}

interface Described {
  readonly message: string
}

interface Outcome {
  /** Indexes into handwritten errors followed by declarative ones, or the detail of a new error. */
  readonly errors: readonly (number | string)[]
  readonly mismatches: readonly string[]
  readonly metrics: Readonly<Record<string, number>>
}

function outcomeOf({ gates, subresource, update, normalizations, handwritten, declarative, panic }: Recorded): Outcome {
  const mismatches: string[] = []
  const metrics = new ValidationMetrics()
  const validator = shadowed({
    handwritten: { validate: () => handwritten },
    declarative: {
      validate() {
        if (panic !== undefined) throw new Error(panic)
        return [...declarative]
      },
    },
    gates,
    kind: "ReplicationController",
    normalizations: normalizations.map(({ pattern, replacement }) => ({ pattern: new RegExp(pattern), replacement })),
    onMismatch: ({ message }) => mismatches.push(message),
    metrics,
  })
  const all: FieldError[] = [...handwritten, ...declarative]
  const errors = validator.validate({}, update ? {} : undefined, { subresource })
  return {
    errors: errors.map(error => (all.includes(error) ? all.indexOf(error) : error.detail)),
    mismatches,
    metrics: samplesOf(metrics.text()),
  }
}

const text = gunzipSync(readFileSync(`${projectRoot}/test/vectors/shadow.json.gz`)).toString()
const cases: Recorded[] = text
  .trim()
  .split("\n")
  .map(line => JSON.parse(line))

describe("what an API server makes of the errors of both validators", () => {
  it.each([
    ["the current release", "DeclarativeValidationBeta", 1200],
    ["the releases with one gate for all rules", "DeclarativeValidationTakeover", 800],
  ] as const)("is ours with the gates of %s", (_, gate, count) => {
    const recorded = cases.filter(({ gates }) => gates[gate] !== undefined)
    expect(recorded.length).toBe(count)
    for (const one of recorded) expect({ ...one, expect: outcomeOf(one) }).toEqual(one)
  })

  it("says each error in our words", () => {
    for (const error of cases.flatMap(({ handwritten, declarative }) => [...handwritten, ...declarative])) {
      expect(fieldErrorMessage(error)).toBe(error.message)
    }
  })

  it("is recorded with everything that can happen", () => {
    const logged = cases.flatMap(({ expect }) => expect.mismatches)
    for (const words of ["unmatched", "extra", "(aka", "<nil>", "authoritative", "Beta feature", "Takeover feature"]) {
      expect(logged.filter(line => line.includes(words)).length, words).toBeGreaterThan(20)
    }
    const superseded = cases.filter(({ handwritten, expect }) => handwritten.some((_, i) => !expect.errors.includes(i)))
    expect(superseded.length).toBeGreaterThan(50)
    expect(cases.filter(({ panic }) => panic !== undefined).length).toBeGreaterThan(50)
  })
})
