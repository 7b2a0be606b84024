import { expect, it } from "vitest"
import { checkLaws } from "./laws.js"

it("foresees what a server makes of each patch, in random histories", async () => {
  const { broken, outcomes, applies } = await checkLaws(1, 0, 300)
  expect(broken).toEqual([])
  // The histories are about something.
  for (const operation of ["transfer", "release", "drop-stale", "drop-version", "csa-upgrade"]) {
    expect([operation, (outcomes[operation]?.change ?? 0) > 5]).toEqual([operation, true])
  }
  for (const operation of ["transfer", "release", "drop-stale", "drop-version"]) {
    expect([operation, (outcomes[operation]?.refused ?? 0) > 0]).toEqual([operation, true])
  }
  expect(outcomes.transfer?.ineffective).toBeGreaterThan(0)
  for (const outcome of ["none", "change", "conflict", "refused"]) {
    expect([outcome, (applies[outcome] ?? 0) > 0]).toEqual([outcome, true])
  }
})
