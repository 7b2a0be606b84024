import { readdirSync, readFileSync } from "node:fs"
import { parseYaml } from "structured-merge-diff/io"
import { readStory } from "structured-merge-diff/simulator"
import { beforeAll, describe, expect, it } from "vitest"
import { playCourse, previewDraft } from "../src/play.js"
import { fromFragment, toFragment } from "../src/share.js"
import { emptyState, type State } from "../src/store.js"
import { stateOfStory, storyText } from "../src/stories.js"
import { builtInTypes, type Types } from "../src/types.js"

const folder = new URL("../../examples/stories/", import.meta.url)
const names = readdirSync(folder, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
const storyOf = (name: string) => readFileSync(new URL(`${name}/story.yaml`, folder), "utf8")

let types: Types
beforeAll(async () => {
  types = await builtInTypes(false)
})

describe.each(names)("the story %s", name => {
  it("plays as expected, also from a link and from the downloaded file", async () => {
    const state = stateOfStory(storyOf(name))
    const ends = [state, await fromFragment(await toFragment(state)), stateOfStory(storyText(state))].map(given => {
      const { results, problem, simulation } = playCourse(given as State, types)
      expect(problem).toBeUndefined()
      expect(results.flatMap(({ failures }) => failures.map(({ message }) => message))).toEqual([])
      return simulation.objects
    })
    expect(ends[1]).toEqual(ends[0])
    expect(ends[2]).toEqual(ends[0])
  })

  it("has the texts of its managers", () => {
    const { drafts } = stateOfStory(storyOf(name))
    const { steps } = readStory(storyOf(name)).story
    for (const { manager, verb, text } of drafts) {
      const written = steps.filter(step => "manager" in step && step.manager === manager && verb in step)
      const values = written.map(step => (step as unknown as Record<string, unknown>)[verb])
      expect(values).toContainEqual(parseYaml(text))
    }
  })
})

describe("a wrong state", () => {
  const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } }
  const steps = [
    { manager: "me", apply: config },
    { manager: "me", patch: {}, object: "Nowhere" },
  ] as unknown as State["branches"][0]["steps"]

  it("is played up to its first problem", () => {
    const course = playCourse({ ...emptyState, branches: [{ name: "main", steps, at: 2 }] }, types)
    expect(course.results.map(({ step }) => step.outcome)).toEqual(["created"])
    expect(course.problem).toContain("Nowhere")
  })

  it.each<[Partial<State>, string]>([
    [{ types: "kind: [" }, "line 1, column 8: "],
    [{ types: "kind: Pod" }, "expected a CustomResourceDefinition or an OpenAPI document, got Pod"],
  ])("plays nothing with %j, and says why", (parts, why) => {
    const branches = [{ name: "main", steps: steps.slice(0, 1), at: 1 }]
    const { problem, results } = playCourse({ ...emptyState, ...parts, branches }, types)
    expect([results, problem]).toEqual([[], expect.stringContaining(why)])
  })

  it("ignores managers that are not a map", () => {
    const branches = [{ name: "main", steps: steps.slice(0, 1), at: 1 }]
    const rest = { managers: 7 } as unknown as State["rest"]
    const { problem, results } = playCourse({ ...emptyState, rest, branches }, types)
    expect([results.length, problem]).toEqual([1, undefined])
  })

  it("reports the problem of a draft", () => {
    const draft = { manager: "me", verb: "apply", force: false, subresource: "" } as const
    const course = playCourse(emptyState, types)
    expect(previewDraft(course, 0, { ...draft, text: "a: [" }).problem).toContain("line 1")
    expect(previewDraft(course, 0, { ...draft, text: "- 1" }).problem).toContain("apiVersion")
    expect(previewDraft(course, 0, { ...draft, text: "" })).toEqual({})
    expect(previewDraft(course, 0, { ...draft, manager: "", text: JSON.stringify(config) }).step?.outcome).toBe("error")
  })
})
