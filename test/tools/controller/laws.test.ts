import { expect, it } from "vitest"
import { checkLaws } from "./laws.js"

it("sends whatever a server would change, in random stories", async () => {
  const { broken, reasons } = await checkLaws(1, 0, 200)
  expect(broken).toEqual([])
  // The stories are about something.
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

it("holds where a server would write the time of an entry anew, and nothing else", async () => {
  expect((await checkLaws(1, 14829, 1)).broken).toEqual([])
})
