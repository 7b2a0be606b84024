import { describe, expect, it } from "vitest"
import { checkLaws, type Verdict } from "./laws.js"

describe("in random histories", () => {
  const verdicts: Verdict[] = []
  const sum = (count: (verdict: Verdict) => number | undefined) =>
    verdicts.reduce((total, verdict) => total + (count(verdict) ?? 0), 0)

  it.each([0, 100, 200])("foresees what a server makes of each patch, from number %i on", async first => {
    const verdict = await checkLaws(1, first, 100)
    verdicts.push(verdict)
    expect(verdict.broken).toEqual([])
  })

  it("has histories that are about something", () => {
    for (const operation of ["transfer", "release", "drop-stale", "drop-version", "csa-upgrade"]) {
      expect([operation, sum(({ outcomes }) => outcomes[operation]?.change) > 5]).toEqual([operation, true])
    }
    for (const operation of ["transfer", "release", "drop-stale", "drop-version"]) {
      expect([operation, sum(({ outcomes }) => outcomes[operation]?.refused) > 0]).toEqual([operation, true])
    }
    expect(sum(({ outcomes }) => outcomes.transfer?.ineffective)).toBeGreaterThan(0)
    for (const outcome of ["none", "change", "conflict"]) {
      expect([outcome, sum(({ applies }) => applies[outcome]) > 0]).toEqual([outcome, true])
    }
  })
})
