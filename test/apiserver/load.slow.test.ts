/** Watches while clients write: no watch loses, repeats or reorders an event. `npm run bench -- load` does the same on a larger scale. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Listening, listen } from "../../src/apiserver/node/listen.js"
import { growthOf } from "./load/memory.js"
import { runLoad } from "./load/run.js"
import { History } from "./load/world.js"

let listening: Listening

beforeAll(async () => {
  listening = await listen()
})

afterAll(() => listening.close())

describe("a server under load", () => {
  it("sends every watch all events of its objects, once and in order", async () => {
    const goesOn = (writes: number) => writes < 400
    const result = await runLoad({ url: listening.url, watchers: 50, objects: 300, clients: 8, seed: 1, goesOn })
    expect(result.problems).toEqual([])
    expect(result.writes).toBeGreaterThanOrEqual(400)
    // Five of the 50 watches see each write.
    expect(result.events).toBeGreaterThan(5 * 400)
  })
})

describe("a server with faults under load", () => {
  it("loses no write that it has acknowledged, and sends every watch all events", async () => {
    const faults = readFileSync(new URL("load/faults.yaml", import.meta.url), "utf8")
    const goesOn = (writes: number) => writes < 150
    const { url, close } = await listen({ faults: [] })
    const options = { url, watchers: 20, objects: 100, clients: 8, seed: 1, faults, goesOn }
    const { problems, refused, unanswered, injected } = await runLoad(options)
    await close()
    expect(problems).toEqual([])
    expect(Math.min(refused + unanswered, injected.size)).toBeGreaterThan(0)
  })
})

describe("the load test itself", () => {
  it("notices lost, repeated and mixed-up events", () => {
    const history = new History()
    for (const [index, group, resourceVersion] of [
      [0, 1, 2],
      [1, 1, 3],
      [0, 2, 4],
      [1, 1, 5],
    ] as const) {
      history.written({ index, group, resourceVersion })
    }
    history.deleted(0, 6, "uid")
    for (const uid of ["uid", "lost"]) history.acknowledgedDeletion(uid)
    expect(history.lostDeletions).toBe(1)
    const trace = history.replay(2).trace({ group: 1 }, 2)
    const seen = (events: readonly (readonly ["ADDED" | "MODIFIED" | "DELETED", number])[]) => {
      const other = history.replay(2).trace({ group: 1 }, 6)
      for (const [type, resourceVersion] of events) other.add(type, resourceVersion)
      return other.sum
    }
    const right = [
      ["ADDED", 3],
      ["DELETED", 4],
      ["MODIFIED", 5],
    ] as const
    expect([trace.events, trace.sum, trace.last]).toEqual([3, seen(right), 5])
    const [first, second, third] = right
    for (const wrong of [
      [first, second],
      [first, first, second, third],
      [second, first, third],
    ]) {
      expect(seen(wrong)).not.toBe(trace.sum)
    }
    expect([...history.replay(2).state({})]).toEqual([0, 5])
    history.written({ index: 1, group: 2, resourceVersion: 5 })
    expect(history.problems).toEqual(["resourceVersion 5 is that of two writes"])
  })

  it("notices a growing heap", () => {
    const samples = (heap: (second: number) => number) =>
      Array.from({ length: 30 }, (_, second) => ({ second, heap: heap(second), resident: 0 }))
    expect(growthOf(samples(second => (second < 8 ? 10 : 50)))).toBe(0)
    expect(growthOf(samples(second => 10 + second))).toBeGreaterThan(0.3)
  })
})
