import { expect, it } from "vitest"
import { checkLaws } from "./laws.js"

it("sends every apply that would change something, in random stories", async () => {
  const { broken, reasons } = await checkLaws(1, 0, 200)
  expect(broken).toEqual([])
  // The stories cover every outcome.
  for (const reason of [
    "create",
    "change",
    "unchanged",
    "remembered",
    "stale-object",
    "recheck",
    "other-version",
    "no-managed-fields",
  ]) {
    expect([reason, (reasons[reason]?.applies ?? 0) > 5]).toEqual([reason, true])
  }
})

it("holds for an autoscaler that was created at an older version", async () => {
  expect((await checkLaws(3, 2550, 1)).broken).toEqual([])
})

it("holds if a server would only write a new time for an entry", async () => {
  expect((await checkLaws(1, 14829, 1)).broken).toEqual([])
})
