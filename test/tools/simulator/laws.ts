/**
 * Laws of the simulator on random small stories: a history can be played again, undone and forked, no input changes, and
 * `contend` finds what plain counting finds.
 */
import { formatGoJson, writeJson } from "../../../src/json/json.js"
import { kubernetesTypes } from "../../../src/kubernetes/types.js"
import { readManagedFields } from "../../../src/managedfields/entries/entry.js"
import { contend } from "../../../src/tools/simulator/search/contend.js"
import type { ControllerRequest } from "../../../src/tools/simulator/simulation/controller.js"
import type { SimulationRequest } from "../../../src/tools/simulator/simulation/request.js"
import { fromJSON, type Simulation, simulate } from "../../../src/tools/simulator/simulation/simulation.js"
import type { ListValue, MapValue, Value } from "../../../src/value/value.js"
import { Random } from "../../fuzz/random.js"
import { configMap } from "../../support/config-map.js"
import { deepFreeze } from "../../support/deep-freeze.js"
import { vandalize } from "../../support/vandal.js"

/** The number of cases, and the violations. */
export interface Checked {
  readonly counts: Record<string, number>
  readonly broken: string[]
}

const types = kubernetesTypes
const managers = ["ann", "bob", "cleo"] as const
const keys = ["a", "b", "c"] as const

/** Checks the laws of histories on `count` stories, beginning with number `first`. */
export function checkHistories(seed: number, first: number, count: number): Checked {
  return checkEach(seed, "history", first, count, checkHistory)
}

/** Checks `contend` against plain counting. */
export function checkContentions(seed: number, first: number, count: number): Checked {
  return checkEach(seed, "contend", first, count, checkContention)
}

type Check = (random: Random, report: (problem: string) => void, met: (what: string) => void) => void

function checkEach(seed: number, name: string, first: number, count: number, check: Check): Checked {
  const checked: Checked = { counts: {}, broken: [] }
  for (let number = first; number < first + count; number++) {
    const met = (what: string) => void (checked.counts[what] = (checked.counts[what] ?? 0) + 1)
    const report = (problem: string) => void checked.broken.push(`story ${number} of seed ${seed}: ${problem}`)
    check(new Random(seed, name, number), report, met)
  }
  return checked
}

function randomData(random: Random, values: number): Record<string, string> {
  const chosen = keys.filter(() => random.chance(0.5))
  return Object.fromEntries(chosen.map(key => [key, `${random.below(values)}`]))
}

// Histories

function randomRequest(random: Random): SimulationRequest {
  const manager = random.pick(managers)
  const name = random.pick(["one", "two"])
  const object = `ConfigMap/${name}`
  const data = randomData(random, 3)
  const key = random.pick(keys)
  const requests: readonly (() => SimulationRequest)[] = [
    () => ({ manager, apply: configMap(name, data), ...(random.chance(0.3) && { force: true }) }),
    () => ({
      manager,
      apply: configMap(name, data),
      onConflict: random.pick(["relinquish", "share", "overwrite", "fail"]),
    }),
    () => ({ manager, apply: configMap(name, data), onConflict: () => "share" }),
    () => ({
      manager,
      apply: configMap(name, data),
      onConflict: ({ path }) => (path === `.data.${key}` ? "relinquish" : "fail"),
    }),
    () => ({ manager, create: configMap(name, data) }),
    () => ({ manager, update: configMap(name, data) }),
    () => ({
      manager,
      object,
      update: (live: { data?: Record<string, string> }) => {
        live.data = { ...live.data, [key]: data[key] ?? "0" }
      },
    }),
    () => ({
      manager,
      object,
      update: (live: { dat?: Record<string, string> }) => {
        live.dat = data
      },
    }),
    () => ({ manager, object, patch: { data: { [key]: data[key] ?? null } } }),
    () => ({ manager, object, patch: [{ op: "add", path: `/data/${key}`, value: "9" }] }),
    () => ({ manager, object, patch: [{ op: "remove", path: `/data/${key}` }] }),
    () => ({ manager, delete: object }),
    () => ({ changeSchema: random.pick(["", "same"]) }),
  ]
  return deepFreeze(random.pick(requests)())
}

