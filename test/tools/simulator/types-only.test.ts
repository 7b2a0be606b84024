/** Kinds of which only the types are known: requests merge objects and track owners, and do nothing else. */
import { beforeAll, describe, expect, it } from "vitest"
import { kubernetes } from "../../../src/kinds/kubernetes.js"
import { loadCel } from "../../../src/kinds/rules/library.js"
import { withoutManagedFields } from "../../../src/managedfields/entries/entry.js"
import { explain } from "../../../src/tools/ownership/explain.js"
import { simulate } from "../../../src/tools/simulator/simulation/simulation.js"
import { runStory } from "../../../src/tools/simulator/story/run-story.js"
import type { StoryStep } from "../../../src/tools/simulator/story/story.js"
import type { MapValue } from "../../../src/value/value.js"
import { gauge, gauges } from "../../support/reported.js"

beforeAll(loadCel)

const deployment = (spec: object) => ({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec })
const container = { name: "web", image: "web:1" }
const values = (object: MapValue | undefined) => {
  const { metadata, ...rest } = withoutManagedFields(object as MapValue)
  const { resourceVersion: _, ...named } = metadata as MapValue
  return { ...rest, metadata: named }
}

describe("a simulation of types only", () => {
  it("adds nothing to a new object, and owns all that is applied", () => {
    const config = { ...deployment({ template: { spec: { containers: [container] } } }), status: { replicas: 3 } }
    const { outcome, after, ownership } = simulate({ types: kubernetes.typesOnly() }).apply("me", config)
    expect([outcome, values(after)]).toEqual(["created", config])
    expect(ownership.flatMap(({ gained }) => gained.map(({ path }) => path))).toContain(".status.replicas")
    expect(simulate({ types: kubernetes }).apply("me", config).outcome).toBe("error")
  })

  it("lets immutable fields change, and deletes what nobody applies any longer", () => {
    const simulation = simulate({ types: kubernetes.typesOnly() })
    simulation.apply("me", deployment({ replicas: 3, selector: { matchLabels: { app: "a" } } }))
    const { outcome, after } = simulation.apply("me", deployment({ selector: { matchLabels: { app: "b" } } }))
    expect([outcome, after?.spec]).toEqual(["changed", { selector: { matchLabels: { app: "b" } } }])
  })

  it("has conflicts, which explain finds too", () => {
    const simulation = simulate({ types: kubernetes.typesOnly() })
    simulation.apply("me", deployment({ replicas: 3 }))
    simulation.patch("scaler", { spec: { replicas: 5 } }, { subresource: "scale" })
    const config = deployment({ replicas: 4 })
    const { conflicts } = simulation.apply("me", config)
    expect(conflicts).toMatchObject([{ path: ".spec.replicas", owner: { manager: "scaler", subresource: "scale" } }])
    const found = explain(simulation.get(), config, { types: simulation.types, manager: "me" })
    expect(found.conflicts.map(({ path }) => path)).toEqual([".spec.replicas"])
    expect(found.findings).toEqual([])
  })

  it.each(["off", "extended"] as const)("has neither defaults nor rules of definitions, with unions %s", unions => {
    const steps: StoryStep[] = [{ manager: "me", apply: gauge({ low: 20 }) }]
    const story = { title: "x", definitions: [gauges], unions, steps }
    const played = (types: typeof kubernetes) => runStory(story, { types }).simulation
    expect(played(kubernetes).steps[0]?.error?.code).toBe(422)
    expect(played(kubernetes.typesOnly()).get()?.spec).toEqual({ wired: "a", low: 20 })
  })
})

it("explains with the types of a simulation as the simulation answers, also with unions", () => {
  const unions = "extended"
  const simulation = simulate({ types: kubernetes.with([gauges]), unions })
  simulation.apply("me", gauge({ low: 1 }))
  simulation.apply("you", gauge({ low: 1, high: 5 }))
  const config = gauge({ low: 20, high: 5 })
  const { conflicts } = explain(simulation.get(), config, { types: simulation.types, unions, manager: "me" })
  const { error } = simulation.apply("me", config, { force: true })
  expect(conflicts.map(({ ways }) => ways.overwrite.reason)).toEqual([`not even force helps: ${error?.message}`])
})
