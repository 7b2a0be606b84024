import { expect, it } from "vitest"
import { checkContentions, checkHistories } from "./laws.js"

it("holds for the histories of random stories", () => {
  const { broken, counts } = checkHistories(1, 0, 100)
  expect(broken).toEqual([])
  for (const outcome of ["created", "changed", "unchanged", "deleted", "conflict", "error"]) {
    expect(counts[outcome]).toBeGreaterThan(3)
  }
})

it("holds where an object that had no resourceVersion comes to be the same again", () => {
  expect(checkHistories(7, 924, 1).broken).toEqual([])
})

it("finds the fights that counting finds", () => {
  const { broken, counts } = checkContentions(1, 0, 80)
  expect(broken).toEqual([])
  for (const what of ["settled", "fought", "ended", "endless"]) expect(counts[what]).toBeGreaterThan(1)
})
