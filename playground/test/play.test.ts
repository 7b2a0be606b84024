import { readdirSync, readFileSync } from "node:fs"
import { parseYaml } from "structured-merge-diff/io"
import { readStory } from "structured-merge-diff/simulator"
import { ownedObject } from "structured-merge-diff/view"
import { describe, expect, it } from "vitest"
import { type Course, changedPaths, Player, previewDraft, resolveDraft } from "../src/play.js"
import { sceneOf } from "../src/scene.js"
import { fromFragment, toFragment } from "../src/share.js"
import { emptyState, type State } from "../src/state.js"
import { stateOfStory, storyText } from "../src/stories.js"
import { builtInTypes } from "../src/types.js"

const folder = new URL("../../examples/stories/", import.meta.url)
const names = readdirSync(folder, { withFileTypes: true }).flatMap(entry => (entry.isDirectory() ? [entry.name] : []))
const storyOf = (name: string) => readFileSync(new URL(`${name}/story.yaml`, folder), "utf8")

const types = builtInTypes(false)

const playCourse = async (state: State) => (await new Player().play(sceneOf(state), types)) as Course

describe.each(names)("the story %s", name => {
  it("plays as expected, also from a link and from the downloaded file", async () => {
    const state = stateOfStory(storyOf(name))
    const linked = (await fromFragment(await toFragment(state), stateOfStory)) as State
    const ends = [state, linked, stateOfStory(storyText(sceneOf(state)))].map(async given => {
      const { results, problem, simulation } = await playCourse(given)
      expect(problem).toBeUndefined()
      expect(results.flatMap(({ failures }) => failures.map(({ message }) => message))).toEqual([])
      return simulation.objects
    })
    const [end, ...others] = await Promise.all(ends)
    expect(others).toEqual([end, end])
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

  it("is played up to its first problem", async () => {
    const course = await playCourse({ ...emptyState, branches: [{ name: "main", steps, at: 2 }] })
    expect(course.results.map(({ step }) => step.outcome)).toEqual(["created"])
    expect(course.problem).toContain("Nowhere")
  })

  it.each<[Partial<State>, string]>([
    [{ types: "kind: [" }, "line 1, column 8: "],
    [{ types: "kind: Pod" }, "expected a CustomResourceDefinition or an OpenAPI document, got Pod"],
  ])("plays nothing with %j, and says why", async (parts, why) => {
    const branches = [{ name: "main", steps: steps.slice(0, 1), at: 1 }]
    const { problem, results } = await playCourse({ ...emptyState, ...parts, branches })
    expect([results, problem]).toEqual([[], expect.stringContaining(why)])
  })

  it("ignores managers that are not a map", async () => {
    const branches = [{ name: "main", steps: steps.slice(0, 1), at: 1 }]
    const rest = { managers: 7 } as unknown as State["rest"]
    const { problem, results } = await playCourse({ ...emptyState, rest, branches })
    expect([results.length, problem]).toEqual([1, undefined])
  })

  it("explains the conflict of a Scale", async () => {
    const spec = {
      replicas: 1,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    }
    const web = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec }
    const branches = [{ name: "main", steps: [{ manager: "me", apply: web }] as unknown as typeof steps, at: 1 }]
    const course = await playCourse({ ...emptyState, branches })
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "web" }, spec: { replicas: 5 } }
    const draft = {
      manager: "hpa",
      verb: "apply",
      force: false,
      subresource: "scale",
      text: JSON.stringify(scale),
    } as const
    const { step, storyStep, explanation } = previewDraft(course, 1, draft)
    expect([step?.outcome, storyStep, explanation?.conflicts]).toMatchObject([
      "conflict",
      { apply: scale },
      [{ path: ".spec.replicas" }],
    ])
    expect(resolveDraft(course, 1, draft, "share")?.text).toContain('"replicas":1')
  })

  it("reports the problem of a draft", async () => {
    const draft = { manager: "me", verb: "apply", force: false, subresource: "" } as const
    const course = await playCourse(emptyState)
    expect(previewDraft(course, 0, { ...draft, text: "a: [" }).problem).toContain("line 1")
    expect(previewDraft(course, 0, { ...draft, text: "- 1" }).problem).toContain("apiVersion")
    expect(previewDraft(course, 0, { ...draft, text: "" })).toEqual({})
    expect(previewDraft(course, 0, { ...draft, manager: "", text: JSON.stringify(config) }).step?.outcome).toBe("error")
  })
})

describe("the changed paths", () => {
  it("are those of the changed fields and of all fields in them, not of others with the same beginning", async () => {
    const pod = (spec: object) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec })
    const container = (name: string, image: string) => ({ name, image, args: [image] })
    const before = { containers: [container("a", "x"), container("ab", "x")], hostname: "b", hostnameOverride: "c" }
    const after = {
      ...before,
      containers: [container("a", "x"), container("ab", "y"), container("c", "z")],
      hostname: "d",
    }
    const steps = [
      { manager: "me", apply: pod(before) },
      { manager: "me", apply: pod(after) },
    ]
    const { results } = await playCourse({ ...emptyState, server: "merge", branches: [{ name: "main", steps, at: 2 }] })
    const step = results[1]?.step
    const object = step?.after && ownedObject(step.after, { types: types.finder })
    const below = (name: string, ...fields: string[]) => fields.map(field => `.spec.containers[name="${name}"]${field}`)
    expect([...changedPaths(step, object)].sort()).toEqual([
      ...below("ab", ".args", ".image"),
      ...below("c", "", ".args", ".image", ".name"),
      ".spec.hostname",
    ])
    expect(changedPaths(results[0]?.step, object).size).toBe(0)
  })
})
