import { expect, it } from "vitest"
import { checkResolveLaws } from "./resolve-laws.js"

it("holds for random stories of real types", () => {
  const stories = Number(process.env.RESOLVE_STORIES ?? 200)
  const { broken, counts } = checkResolveLaws(Number(process.env.RESOLVE_SEED ?? 1), 0, stories)
  if (stories > 200) console.log(counts)
  expect(broken).toEqual([])
  for (const choice of ["relinquish", "share", "overwrite"]) expect(counts[`${choice} resolved`]).toBeGreaterThan(30)
})
