import { expect, it } from "vitest"
import { oncePer } from "../../src/value/once-per.js"

it("computes the result for each object once", () => {
  const asked: object[] = []
  const sizeOf = oncePer((list: readonly number[]) => {
    asked.push(list)
    return { size: list.length }
  })
  const [one, two] = [[1], [1, 2]]
  expect([sizeOf(one), sizeOf(two)]).toEqual([{ size: 1 }, { size: 2 }])
  expect(sizeOf(one)).toBe(sizeOf(one))
  expect(asked).toEqual([one, two])
})
