/** Nobody can change the history of a simulation, neither through its inputs nor through its results. Values that cannot be copied are refused. */
import { describe, expect, it } from "vitest"
import { kubernetesTypes } from "../../../src/kubernetes/types.js"
import { deducedTypes } from "../../../src/managedfields/types/object-types.js"
import { changeApiVersion } from "../../../src/managedfields/types/version-converter.js"
import { contend } from "../../../src/tools/simulator/search/contend.js"
import { explore } from "../../../src/tools/simulator/search/explore.js"
import { permute } from "../../../src/tools/simulator/search/permute.js"
import { deepFreeze, frozenCopy } from "../../../src/tools/simulator/simulation/frozen-copy.js"
import type { SimulationRequest } from "../../../src/tools/simulator/simulation/request.js"
import { fromJSON, type Simulation, simulate } from "../../../src/tools/simulator/simulation/simulation.js"
import { runStory } from "../../../src/tools/simulator/story/run-story.js"
import type { Story } from "../../../src/tools/simulator/story/story.js"
import type { MapValue, Value } from "../../../src/value/value.js"
import { configMap } from "../../support/config-map.js"
import { definitionOf } from "../../support/definition.js"
import { vandalize } from "../../support/vandal.js"

const types = kubernetesTypes
/** Everything that can be seen of a simulation, as text. */
function seen(simulation: Simulation): string {
  const states = Array.from({ length: simulation.length + 1 }, (_, i) => simulation.at(i).objects)
  return JSON.stringify([simulation.toJSON(), simulation.steps, states, simulation.diff(0, simulation.length)])
}

/** A simulation with every kind of request and outcome, and all its inputs. */
function played(): { readonly simulation: Simulation; readonly given: readonly unknown[] } {
  const given: unknown[] = []
  const give = <T>(value: T): T => {
    given.push(value)
    return value
  }
  const options = give({ types, objects: give([configMap("a", { x: "1" })]), schemas: { later: { types } } })
  const simulation = simulate(options)
  simulation.apply("ann", give(configMap("a", { y: "1" })))
  simulation.apply("bob", give(configMap("a", { y: "2" })))
  simulation.apply("bob", give(configMap("a", { y: "2" })), { onConflict: () => "overwrite" })
  simulation.apply("ann", give(configMap("a", { y: "3", z: "3" })), { onConflict: "relinquish" })
  const labels = give({ team: "web" })
  simulation.update("cleo", (live: { metadata: { labels?: object } }) => void (live.metadata.labels = labels))
  simulation.update("cleo", () => give(configMap("a", { whole: "1" })))
  simulation.update("cleo", give(configMap("a", { whole: "2" })))
  simulation.patch("dora", give({ data: { merge: "1" }, metadata: { annotations: { by: "dora" } } }))
  simulation.patch("dora", give([{ op: "add", path: "/data/json", value: "1" }]), { object: give({ name: "a" }) })
  simulation.create("emil", give(configMap("b", { x: "1" })))
  simulation.create("emil", give(configMap("b", { x: "1" })))
  simulation.changeSchema("later")
  simulation.delete(give({ kind: "ConfigMap", name: "b" }))
  simulation.delete("ConfigMap/b")
  return { simulation, given }
}

