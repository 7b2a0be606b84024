import { expect, it } from "vitest"
import { runFileAlone } from "../support/alone.js"

const megabyte = 1 << 20

it("keeps little of what passes through, however much and however hostile it is", async () => {
  const { status, output, errors } = await runFileAlone(new URL("./kept-program.ts", import.meta.url))
  expect({ status, errors }).toEqual({ status: 0, errors: "" })
  const { "all of it": all, ...attacks } = JSON.parse(output) as Record<string, number>
  expect(all).toBeLessThan(64 * megabyte)
  expect(Object.keys(attacks).length).toBeGreaterThan(10)
  expect(Object.entries(attacks).filter(([, bytes]) => bytes > 17 * megabyte)).toEqual([])
}, 180_000)
