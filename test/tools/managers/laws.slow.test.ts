import { beforeAll, describe, expect, it } from "vitest"
import { checkLaws, type Verdict } from "./laws.js"

describe("in random histories", () => {
  const hundreds = [0, 100, 200]
  let verdicts: readonly Verdict[] = []
  beforeAll(async () => {
    verdicts = await Promise.all(hundreds.map(first => checkLaws(1, first, 100)))
  }, 120_000)
  const sum = (count: (verdict: Verdict) => number | undefined) =>
    verdicts.reduce((total, verdict) => total + (count(verdict) ?? 0), 0)

  it.each(hundreds)("predicts the server's answer to each patch, from number %i on", first => {
    expect(verdicts[hundreds.indexOf(first)]?.broken).toEqual([])
  })

  it("covers every operation and outcome", () => {
    for (const operation of ["transfer", "release", "drop-gone-versions", "drop-version", "upgrade"]) {
      expect([operation, sum(({ outcomes }) => outcomes[operation]?.change) > 5]).toEqual([operation, true])
    }
    for (const operation of ["transfer", "release", "drop-gone-versions", "drop-version"]) {
      expect([operation, sum(({ outcomes }) => outcomes[operation]?.refused) > 0]).toEqual([operation, true])
    }
    expect(sum(({ outcomes }) => outcomes.transfer?.["no-effect"])).toBeGreaterThan(0)
    for (const outcome of ["unchanged", "change", "conflict"]) {
      expect([outcome, sum(({ applies }) => applies[outcome]) > 0]).toEqual([outcome, true])
    }
  })
})
