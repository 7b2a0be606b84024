import { beforeAll, describe, expect, it } from "vitest"
import { runFileAlone } from "../support/alone.js"
import { cases } from "./steps-cases.js"

const sizes = [500, 2000]

/** How many times more steps the larger input may take: in proportion to its size, with a margin for sorting and searching. */
const bound = 6

describe("steps grow with the size of the input, not with its square:", () => {
  let steps: Record<string, number[]> = {}

  beforeAll(async () => {
    const { status, output, errors } = await runFileAlone(new URL("./steps-program.ts", import.meta.url), {
      args: sizes.map(String),
    })
    expect({ status, errors }).toEqual({ status: 0, errors: "" })
    steps = JSON.parse(output)
  }, 120_000)

  it.each(Object.keys(cases))("%s", name => {
    const [small = 0, large = 0] = steps[name] ?? []
    expect(small).toBeGreaterThan(0)
    expect(large / small).toBeLessThan(bound)
  })
})
