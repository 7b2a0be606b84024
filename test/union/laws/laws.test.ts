import { expect, it } from "vitest"
import { checkLaws } from "./laws.js"

it("nothing invalid is stored by default, and no apply takes a union field without a conflict, wherever unions come from", async () => {
  const { outcomes, broken } = await checkLaws(1, 0, 800)
  expect(broken).toEqual([])
  for (const counts of Object.values(outcomes)) expect(Math.min(...Object.values(counts))).toBeGreaterThan(20)
})
