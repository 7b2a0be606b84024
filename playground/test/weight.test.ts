/** The size of the built page. `npm run playground` prints the same. */
import { statSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { offlineFile, weights } from "../build.mjs"

const kB = 1000

describe("the built page", () => {
  const parts = weights()
  const [paint = 0, editor = 0, engine = 0, ...sources] = Object.values(parts)

  it("paints after less than 50 kB", () => {
    expect(paint).toBeLessThan(50 * kB)
    expect(paint).toBeGreaterThan(10 * kB)
  })

  it("is less than 525 kB before it needs types", () => {
    expect(paint + editor + engine).toBeLessThan(525 * kB)
    expect(paint + editor + engine).toBeGreaterThan(200 * kB)
  })

  it("loads each source of types when it is first needed", () => {
    expect(Object.keys(parts).slice(3)).toEqual(["CRD, OpenAPI", "Go types"])
    for (const source of sources) expect(source).toBeLessThan(40 * kB)
  })

  it("is also one file", () => {
    expect(statSync(offlineFile).size).toBeLessThan(2_100 * kB)
  })
})
