/**
 * `npm run bench -- simulator` measures a simulation: steps per second, the memory of a history of 10,000 steps on an object of 10 KB, and
 * the time of `at`.
 */
import { writeJson } from "../src/json/json.js"
import { kubernetesTypes } from "../src/kubernetes/types.js"
import { explore } from "../src/tools/simulator/explore.js"
import { permute } from "../src/tools/simulator/permute.js"
import { type Simulation, simulate } from "../src/tools/simulator/simulation.js"
import type { MapValue } from "../src/value/value.js"

const steps = 10_000
/** One of this many steps applies the whole object. */
const every = Number(process.argv[2] ?? 10)

/** A Deployment of 10 KB: twenty containers with variables. */
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

function heap(): number {
  const { gc } = globalThis as { gc?: () => void }
  gc?.()
  gc?.()
  return process.memoryUsage().heapUsed
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

const mb = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
const before = heap()
const simulation = simulate({ types: kubernetesTypes })
simulation.apply("gitops", deployment(0))
const base = heap()
const start = performance.now()
play(simulation)
const seconds = (performance.now() - start) / 1000
const after = heap()
console.log(
  `object: ${(writeJson(simulation.get() as MapValue).length / 1000).toFixed(1)} kB with managedFields, ${(writeJson(deployment(0)).length / 1000).toFixed(1)} kB applied`,
)
console.log(`steps: ${Math.round(steps / seconds)} each second`)
console.log(`history of ${simulation.length} steps: ${mb(after - base)} (types: ${mb(base - before)})`)
const times: number[] = []
for (let i = 0; i < 2_000; i++) {
  const step = (i * 7919) % steps
  const begin = performance.now()
  simulation.at(step).get()
  times.push(performance.now() - begin)
}
times.sort((a, b) => a - b)
console.log(`at: median ${times[1000]?.toFixed(4)} ms, slowest ${times.at(-1)?.toFixed(4)} ms`)

const seven = Array.from({ length: 7 }, (_, i) => ({
  manager: `manager-${i}`,
  apply: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { [`key-${i % 5}`]: `${i}` } },
}))
const small = simulate({ types: kubernetesTypes })
/** Returns the number of calls per second of processor time. */
function rate(what: string, done: () => number): void {
  const begin = process.cpuUsage()
  const count = done()
  const { user, system } = process.cpuUsage(begin)
  console.log(`${what}: ${Math.round(count / ((user + system) / 1e6))} each second of processor time`)
}
rate("orders of seven requests", () => permute(small, seven, { limit: 2_000 }).played)
rate("explored steps", () => {
  const actions = seven.slice(0, 4).map(({ apply }) => ({ apply }))
  return explore(small, { managers: ["a", "b", "c"], actions, depth: 6, limit: 10_000, holds: () => true }).played
})
