import { expect, it } from "vitest"
import { budget, seed } from "../../support/budget.js"
import { checkLaws } from "./laws.js"

it("holds for random stories of real types", () => {
  const { broken, outcomes, becauses } = checkLaws(seed, 0, budget(250))
  expect(broken).toEqual([])
  // The stories cover every outcome.
  for (const outcome of ["create", "change", "unchanged", "conflict"])
    expect(outcomes[outcome]).toBeGreaterThan(budget(30))
  for (const because of ["configured", "atomic", "no-longer-applied", "owned-by-others"]) {
    expect(becauses[because]).toBeGreaterThan(budget(10))
  }
})

it.each([
  ["an entry that names no operation", 122],
  ["a number in the key of an item that no float can hold", 15342],
])("holds for %s", (_, story) => {
  expect(checkLaws(20261122, story, 1).broken).toEqual([])
})
