import { describe, expect, it } from "vitest"
import { kubernetesTypes } from "../../../src/kubernetes/types.js"
import { simulate } from "../../../src/tools/simulator/simulation/simulation.js"
import { runStory } from "../../../src/tools/simulator/story/run-story.js"
import { readStory } from "../../../src/tools/simulator/story/story.js"

const map = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data })

describe("an apply of a tool in a simulation", () => {
  it("has the steps and the message of the tool", () => {
    const simulation = simulate({ types: kubernetesTypes })
    simulation.create("helm", map({ color: "red", size: "1" }))
    const plain = simulation.fork().apply("helm", map({ color: "red" }), { force: true })
    expect(plain.changes.map(({ path }) => path)).toEqual([])
    const step = simulation.apply("helm", map({ color: "red" }), { as: "helm" })
    expect([step.outcome, step.changes.map(({ path }) => path)]).toEqual([
      "changed",
      [".data.size", ".metadata.labels"],
    ])
    expect(step.ownership.map(({ owner, keeps }) => [owner.operation, keeps])).toEqual([
      ["Apply", 2],
      ["Update", 0],
    ])
  })

  it("is not sent if the tool leaves the object alone", () => {
    const simulation = simulate({ types: kubernetesTypes })
    const ignored = {
      ...map({ color: "red" }),
      metadata: { name: "web", labels: { "kustomize.toolkit.fluxcd.io/ssa": "Ignore" } },
    }
    simulation.apply("ann", map({ color: "blue" }))
    const step = simulation.apply("kustomize-controller", ignored, { as: "flux" })
    expect([step.outcome, step.after]).toEqual(["unchanged", step.before])
  })
})

describe("a story", () => {
  const story = (as: string) => `title: Helm 3 to 4
managers: {helm: {as: ${as}}}
steps:
- manager: helm
  create: {apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {color: red, size: "1"}}
- manager: helm
  apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {color: red}}
  expect: {absent: [.data.size], owners: {.data.color: helm}}
`

  it("names the tool of a manager", () => {
    const { steps } = runStory(readStory(story("helm")), { types: kubernetesTypes })
    expect(steps.flatMap(({ failures }) => failures)).toEqual([])
  })

  it("must not name an unknown tool", () => {
    expect(() => readStory(story("hlem"))).toThrow(/must be helm, kubectl, .*; did you mean helm/)
  })
})
