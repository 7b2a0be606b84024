import { expect, it } from "vitest"
import { reconcileFleet } from "./fleet.js"

it("needs 381 requests to reconcile 200 objects 50 times, and each of them changes something", async () => {
  const { reconciles, requests, needed, reasons } = await reconcileFleet(200, 50)
  expect({ reconciles, requests, needed }).toEqual({ reconciles: 10_000, requests: 381, needed: 381 })
  expect(reasons).toEqual({ create: 200, change: 181, unchanged: 9619 })
}, 600_000)

it("changes as much as an apply at every reconcile", async () => {
  const { requests, needed } = await reconcileFleet(30, 20)
  const byAnswers = await reconcileFleet(30, 20, { recheckAfter: 0 })
  const always = await reconcileFleet(30, 20, { types: { find: () => undefined }, rememberFor: 0 })
  expect([byAnswers.needed, always.needed, always.requests]).toEqual([needed, needed, 600])
  expect(requests).toBeLessThan(byAnswers.requests)
})
