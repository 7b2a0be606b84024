import { expect, it } from "vitest"
import { checkResolveLaws } from "./resolve-laws.js"

it("holds for random stories of real types", () => {
  const { broken, counts } = checkResolveLaws(1, 0, 200)
  expect(broken).toEqual([])
  for (const choice of ["relinquish", "share", "overwrite"]) expect(counts[`${choice} resolved`]).toBeGreaterThan(30)
})