describe("history does not change", () => {
  it("when inputs change", () => {
    const { simulation, given } = played()
    const before = seen(simulation)
    vandalize(given)
    expect(seen(simulation)).toBe(before)
    expect(simulation.apply("late", configMap("a", { late: "1" })).outcome).toBe("changed")
  })

  it("when results change", () => {
    const { simulation } = played()
    const before = seen(simulation)
    const { steps } = simulation
    const results: readonly unknown[] = [
      steps,
      steps.map(step => ({ ...step })),
      steps.map(({ changes, ownership, unions }) => ({ changes, ownership, unions })),
      steps.map(step => step.toJSON()),
      simulation.objects,
      simulation.get(),
      simulation.now(),
      simulation.at(3).get(),
      simulation.at(3).objects,
      simulation.diff(0, simulation.length),
      simulation.toJSON(),
      simulation.fork().apply("ann", configMap("a", { fork: "1" })),
    ]
    vandalize(results)
    expect(seen(simulation)).toBe(before)
    expect(simulation.steps.map(step => Reflect.set(step, "outcome", "deleted"))).not.toContain(true)
    const data = simulation.toJSON()
    const again = fromJSON(data, { types, schemas: { later: { types } } })
    const replayed = JSON.stringify([again.toJSON(), again.objects])
    expect(replayed).toBe(JSON.stringify([simulation.toJSON(), simulation.objects]))
    vandalize(data)
    expect(JSON.stringify([again.toJSON(), again.objects])).toBe(replayed)
  })

  it("when functions of the user change their arguments and results", () => {
    const added = { by: "defaults" }
    const converted = { by: "converter" }
    const { convert } = changeApiVersion(deducedTypes)
    const simulation = simulate({
      types: deducedTypes,
      defaults: object => ({ ...object, added }),
      converter: { convert: (object, version) => ({ ...(convert(object, version) as MapValue), converted }) },
    })
    const thing = (version: string, spec: MapValue) => ({
      ...{ apiVersion: `example.org/${version}`, kind: "Thing", metadata: { name: "a" } },
      spec,
    })
    simulation.apply("ann", thing("v1", { size: 1 }))
    simulation.apply("ann", thing("v2", { size: 2 }))
    simulation.apply("bob", thing("v1", { size: 3, color: "red" }), {
      onConflict: conflict => {
        vandalize(conflict)
        return "overwrite"
      },
    })
    let parts: unknown
    simulation.update("cleo", (live: { spec: MapValue }) => {
      parts = { ...live.spec, parts: [{ name: "a" }] }
      live.spec = parts as MapValue
    })
    simulation.controller("dora", now => {
      vandalize(now.objects)
      vandalize(now.get())
      return { patch: { spec: { settled: true } } }
    })
    simulation.settle()
    const before = seen(simulation)
    expect(before).toContain('"by":"defaults"')
    expect(before).toContain('"by":"converter"')
    expect(before).not.toContain("vandal")
    expect([added, converted].map(value => Object.isFrozen(value))).toEqual([false, false])
    vandalize([added, converted, parts])
    expect(seen(simulation)).toBe(before)
  })

  it("in stories, contentions, permutations and explorations", () => {
    const { simulation } = played()
    const before = seen(simulation)
    simulation.controller("x", () => ({ apply: configMap("a", { fight: "1" }), force: true }))
    simulation.controller("y", () => ({ patch: { data: { fight: "2" } }, object: "ConfigMap/a" }))
    const requests: SimulationRequest[] = ["1", "2", "3"].map(manager => ({
      manager,
      apply: configMap("a", { [`k${Number(manager) % 2}`]: manager }),
    }))
    const contention = contend(simulation)
    const permutation = permute(simulation, requests)
    const exploration = explore(simulation, {
      managers: ["m"],
      actions: requests,
      depth: 2,
      holds: step => {
        vandalize({ ...step })
        return step.outcome !== "conflict"
      },
    })
    expect(contention.fights.map(({ path }) => path)).toEqual([".data.fight"])
    expect([permutation.differs.length > 0, exploration.story?.length]).toEqual([true, 2])
    const steps = [...permutation.outcomes.flatMap(outcome => outcome.steps), ...(exploration.story ?? [])]
    vandalize([contention, permutation, exploration, requests, steps.map(step => ({ ...step }))])
    expect(seen(simulation)).toBe(before)
    expect(contend(simulation).fights.map(({ path }) => path)).toEqual([".data.fight"])
  })

  it("when its story changes", () => {
    const definition = definitionOf("Thing", {
      ...{ group: "example.org", version: { subresources: { status: {} } } },
      schema: { "x-kubernetes-preserve-unknown-fields": true },
    })
    const thing = { apiVersion: "example.org/v1", kind: "Thing", metadata: { name: "a" } }
    const config = { ...thing, spec: { size: 1 } }
    const story: Story = {
      title: "x",
      definitions: [definition],
      schemas: { later: { definitions: [definition] } },
      defaults: [{ ...thing, spec: { color: "red" } }],
      managers: { ann: { force: true }, bob: {} },
      steps: [
        { manager: "ann", apply: config, expect: { values: { ".spec.color": "red" } } },
        {
          manager: "bob",
          apply: { ...config, spec: { size: 2 } },
          expect: { conflicts: [{ field: ".spec.size", with: "ann" }] },
        },
        { changeSchema: "later" },
      ],
    }
    const result = runStory(story)
    const text = () => JSON.stringify([result.story, result.steps, result.passed, seen(result.simulation)])
    const before = text()
    vandalize(story)
    expect(text()).toBe(before)
    const played = seen(result.simulation)
    vandalize([result.story, result.steps])
    expect(seen(result.simulation)).toBe(played)
    // The definition still decides what a request can't write, and the defaults still fill in their fields.
    const step = result.simulation.create("cleo", {
      ...thing,
      metadata: { name: "b" },
      spec: {},
      status: { ready: true },
    })
    expect(step.after).toMatchObject({ spec: { color: "red" } })
    expect(step.after).not.toHaveProperty("status")
  })

  it("and shares unchanged parts", () => {
    const simulation = simulate({ types, objects: [configMap("a", { x: "1" })] })
    const config = configMap("a", { y: "1" })
    const step = simulation.apply("ann", config)
    expect(simulation.get()).toBe(step.after)
    expect(simulation.apply("ann", config).after).toBe(step.after)
    expect(simulation.at(0).get()).toBe(step.before)
    expect(Object.isFrozen(config)).toBe(false)
  })
})

