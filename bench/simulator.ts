/**
 * `npm run bench -- simulator [EVERY]` measures a simulation: steps per second, the memory of a history of 10,000 steps on an object of 10 KB,
 * the time of `at`, and the searches. One of EVERY steps, 10 by default, applies the whole object.
 */
import { writeJson } from "../src/json/json.js"
import { kubernetesTypes } from "../src/kubernetes/types.js"
import { explore } from "../src/tools/simulator/search/explore.js"
import { permute } from "../src/tools/simulator/search/permute.js"
import { type Simulation, simulate } from "../src/tools/simulator/simulation/simulation.js"
import type { MapValue } from "../src/value/value.js"
import { median, retainedBytes } from "./measure.js"

const steps = 10_000
const every = Number(process.argv[2] ?? 10)

measureAt(measureHistory())
measureSearches()

/** Plays the steps, and returns the simulation. */
function measureHistory(): Simulation {
  const empty = retainedBytes()
  const simulation = simulate({ types: kubernetesTypes })
  simulation.apply("gitops", deployment(0))
  const first = retainedBytes()
  const start = performance.now()
  play(simulation)
  const seconds = (performance.now() - start) / 1000
  const last = retainedBytes()
  const [live, applied] = [simulation.get() as MapValue, deployment(0)].map(object => inKb(writeJson(object).length))
  console.log(`object: ${live} with managedFields, ${applied} applied`)
  console.log(`steps: ${Math.round(steps / seconds)} each second`)
  console.log(`history of ${simulation.length} steps: ${inMb(last - first)} (types: ${inMb(first - empty)})`)
  return simulation
}

function measureAt(simulation: Simulation): void {
  const times = Array.from({ length: 2_000 }, (_, i) => {
    const step = (i * 7919) % steps
    const start = performance.now()
    simulation.at(step).get()
    return performance.now() - start
  })
  console.log(`at: median ${median(times).toFixed(4)} ms, slowest ${Math.max(...times).toFixed(4)} ms`)
}

function measureSearches(): void {
  const requests = Array.from({ length: 7 }, (_, i) => ({
    manager: `manager-${i}`,
    apply: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { [`key-${i % 5}`]: `${i}` } },
  }))
  const actions = requests.slice(0, 4).map(({ apply }) => ({ apply }))
  const options = { managers: ["a", "b", "c"], actions, depth: 6, limit: 10_000, holds: () => true }
  const simulation = simulate({ types: kubernetesTypes })
  printRate("orders of seven requests", () => permute(simulation, requests, { limit: 2_000 }).played)
  printRate("explored steps", () => explore(simulation, options).played)
}

/** Prints how much of what `play` counts is done per second of processor time. */
function printRate(title: string, play: () => number): void {
  const start = process.cpuUsage()
  const count = play()
  const { user, system } = process.cpuUsage(start)
  console.log(`${title}: ${Math.round(count / ((user + system) / 1e6))} each second of processor time`)
}

/** Returns a Deployment of 10 KB: twenty containers with variables. */
function deployment(replicas: number): MapValue {
  const containers = Array.from({ length: 20 }, (_, i) => ({
    name: `container-${i}`,
    image: `registry.example/team/application-${i}:1.${replicas % 7}`,
    env: Array.from({ length: 6 }, (_, j) => ({ name: `VARIABLE_${i}_${j}`, value: `value of ${j} for ${i}` })),
    resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
  }))
  const labels = { app: "web" }
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", labels },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  }
}

function play(simulation: Simulation): void {
  for (let i = simulation.length; i < steps; i++) {
    if (i % every === 0) simulation.apply("gitops", deployment(i), { force: true })
    else if (i % 2 === 0) simulation.patch("autoscaler", { spec: { replicas: i } }, { subresource: "scale" })
    else
      simulation.update(
        "kcm",
        (live: { status: object }) => void (live.status = { observedGeneration: i, replicas: i }),
        { subresource: "status" },
      )
  }
}

function inKb(bytes: number): string {
  return `${(bytes / 1e3).toFixed(1)} kB`
}

function inMb(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