/** Everything that can be seen of a simulation, as text. */
function seen(simulation: Simulation): string {
  return writeJson({
    steps: simulation.steps.map(step => JSON.parse(JSON.stringify(step)) as Value),
    objects: [...simulation.objects],
  })
}

function checkHistory(random: Random, report: (problem: string) => void, met: (what: string) => void): void {
  const options = { types, schemas: { same: { types } } }
  const objects = deepFreeze(random.chance(0.5) ? [configMap("one", randomData(random, 3))] : [])
  const simulation = simulate({ ...options, objects })
  const states = [JSON.stringify(simulation.objects)]
  const count = 1 + random.below(12)
  for (let i = 0; i < count; i++) {
    const step = simulation.play(randomRequest(random))
    deepFreeze(step.after ?? {})
    met(step.outcome)
    states.push(JSON.stringify(simulation.objects))
    // Nobody can own a field of a ConfigMap without data.
    const { before, after = before } = step
    const isEmpty = Object.keys({ ...dataOf(before), ...dataOf(after) }).length === 0
    if (
      (step.before === step.after) !== (step.changes.length + step.ownership.length === 0) &&
      step.target !== undefined &&
      !isEmpty
    ) {
      report(`step ${step.index}: an object that changed has no changes, or the other way round`)
    }
  }
  states.forEach((state, n) => {
    if (JSON.stringify(simulation.at(n).objects) !== state) report(`at(${n}) is another state than it was`)
  })
  const before = seen(simulation)
  vandalize([simulation.objects, simulation.steps.map(step => ({ ...step })), simulation.toJSON()])
  if (seen(simulation) !== before) report("the history can be changed")
  const text = JSON.stringify(simulation.toJSON())
  const again = fromJSON(JSON.parse(text), options)
  if (JSON.stringify(again.toJSON()) !== text) report("the replay has other data")
  if (JSON.stringify(again.objects) !== JSON.stringify(simulation.objects)) report("the replay comes to other objects")
  const outcomes = (one: Simulation) => one.steps.map(({ outcome, error }) => `${outcome} ${error?.message}`).join("\n")
  if (outcomes(again) !== outcomes(simulation)) report("the replay has other outcomes")
  const fork = simulation.fork()
  fork.undo(random.below(count + 1))
  for (let i = 0; i < 3; i++) fork.play(randomRequest(random))
  if (seen(simulation) !== before) report("the fork changes the original")
  const back = random.below(count + 1)
  simulation.undo(back)
  if (JSON.stringify(simulation.objects) !== states[count - back]) report("undo comes to another state")
  simulation.redo(back)
  if (seen(simulation) !== before) report("redo does not come back")
  const [from, to] = [random.below(count + 1), random.below(count + 1)]
  if ((states[from] === states[to]) !== (simulation.diff(from, to).length === 0)) {
    // Times, versions and the order of keys may differ.
    const plain = (n: number) => {
      const isDifference = (key: string) => key !== "time" && key !== "resourceVersion"
      const timeless = JSON.parse(states[n] ?? "", (key, value: unknown) => (isDifference(key) ? value : undefined))
      return formatGoJson(timeless as ListValue, { sorted: true })
    }
    if (plain(from) !== plain(to) || states[from] === states[to]) report(`diff(${from}, ${to}) is wrong`)
  }
}

// Contentions

/** The actions of a controller in a random story: it sets keys, by apply or by update, in some stories only under a condition. */
interface Plan {
  readonly manager: string
  readonly force: boolean
  readonly applies: boolean
  /** The values that it writes; with `step`, the present number plus one. */
  readonly sets: Readonly<Record<string, string | "step">>
  /** The controller writes only while this key has this value. */
  readonly where?: readonly [key: string, value: string]
}

type Data = Readonly<Record<string, string>>

const dataOf = (object: MapValue | undefined): Data => (object?.data ?? {}) as Data

function valueFor(wanted: string, now: Data, key: string): string {
  return wanted === "step" ? `${(Number(now[key] ?? 0) + 1) % 3}` : wanted
}