describe("a frozen copy", () => {
  it.each<[string, Value, Value]>([
    ["the same", { a: [1, { b: null }] }, { a: [1, { b: null }] }],
    ["a part", { a: { b: 1 }, c: 2 }, { a: { b: 1 }, c: 3 }],
    ["items of a longer list", [{ a: 1 }, { b: 1 }], [{ a: 1 }]],
    ["nothing", { a: 1 }, "a"],
    ["a list and a map", { a: [] }, { a: {} }],
    ["another order of keys", { a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }],
    ["a number with other digits", { a: { b: 0 } }, { a: { b: -0 } }],
    ["a bigint", { a: { b: 1n } }, { a: { b: 1 } }],
    ["odd keys", JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Value, {}],
  ])("is the same, whatever it has in common: %s", (_, value, known) => {
    const made = frozenCopy(value, deepFreeze(known))
    expect(made).toStrictEqual(value)
    const keys = (one: Value | undefined): unknown => (typeof one === "object" && one !== null ? Object.keys(one) : [])
    expect(keys((made as MapValue).a)).toEqual(keys((value as MapValue).a))
    expect(Object.isFrozen(made)).toBe(true)
  })

  it("shares equal parts", () => {
    const known = deepFreeze({ a: { b: [1] }, c: { d: 1 }, list: [{ n: 1 }, { n: 2 }] })
    const made = frozenCopy({ a: { b: [1] }, c: { d: 2 }, list: [{ n: 1 }, { n: 3 }] }, known)
    expect(made.a).toBe(known.a)
    expect(made.list[0]).toBe(known.list[0])
    expect(frozenCopy({ a: { b: [1] }, c: { d: 1 }, list: [{ n: 1 }, { n: 2 }] }, known)).toBe(known)
    expect(frozenCopy(made)).toBe(made)
  })

  it("is a copy if only the outermost value is frozen", () => {
    const value = Object.freeze({ a: { b: 1 }, list: Object.freeze([{ c: 1 }]) })
    const made = frozenCopy(value)
    value.a.b = 2
    Object.assign(value.list[0] as object, { c: 2 })
    expect(made).toEqual({ a: { b: 1 }, list: [{ c: 1 }] })
  })
})

