import { expect, it } from "vitest"
import { checkLaws } from "./laws.js"

it("holds for random stories of real types", () => {
  const { broken, outcomes, becauses } = checkLaws(1, 0, 250)
  expect(broken).toEqual([])
  // The stories are about something.
  for (const outcome of ["create", "change", "none", "conflict"]) expect(outcomes[outcome]).toBeGreaterThan(30)
  for (const because of ["configured", "atomic", "no-longer-applied", "owned-by-others"]) {
    expect(becauses[because]).toBeGreaterThan(10)
  }
})