function requestFor(plan: Plan, object: MapValue | undefined, without?: string): ControllerRequest | undefined {
  const now = dataOf(object)
  if (plan.where !== undefined && now[plan.where[0]] !== plan.where[1]) return undefined
  const data = Object.fromEntries(
    Object.entries(plan.sets)
      .filter(([key]) => key !== without)
      .map(([key, wanted]) => [key, valueFor(wanted, now, key)]),
  )
  if (plan.applies) return { apply: configMap("m", data), force: plan.force }
  return { patch: { data }, object: "ConfigMap/m" }
}

function randomPlan(random: Random, manager: string): Plan {
  const sets = Object.fromEntries(
    Object.entries(randomData(random, 3)).map(([key, value]) => [key, random.chance(0.15) ? "step" : value]),
  )
  return {
    manager,
    force: random.chance(0.6),
    applies: random.chance(0.6),
    sets,
    ...(random.chance(0.25) && { where: [random.pick(keys), `${random.below(3)}`] as const }),
  }
}

/** The number of rounds after which three controllers with three keys and three values stop or repeat themselves. */
const manyRounds = 18

/** The controllers that change a key forever, by key. */
type Fought = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Plays enough rounds for everything to repeat itself, and then as many again. In the second half, it checks the value and the owners of
 * every key after each write.
 */
function foughtOver(
  start: MapValue,
  plans: readonly Plan[],
  leaving?: readonly [manager: string, key: string],
): Fought {
  const simulation = simulate({ types, objects: [start] })
  const look = (key: string): string => {
    const object = simulation.get("ConfigMap/m")
    const entries = object === undefined ? [] : (readManagedFields(object) ?? [])
    const owners = entries.filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes(`"f:${key}":`))
    const names = owners.map(({ manager, operation }) => `${manager} ${operation}`).sort()
    return `${dataOf(object)[key]} ${names.join()}`
  }
  const fought = new Map<string, Set<string>>()
  for (let round = 0; round < 2 * manyRounds; round++) {
    for (const plan of plans) {
      const without = leaving?.[0] === plan.manager ? leaving[1] : undefined
      const request = requestFor(plan, simulation.get("ConfigMap/m"), without)
      if (request === undefined) continue
      const before = keys.map(look)
      simulation.play({ manager: plan.manager, ...request } as SimulationRequest)
      keys.forEach((key, i) => {
        if (round >= manyRounds && look(key) !== before[i])
          fought.set(key, (fought.get(key) ?? new Set()).add(plan.manager))
      })
    }
  }
  return fought
}

function checkContention(random: Random, report: (problem: string) => void, met: (what: string) => void): void {
  const start = deepFreeze(configMap("m", { keep: "1", ...randomData(random, 3) }))
  const plans = managers.slice(0, 2 + random.below(2)).map(manager => randomPlan(random, manager))
  const simulation = simulate({ types, objects: [start] })
  for (const plan of plans) simulation.controller(plan.manager, now => requestFor(plan, now.get("ConfigMap/m")))
  const found = contend(simulation, { rounds: 60 })
  const expected = foughtOver(start, plans)
  met(found.settled ? "settled" : "fought")
  if (found.unsettled.length > 0) report(`${found.unsettled.map(({ path }) => path).join()} do not go round`)
  if (found.settled !== (expected.size === 0)) report(`settled is ${found.settled}`)
  const said = new Map(found.fights.map(fight => [fight.path.replace(".data.", ""), fight]))
  for (const key of new Set([...said.keys(), ...expected.keys()])) {
    const fight = said.get(key)
    const by = [...(expected.get(key) ?? [])].sort()
    if (fight?.managers.join() !== by.join()) report(`${key}: ${fight?.managers.join()} instead of ${by.join()}`)
    const ends = by.filter(manager => !foughtOver(start, plans, [manager, key]).has(key))
    if (fight?.endedBy.join() !== ends.join()) report(`${key}: ended by ${fight?.endedBy.join()}, not ${ends.join()}`)
    met(ends.length === 0 ? "endless" : "ended")
  }
  if (simulation.length > 0) report("the simulation was played")
}
