/** The player, which plays only the steps that changed, and the changes of the scene that the page sends to it. */
import fc from "fast-check"
import { afterEach, describe, expect, it, vi } from "vitest"
import { runs } from "../../test/support/budget.js"
import { type Course, Player } from "../src/play.js"
import { changed, changeOf, type Scene, sceneOf } from "../src/scene.js"
import { emptyState, type StoryStep } from "../src/state.js"
import { builtInTypes } from "../src/types.js"

const types = builtInTypes(false)
const config = (color: string, name = "web") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
  data: { color },
})
const apply = (manager: string, color: string): StoryStep => ({ manager, apply: config(color) })
const [red, blue, green] = [apply("one", "red"), apply("two", "blue"), apply("one", "green")]
const impossible = { manager: "one", patch: {}, object: "Nowhere" } as unknown as StoryStep

const sceneWith = (steps: readonly StoryStep[], parts: Partial<Scene> = {}): Scene => ({
  ...sceneOf(emptyState),
  steps,
  at: steps.length,
  ...parts,
})
const outcomesOf = (course: Course | undefined) => course?.results.map(({ step }) => step.outcome)

afterEach(() => {
  vi.restoreAllMocks()
})

describe("the player", () => {
  it("keeps the results of the steps that two scenes begin with", async () => {
    const player = new Player()
    const first = await player.play(sceneWith([red, blue, green]), types)
    const second = await player.play(sceneWith([red, blue, blue]), types)
    expect([outcomesOf(first), outcomesOf(second)]).toEqual([
      ["created", "conflict", "changed"],
      ["created", "conflict", "conflict"],
    ])
    expect(second?.results[1]).toBe(first?.results[1])
    expect(second?.results[2]).not.toBe(first?.results[2])
  })

  it("returns the same course for the same steps, whatever else of the page changes", async () => {
    const player = new Player()
    const scene = sceneWith([red, blue])
    const course = await player.play(scene, types)
    const draft = { manager: "one", verb: "apply", text: "", force: false, subresource: "" } as const
    expect(await player.play({ ...scene, title: "Another", at: 1, draft }, types)).toBe(course)
    expect(await player.play({ ...scene, steps: [red, blue] }, types)).not.toBe(course)
  })

  it("stops when it may not go on, and continues with the next step", async () => {
    let now = 0
    vi.spyOn(performance, "now").mockImplementation(() => {
      now += 1_000
      return now
    })
    const player = new Player()
    const scene = sceneWith([red, blue, green])
    const pauses: number[] = []
    const pause = async (played: number) => {
      pauses.push(played)
      return pauses.length !== 2
    }
    expect(await player.play(scene, types, undefined, pause)).toBeUndefined()
    expect(outcomesOf(await player.play(scene, types, undefined, pause))).toEqual(["created", "conflict", "changed"])
    expect(pauses).toEqual([0, 1, 1, 2])
  })

  it("has the results of a new player after any changes of the scene", async () => {
    const steps = fc.array(fc.constantFrom(red, blue, green, { manager: "two", delete: "ConfigMap/web" }, impossible), {
      maxLength: 6,
    })
    const parts = fc.record({
      server: fc.constantFrom("cluster", "merge"),
      objects: fc.constantFrom([], [config("old")], [config("a", "a"), config("b", "b")]),
    })
    const shownOf = (course: Course | undefined) => [
      course?.problem,
      course?.results.map(({ step }) => [step.outcome, step.after, step.changes]),
      course?.simulation.objects,
    ]
    // Most scenes differ in their steps alone.
    const scenes = fc.tuple(fc.array(parts, { minLength: 2, maxLength: 2 }), fc.array(fc.tuple(fc.nat(9), steps)))
    await fc.assert(
      fc.asyncProperty(scenes, async ([[usual, other], list]) => {
        const player = new Player()
        for (const [choice, steps] of list) {
          const scene = sceneWith(steps as StoryStep[], (choice === 0 ? other : usual) as Partial<Scene>)
          expect(shownOf(await player.play(scene, types))).toEqual(shownOf(await new Player().play(scene, types)))
        }
      }),
      runs(60),
    )
  })
})

describe("the change of a scene", () => {
  it("has the parts that differ, and only the steps after the common ones", () => {
    const before = sceneWith([red, blue, green])
    const after = { ...before, title: "Another", steps: [red, blue, blue, green] }
    expect(changeOf(before, after)).toEqual({ title: "Another", steps: { kept: 2, added: [blue, green] } })
    expect(changeOf(before, { ...before })).toEqual({})
    expect(changeOf(before, { ...before, steps: [red] })).toEqual({ steps: { kept: 1, added: [] } })
    expect(changeOf(before, { ...before, draft: undefined })).toEqual({ draft: undefined })
  })

  it("leads from one scene to the other, and keeps what both share", () => {
    const anyScene = fc
      .record({ title: fc.constantFrom("a", "b"), at: fc.nat(3), server: fc.constantFrom("cluster", "merge") })
      .chain(parts =>
        fc.array(fc.constantFrom(red, blue, green)).map(steps => sceneWith(steps, parts as Partial<Scene>)),
      )
    fc.assert(
      fc.property(anyScene, anyScene, (before, after) => {
        const result = changed(before, changeOf(before, after))
        expect(result).toEqual(after)
        result.steps.forEach((step, i) => {
          expect(step).toBe(after.steps[i])
        })
        expect(changeOf(result, changed(result, {}))).toEqual({})
      }),
      runs(400),
    )
  })
})
