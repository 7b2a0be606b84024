import { describe, expect, it } from "vitest"
import { pathOf } from "../../../src/fieldpath/path.js"
import { kubernetesTypes } from "../../../src/kubernetes/types.js"
import { contend, contention } from "../../../src/tools/simulator/search/contend.js"
import { explore } from "../../../src/tools/simulator/search/explore.js"
import { leaveOut } from "../../../src/tools/simulator/search/leave-out.js"
import { permute } from "../../../src/tools/simulator/search/permute.js"
import { type Simulation, simulate } from "../../../src/tools/simulator/simulation/simulation.js"
import type { Step } from "../../../src/tools/simulator/simulation/step.js"
import type { MapValue } from "../../../src/value/value.js"
import { Random } from "../../fuzz/random.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { wholeDeployment } from "../../support/deployment.js"

const web = deepFreeze({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } })
const map = deepFreeze({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "m" } })
const data = (fields: Record<string, string>) => deepFreeze({ ...map, data: fields })

const statusReplicas = pathOf("status", "replicas")

function start(...objects: readonly object[]) {
  return simulate({ types: kubernetesTypes, objects })
}

describe("controllers", () => {
  it("react until nothing changes", () => {
    const simulation = start(data({ wanted: "2" }))
      .controller("writer", now => {
        const { data = {} } = (now.get() ?? {}) as { data?: Record<string, string> }
        const count = Number(data.count ?? 0)
        return count < Number(data.wanted) ? { patch: { data: { count: `${count + 1}` } } } : undefined
      })
      .controller("mirror", now => {
        const { data = {} } = (now.get() ?? {}) as { data?: Record<string, string> }
        return data.count === undefined ? [] : [{ patch: { data: { seen: data.count } } }]
      })
    const settled = simulation.settle()
    expect([settled.settled, settled.rounds, settled.steps.length]).toEqual([true, 3, 5])
    expect(settled.steps.map(({ manager }) => manager)).toEqual(["writer", "mirror", "writer", "mirror", "mirror"])
    expect(simulation.get()).toMatchObject({ data: { count: "2", seen: "2" } })
    expect(simulation.settle().rounds).toBe(1)
  })

  it("stop after the allowed number of rounds", () => {
    const simulation = start(data({})).controller("x", now => ({ patch: { data: { step: `${now.step}` } } }))
    expect(simulation.settle({ rounds: 5 })).toMatchObject({ settled: false, rounds: 5 })
    expect(simulation.length).toBe(5)
  })

  it.each<[string, (simulation: Simulation) => unknown, string]>([
    ["settle", simulation => simulation.settle(), "return requests from reconcile instead"],
    ["settle, when called by contend", simulation => simulation.settle(), "return requests from reconcile instead"],
    [
      "settle a fork each time",
      simulation => simulation.fork().settle(),
      'controller "x" plays a fork that calls this controller again',
    ],
    [
      "contend each time",
      simulation => contend(simulation),
      'controller "x" plays a fork that calls this controller again',
    ],
  ])("must not %s while they are called", (what, play, message) => {
    const simulation = start(data({ a: "1" }))
    let isReady = false
    simulation.controller("x", () => {
      if (!isReady) play(simulation)
      return { patch: { data: { b: "1" } } }
    })
    const begin = () => (what.endsWith("contend") ? contend(simulation) : simulation.settle())
    expect(begin).toThrow(expect.objectContaining({ name: "TypeError", message: expect.stringContaining(message) }))
    expect(simulation.length).toBe(0)
    isReady = true
    expect(simulation.settle()).toMatchObject({ settled: true, rounds: 2 })
  })

  it("may look ahead in a fork, which calls them again", () => {
    const simulation = start(data({ a: "1" }))
    let isAhead = false
    simulation
      .controller("x", () => {
        if (isAhead) return undefined
        isAhead = true
        const ahead = simulation.fork()
        ahead.settle()
        isAhead = false
        return { patch: { data: { seen: `${Object.keys((ahead.get() as { data: object }).data)}` } } }
      })
      .controller("y", () => ({ patch: { data: { b: "1" } } }))
    expect(simulation.settle().settled).toBe(true)
    expect(simulation.get()).toMatchObject({ data: { a: "1", b: "1", seen: "a,seen,b" } })
  })

  it.each<[string, (simulation: Simulation) => unknown]>([
    ["play a request", simulation => simulation.apply("y", data({ b: "1" }))],
    ["undo a step", simulation => simulation.undo()],
    ["settle", simulation => simulation.settle()],
  ])("and recipes must not %s in the middle of a request", (_, change) => {
    const simulation = start(data({ a: "1" })).controller("x", () => ({ patch: { data: { b: "1" } } }))
    const message = "a function of a request can't change the simulation that plays the request"
    expect(() => simulation.update("y", () => void change(simulation))).toThrow(new TypeError(message))
    const onConflict = (): "share" => {
      change(simulation)
      return "share"
    }
    simulation.apply("y", data({ c: "1" }))
    expect(() => simulation.apply("z", data({ c: "2" }), { onConflict })).toThrow(new TypeError(message))
    expect([simulation.length, simulation.steps.map(({ index }) => index)]).toEqual([1, [1]])
    expect(simulation.settle().settled).toBe(true)
  })

  it("may play a fork in the middle of a request, which has its own time", () => {
    const simulation = start(data({ a: "1" }))
    let ahead: Step | undefined
    simulation.apply("ann", data({ c: "1" }))
    const step = simulation.apply("bob", data({ c: "2" }), {
      onConflict: () => {
        ahead = simulation.fork().apply("cleo", data({ d: "1" }), { time: "2030-01-01T00:00:00Z" })
        return "overwrite"
      },
    })
    expect(ahead?.request).toMatchObject({ manager: "cleo" })
    expect(step.request).toMatchObject({ manager: "bob", force: true })
    expect(step.ownership.map(({ owner }) => [owner.manager, owner.time])).toEqual([
      ["bob", "2026-01-01T00:02:00Z"],
      ["ann", "2026-01-01T00:01:00Z"],
    ])
  })

  it("may send requests as another manager, and work in a fork", () => {
    const simulation = start().controller("x", () => ({ manager: "y", create: map }))
    const { steps } = simulation.fork().settle()
    expect(steps.map(({ manager, outcome }) => [manager, outcome])).toEqual([
      ["y", "created"],
      ["y", "error"],
    ])
    expect(simulation.length).toBe(0)
  })
})

