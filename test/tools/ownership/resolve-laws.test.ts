import { expect, it } from "vitest"
import { budget, seed } from "../../support/budget.js"
import { checkResolveLaws } from "./resolve-laws.js"

it("holds for random stories of real types", () => {
  const { broken, counts } = checkResolveLaws(seed, 0, budget(200))
  expect(broken).toEqual([])
  expect(counts["tried together"]).toBeGreaterThan(budget(20))
  for (const choice of ["relinquish", "share", "overwrite"])
    expect(counts[`${choice} resolved`]).toBeGreaterThan(budget(30))
})

it("holds if a part of the field belongs to the applier alone", () => {
  expect(checkResolveLaws(5150, 3314, 1).broken).toEqual([])
})
