import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { outermost, type Steps, type ValueChange } from "../../src/value/change.js"

function startsWith(steps: Steps, start: Steps): boolean {
  return start.length <= steps.length && start.every((step, i) => step === steps[i])
}

describe("the outermost changes", () => {
  it("have no change above them; of several changes of one part, the first stays", () => {
    const steps = fc.array(fc.constantFrom<string | number>("a", "b", 0, 1, "0", "__proto__"), { maxLength: 4 })
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 12 }), all => {
        const changes = all.map((steps, i): ValueChange => ({ steps, value: i }))
        const expected = changes.filter(
          (change, i) =>
            !changes.some(
              (other, j) =>
                i !== j && startsWith(change.steps, other.steps) && (other.steps.length < change.steps.length || j < i),
            ),
        )
        expect(outermost(changes)).toEqual(expected)
      }),
    )
  })

  it("are found in linear time", () => {
    const get = vi.spyOn(Map.prototype, "get")
    const steps = [100, 400].map(count => {
      const changes = Array.from({ length: count }, (_, i): ValueChange => ({ steps: ["spec", "items", i], value: i }))
      get.mockClear()
      expect(outermost(changes)).toEqual(changes)
      return get.mock.calls.length
    })
    get.mockRestore()
    expect(steps[1]).toBe(4 * (steps[0] ?? 0))
  })
})