describe("contend", () => {
  it("finds the managers that fight over a field, and those that could end the fight", () => {
    const simulation = start()
      .controller("gitops", () => ({ apply: wholeDeployment({ replicas: 3, paused: true }), force: true }))
      .controller("autoscaler", () => ({ patch: { spec: { replicas: 7 } }, object: "Deployment/web" }))
      .controller("status", () => ({
        patch: { status: { replicas: 7 } },
        object: "Deployment/web",
        subresource: "status",
      }))
    const { fights, settled, unsettled, rounds } = contend(simulation)
    expect(fights).toEqual([
      {
        target: { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "web" },
        path: ".spec.replicas",
        steps: ["f:spec", "f:replicas"],
        managers: ["autoscaler", "gitops"],
        period: 1,
        writesPerRound: 2,
        values: [3, 7],
        endedBy: ["autoscaler", "gitops"],
      },
    ])
    expect([settled, unsettled.length, rounds, simulation.length]).toEqual([false, 0, 2, 0])
  })

  it("finds nothing if everybody agrees, or if a conflict stops one of them", () => {
    const simulation = start()
      .controller("gitops", () => ({ apply: wholeDeployment({ replicas: 3 }) }))
      .controller("autoscaler", () => ({ patch: { spec: { replicas: 7 } }, object: "Deployment/web" }))
    expect(contend(simulation)).toEqual({ settled: true, rounds: 2, fights: [], unsettled: [] })
  })

  it("tells fights over two objects apart", () => {
    const named = (name: string, color: string) => ({ ...data({ color }), metadata: { name } })
    const simulation = start()
      .controller("x", () => ["m", "n"].map(name => ({ apply: named(name, "red"), force: true })))
      .controller("y", () => ({ apply: named("m", "blue"), force: true }))
      .controller("z", () => ({ apply: named("n", "green"), force: true }))
    const { fights } = contend(simulation)
    expect(
      fights.map(({ target, managers, values, writesPerRound }) => [target.name, managers, values, writesPerRound]),
    ).toEqual([
      ["m", ["x", "y"], ["red", "blue"], 2],
      ["n", ["x", "z"], ["red", "green"], 2],
    ])
  })

  it("finds a fight between the creator and the deleter of an object", () => {
    const simulation = start()
      .controller("x", now => (now.get() === undefined ? { create: data({ a: "1" }) } : undefined))
      .controller("y", () => ({ delete: "ConfigMap/m" }))
    const { fights } = contend(simulation)
    expect(fights.map(({ path, managers, values }) => [path, managers, values])).toEqual([
      [".data.a", ["x", "y"], ["1"]],
    ])
  })

  it("finds managers that could end a fight by updates of a subresource", () => {
    const replicas = (count: number) => ({
      update: (live: { status?: object }) => void (live.status = { replicas: count, readyReplicas: 1 }),
      object: "Deployment/web",
      subresource: "status",
    })
    const simulation = start(web)
      .controller("x", () => replicas(1))
      .controller("y", () => replicas(2))
    const leave = leaveOut(
      { manager: "x", ...replicas(1) },
      "Deployment.apps/default/web",
      statusReplicas,
      simulation.now(),
      kubernetesTypes,
    )
    expect(leave).toMatchObject({ manager: "x", update: { status: { readyReplicas: 1 } }, subresource: "status" })
    expect(contend(simulation).fights).toMatchObject([
      { path: ".status.replicas", managers: ["x", "y"], endedBy: ["x", "y"] },
    ])
  })

  it("finds owners that take turns while the value stays", () => {
    const simulation = start(data({ a: "1" }))
      .controller("x", () => ({ apply: data({ a: "1" }) }))
      .controller("y", now => {
        const managed = (now.get() as { metadata: { managedFields?: readonly object[] } }).metadata.managedFields ?? []
        return managed.length > 0 ? { patch: { metadata: { managedFields: [{}] } } } : undefined
      })
    const { fights } = contend(simulation)
    expect(fights.map(({ path, values, managers }) => [path, values, managers])).toContainEqual([
      ".data.a",
      ["1"],
      ["x", "y"],
    ])
  })

  it("finds a field that one manager changes back and forth, and the length of the cycle", () => {
    const simulation = start(data({ a: "0" })).controller("x", now => {
      const { a = "" } = (now.get() as { data: Record<string, string> }).data
      return { patch: { data: { a: `${(Number(a) + 1) % 3}` } } }
    })
    expect(contend(simulation).fights).toMatchObject([
      { path: ".data.a", managers: ["x"], period: 3, writesPerRound: 1, values: ["1", "2", "0"], endedBy: ["x"] },
    ])
  })

  it("finds a fight next to a counter that never stops", () => {
    const simulation = start(data({ a: "0", n: "0" }))
      .controller("counter", now => {
        const { n = "" } = (now.get() as { data: Record<string, string> }).data
        return { patch: { data: { n: `${Number(n) + 1}` } } }
      })
      .controller("x", () => ({ patch: { data: { a: "1" } } }))
      .controller("y", () => ({ patch: { data: { a: "2" } } }))
    const { fights, unsettled, rounds } = contend(simulation, { rounds: 20 })
    expect(fights.map(({ path, endedBy }) => [path, endedBy])).toEqual([[".data.a", ["x", "y"]]])
    expect(unsettled.map(({ path, managers }) => [path, managers])).toEqual([[".data.n", ["counter"]]])
    expect(rounds).toBe(20)
  })

  it("knows that one manager alone would not end a fight of three", () => {
    const simulation = start(data({ a: "0" }))
      .controller("x", () => ({ patch: { data: { a: "1" } } }))
      .controller("y", () => ({ patch: { data: { a: "2" } } }))
      .controller("z", () => ({ patch: [{ op: "replace", path: "/data/a", value: "3" }] }))
    expect(contend(simulation).fights).toMatchObject([{ managers: ["x", "y", "z"], endedBy: [] }])
  })

  it("finds a fight over an item of a list, and leaves out the whole item", () => {
    const container = (env: MapValue[]) => wholeDeployment({}, { env })
    const simulation = start()
      .controller("x", () => ({ apply: container([{ name: "A", value: "1" }]), force: true }))
      .controller("y", () => ({
        apply: container([
          { name: "A", value: "2" },
          { name: "B", value: "1" },
        ]),
        force: true,
      }))
      .controller("z", () => ({
        update: (live: {
          spec: { template: { spec: { containers: { env: { name: string; value: string }[] }[] } } }
        }) => {
          const env = live.spec.template.spec.containers[0]?.env ?? []
          env.splice(0, env.length, ...env.filter(({ name }) => name !== "B"))
        },
        object: "Deployment/web",
      }))
    const { fights } = contend(simulation)
    const found = fights.map(({ path, managers, endedBy }) => [
      path.replace('.spec.template.spec.containers[name="web"]', ""),
      managers,
      endedBy,
    ])
    expect(found).toContainEqual(['.env[name="A"].value', ["x", "y"], ["x", "y"]])
    expect(found).toContainEqual(['.env[name="B"].value', ["y", "z"], ["y", "z"]])
  })

  /** A fight over each of `count` objects, either between the same two controllers or between two for each. */
  function fights(count: number, areApart: boolean, onApply = () => {}): Simulation {
    const simulation = simulate({
      types: kubernetesTypes,
      defaults: object => {
        onApply()
        return object
      },
    })
    const apply = (i: number, value: string) => ({ apply: configMap(`m${i}`, { x: value }), force: true })
    const all = Array.from({ length: count }, (_, i) => i)
    for (const value of ["1", "2"]) {
      if (areApart) for (const i of all) simulation.controller(`c${value}-${i}`, () => apply(i, value))
      else simulation.controller(`c${value}`, () => all.map(i => apply(i, value)))
    }
    return simulation
  }
  const configMap = (name: string, fields: Record<string, string>) => ({ ...map, metadata: { name }, data: fields })

  it.each([true, false])(
    "tries to end fights over many objects in steps that grow with them: controllers apart %s",
    areApart => {
      const [few, many] = [5, 40].map(count => {
        let applies = 0
        const { fights: found } = contend(fights(count, areApart, () => applies++))
        expect(found.map(({ endedBy }) => endedBy.length)).toEqual(Array.from({ length: count }, () => 2))
        return applies
      })
      expect(many).toBe((few as number) * 8)
    },
  )

  it("has the same result as trying every way alone, whatever controllers read", () => {
    let several = 0
    for (let story = 0; story < 60; story++) {
      const random = new Random(1, "contend", story)
      const names = ["a", "b", "c", "d"]
      const simulation = start(...names.map(name => configMap(name, { x: "0" })))
      for (const manager of ["p", "q", "r"]) {
        const rules = names
          .filter(() => random.chance(0.6))
          .map(name => ({ name, read: random.pick([...names, "", "*"]), value: `${random.below(3)}` }))
        simulation.controller(manager, now =>
          rules.flatMap(({ name, read, value }) => {
            const seen = read === "*" ? now.objects[0] : read === "" ? undefined : now.get(`ConfigMap/${read}`)
            const fields = seen?.data as { readonly x?: string } | undefined
            return fields?.x === value
              ? []
              : [
                  {
                    patch: { data: { x: fields === undefined ? value : fields.x === "1" ? "2" : "1" } },
                    object: `ConfigMap/${name}`,
                  },
                ]
          }),
        )
      }
      const [together, alone] = [true, false].map(isTogether => contention(simulation, 40, isTogether))
      expect(together, `story ${story}`).toEqual(alone)
      if ((together?.fights.length ?? 0) > 1) several++
    }
    expect(several).toBeGreaterThan(10)
  })
})

