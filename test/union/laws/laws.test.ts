import { expect, it } from "vitest"
import { budget, seed } from "../../support/budget.js"
import { checkLaws } from "./laws.js"

it("nothing invalid is stored by default, and no apply takes a union field without a conflict, wherever unions come from", async () => {
  const { outcomes, broken } = await checkLaws(seed, 0, budget(800))
  expect(broken).toEqual([])
  for (const counts of Object.values(outcomes))
    expect(Math.min(...Object.values(counts))).toBeGreaterThanOrEqual(budget(20))
})
