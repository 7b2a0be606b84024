import { expect, it } from "vitest"
import { budget, seed } from "../../support/budget.js"
import { checkContentions, checkHistories } from "./laws.js"

it("holds for the histories of random stories", () => {
  const { broken, counts } = checkHistories(seed, 0, budget(100))
  expect(broken).toEqual([])
  for (const outcome of ["created", "changed", "unchanged", "deleted", "conflict", "error"]) {
    expect(counts[outcome]).toBeGreaterThan(budget(3))
  }
})

it("holds if an object gets its first resourceVersion from a change that is undone", () => {
  expect(checkHistories(7, 924, 1).broken).toEqual([])
})

it("finds the fights that counting finds", () => {
  const { broken, counts } = checkContentions(seed, 0, budget(80))
  expect(broken).toEqual([])
  for (const what of ["settled", "fought", "ended", "endless"]) expect(counts[what]).toBeGreaterThan(budget(1) - 1)
})
