/** The size of the built page. `npm run playground` prints the same. */
import { statSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { offlineFile, weights } from "../build.mjs"

const kB = 1000

describe("the built page", () => {
  const parts = weights()
  const page = (parts["first paint"] ?? 0) + (parts["engine and editor"] ?? 0)

  it("paints after less than 120 kB", () => {
    expect(parts["first paint"]).toBeLessThan(120 * kB)
    expect(parts["first paint"]).toBeGreaterThan(10 * kB)
  })

  it("is less than 525 kB before it needs types", () => {
    expect(page).toBeLessThan(525 * kB)
    expect(page).toBeGreaterThan(200 * kB)
  })

  it("loads each source of types when it is first needed", () => {
    expect(Object.keys(parts).slice(2)).toEqual(["built-in kinds", "CRD, OpenAPI", "Go types"])
    for (const source of Object.values(parts).slice(2)) expect(source).toBeLessThan(40 * kB)
  })

  it("is also one file", () => {
    expect(statSync(offlineFile).size).toBeLessThan(2_100 * kB)
  })
})