describe("permute", () => {
  it("finds the outcomes, and two requests that cause the difference", () => {
    const { total, played, differs, outcomes, shortest } = permute(start(), [
      { manager: "ann", apply: data({ color: "red" }) },
      { manager: "bob", apply: data({ size: "1" }) },
      { manager: "cleo", apply: data({ color: "blue" }) },
    ])
    expect([total, played]).toEqual([6, 6])
    expect(differs).toEqual(["objects", "owners", "conflicts"])
    expect(outcomes.map(({ orders, example, refused }) => [orders, example, refused])).toEqual([
      [3, [0, 1, 2], [2]],
      [3, [1, 2, 0], [0]],
    ])
    expect(shortest).toMatchObject({ differs, first: { example: [0, 2] }, second: { example: [2, 0] } })
    expect(shortest?.second.steps.map(({ outcome }) => outcome)).toEqual(["created", "conflict"])
  })

  it("finds no difference if there is none, from the present state of the simulation", () => {
    const simulation = start()
    simulation.apply("ann", data({ a: "1" }))
    const requests = ["b", "c", "d"].map(key => ({ manager: key, apply: data({ [key]: "1" }) }))
    expect(permute(simulation, requests)).toMatchObject({ played: 6, differs: [], outcomes: [{ orders: 6 }] })
    expect(permute(simulation, requests)).not.toHaveProperty("shortest")
    expect(permute(simulation, [])).toMatchObject({ total: 1, played: 1, differs: [] })
    expect(simulation.length).toBe(1)
  })

  it("finds outcomes that differ only in owners", () => {
    const simulation = start()
    simulation.create("admin", data({ a: "0" }))
    const { differs } = permute(simulation, [
      { manager: "x", patch: { data: { a: "1" } } },
      { manager: "y", patch: { data: { a: "1" } } },
    ])
    expect(differs).toEqual(["owners"])
  })

  it("takes three requests if two don't show the difference", () => {
    const add = (key: string) => ({ op: "add", path: `/data/${key}`, value: "1" })
    const test = (key: string) => ({ op: "test", path: `/data/${key}`, value: "1" })
    const { shortest } = permute(start(data({ a: "1" })), [
      { manager: "x", patch: [add("b")] },
      { manager: "y", patch: [add("c")] },
      { manager: "w", patch: [add("e")] },
      { manager: "z", patch: [test("b"), test("c"), add("d")] },
    ])
    expect(shortest).toMatchObject({ first: { example: [0, 1, 3], refused: [] }, second: { refused: [3] } })
  })

  it("stops at the limit, and reports its progress", () => {
    const seen: number[] = []
    const requests = Array.from({ length: 5 }, (_, i) => ({ manager: `m${i}`, apply: data({ [`k${i}`]: "1" }) }))
    const { played, total } = permute(start(), requests, { limit: 10, onProgress: orders => seen.push(orders) })
    expect([played, total, seen.length]).toEqual([10, 120, 10])
  })
})

