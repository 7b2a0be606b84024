/** `plan` predicts a server's answer to the same apply with dryRun=All. */
import { expect, it } from "vitest"
import { budget, seed } from "../../support/budget.js"
import { checkServerLaws } from "./server-laws.js"

it("predicts a server's answer to a dry run, in random stories of real kinds and custom resources", async () => {
  const { broken, outcomes, reasons } = await checkServerLaws(seed, 0, budget(150))
  expect(broken).toEqual([])
  // The stories cover every outcome.
  for (const outcome of ["create", "change", "unchanged", "conflict", "refused with 404", "refused with 422"])
    expect([outcome, (outcomes[outcome] ?? 0) > budget(10)]).toEqual([outcome, true])
  for (const reason of ["FieldValueInvalid", "FieldValueRequired", "FieldValueForbidden"])
    expect([reason, (reasons[reason] ?? 0) > budget(5)]).toEqual([reason, true])
})
