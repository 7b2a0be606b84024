/** Maps whose forks share entries, compared with ordinary maps. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { OverlayMap } from "../../src/apiserver/storage/overlay-map.js"
import { runs } from "../support/budget.js"

const key = fc.integer({ min: 0, max: 300 }).map(String)
const change = fc.oneof(
  { weight: 3, arbitrary: fc.record({ set: key }) },
  { weight: 2, arbitrary: fc.record({ delete: key }) },
)
const phase = fc.array(change, { maxLength: 250 })

it("have the entries of maps that are copied", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(phase, fc.nat()), { minLength: 2, maxLength: 8 }), phases => {
      const pairs = [{ map: new OverlayMap<number>(), plain: new Map<string, number>() }]
      let count = 0
      for (const [changes, which] of phases) {
        const { map, plain } = pairs[which % pairs.length] as (typeof pairs)[0]
        pairs.push({ map: map.fork(), plain: new Map(plain) })
        for (const step of changes) {
          if ("set" in step) {
            map.set(step.set, ++count)
            plain.set(step.set, count)
          } else {
            map.delete(step.delete)
            plain.delete(step.delete)
          }
        }
        for (const { map, plain } of pairs) {
          expect(new Map(map.entries())).toEqual(plain)
          expect(map.size).toBe(plain.size)
          expect(map.get("7")).toBe(plain.get("7"))
        }
      }
    }),
    runs(200),
  )
})