describe("explore", () => {
  /** Nobody loses a field to somebody else, unless that was an apply by force. */
  const keeps = ({ manager, ownership, request }: Step) =>
    ("force" in request && request.force === true) ||
    ownership.every(({ owner, lost }) => owner.manager === manager || lost.length === 0)

  it("finds the shortest story in which a manager loses a field without a conflict", () => {
    const { story = [], complete } = explore(start(), {
      managers: ["ann", "bob"],
      actions: [
        { apply: data({ a: "1" }) },
        { apply: data({ a: "2" }), force: true },
        { patch: { data: { a: "3" } }, object: "ConfigMap/m" },
      ],
      holds: keeps,
    })
    expect(story.map(({ manager, outcome }) => [manager, outcome])).toEqual([
      ["ann", "created"],
      ["bob", "changed"],
    ])
    expect(story[1]?.request).toHaveProperty("patch")
    expect(complete).toBe(true)
  })

  it("reports that no such story exists, and the number of stories it tried", () => {
    const simulation = start()
    const actions = [
      { apply: data({ a: "1" }) },
      { apply: data({ a: "2" }) },
      { apply: map },
      { manager: "cleo", delete: "ConfigMap/m" },
    ]
    const { story, complete, played, states } = explore(simulation, {
      managers: ["ann", "bob"],
      actions,
      depth: 3,
      holds: keeps,
    })
    expect(story?.map(({ request }) => Object.keys(request)).at(-1)).toContain("delete")
    expect([complete, simulation.length]).toEqual([true, 0])
    const without = explore(simulation, {
      managers: ["ann", "bob"],
      actions: actions.slice(0, 3),
      depth: 3,
      holds: keeps,
    })
    expect(without).toMatchObject({ complete: true })
    expect(without.story).toBeUndefined()
    expect(without.played).toBeGreaterThan(played)
    // None, one that nobody owns, and two values with the one, the other or both as owners.
    expect([without.states, states]).toEqual([8, 7])
  })

  it("tries an action without a manager once, and others by each manager", () => {
    const actions = [{ patch: { data: { a: "1" } } }, { delete: "ConfigMap/m" }]
    const found = explore(start(map), { managers: ["x", "y"], actions, depth: 1, holds: () => true })
    expect(found).toMatchObject({ complete: true, played: 3 })
  })

  it("stops at the limit", () => {
    const actions = [{ apply: data({ a: "1" }) }, { apply: data({ b: "1" }) }]
    const found = explore(start(), { managers: ["x", "y", "z"], actions, depth: 10, limit: 50, holds: () => true })
    expect(found).toMatchObject({ complete: false, played: 50 })
  })
})