describe("a value that cannot be copied", () => {
  const map = configMap("a", { x: "1" })
  const deep = (levels: number): Value => (levels === 0 ? 1 : { a: deep(levels - 1) })
  const cyclic = (): MapValue => {
    const made: Record<string, Value> = { ...map }
    made.data = { self: [made] }
    return made
  }
  type Live = Record<string, MapValue>
  const cycle = ": expected JSON, got a value that contains itself"
  const rows: readonly (readonly [string, (simulation: Simulation) => unknown, string])[] = [
    [
      "a recipe that puts the object into itself",
      s => s.update("m", (live: Live) => void (live.self = live)),
      `.self${cycle}`,
    ],
    [
      "a recipe that puts a part into itself",
      s => s.update("m", (live: Live) => void ((live.data as Live).self = live.data as MapValue)),
      `.data.self${cycle}`,
    ],
    ["a recipe that returns a cycle", s => s.update("m", cyclic), `.data.self[0]${cycle}`],
    ["an apply", s => s.apply("m", cyclic()), `.data.self[0]${cycle}`],
    ["an apply that decides conflicts", s => s.apply("m", cyclic(), { onConflict: "share" }), `.data.self[0]${cycle}`],
    ["an update", s => s.update("m", cyclic()), `.data.self[0]${cycle}`],
    ["a create", s => s.create("m", cyclic()), `.data.self[0]${cycle}`],
    ["a merge patch", s => s.patch("m", cyclic()), `.data.self[0]${cycle}`],
    ["a JSON patch", s => s.patch("m", [{ op: "add", path: "/x", value: cyclic() }]), `[0].value.data.self[0]${cycle}`],
    ["an object at the start", () => simulate({ types: deducedTypes, objects: [cyclic()] }), `.data.self[0]${cycle}`],
    [
      "a deep apply",
      s => s.apply("m", { ...map, data: deep(1000) }),
      ".data.a.a.a.a: value nests deeper than 1000 levels",
    ],
    [
      "a deep recipe",
      s => s.update("m", (live: Record<string, Value>) => void (live.data = deep(2000))),
      ".data.a.a.a.a: value nests deeper than 1000 levels",
    ],
    [
      "a recipe too deep for immer",
      s => s.update("m", () => ({ ...map, data: wide(200_000) })),
      "value nests deeper than 1000 levels, or contains itself",
    ],
  ]
  /** As deep as necessary, built without recursion. */
  const wide = (levels: number): Value => Array.from({ length: levels }).reduce<Value>(inner => ({ a: inner }), 1)

  it.each(rows)("is refused with its place, and no step is made: %s", (_, request, message) => {
    const simulation = simulate({ types: deducedTypes, objects: [map] })
    expect(() => request(simulation)).toThrow(expect.objectContaining({ name: "ValidationError", message }))
    expect(simulation.length).toBe(0)
    expect(simulation.apply("n", configMap("a", { y: "1" })).outcome).toBe("changed")
    expect(JSON.parse(JSON.stringify(simulation)).requests).toHaveLength(1)
  })

  it("is refused in the answer of a patch", () => {
    const simulation = simulate({ types: deducedTypes, objects: [{ ...map, data: deep(600) as MapValue }] })
    const step = simulation.patch("m", [{ op: "copy", from: "/data", path: `/data${"/a".repeat(599)}/b` }])
    expect([step.outcome, step.error?.message]).toEqual([
      "error",
      expect.stringContaining("nests deeper than 1000 levels"),
    ])
    expect(simulation.get()).toBe(simulation.at(0).get())
  })

  it("may have 1,000 levels", () => {
    const simulation = simulate({ types: deducedTypes, objects: [map] })
    expect(simulation.apply("m", configMap("a", { deep: deep(998) })).outcome).toBe("changed")
    expect(simulation.patch("n", { data: { x: "2" } }).outcome).toBe("changed")
  })
})
