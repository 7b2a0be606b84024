import { describe, expect, it } from "vitest"
import { budget, seed } from "../../support/budget.js"
import { checkCase, newTally } from "./schema-diff-laws.js"

const cases = budget(500)

describe("schemaDiff of random schemas and objects", () => {
  it("names exactly the owners whose sets differ after they are reconciled and have applied again", () => {
    const tally = newTally()
    const wrong: string[] = []
    for (let i = 0; i < cases && wrong.length < 3; i++) {
      const found = checkCase(seed, i, tally)
      if (found !== "") wrong.push(found)
    }
    expect(wrong.join("\n\n")).toBe("")
    // The cases cover every kind of change.
    expect(tally.unaffected).toBeGreaterThan(cases / 10)
    expect(tally.affected).toBeGreaterThan(cases / 20)
    expect(tally.codes.size).toBeGreaterThan(14)
    expect(tally.concerned.size).toBeGreaterThan(7)
  })
})
