// npm run bench -- load [--watchers 1000 --objects 10000 --seconds 600 --clients 8 --seed 1 --policies 0 --faults FILE]
//
// Runs the load test against a server in another process. Fails if a watch has lost, repeated or reordered an event, or if the heap of
// the server keeps growing after the warm-up. With faults, which refuse requests and break connections, every acknowledged write must be among the
// events of the watches and in the final state.
import { fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { growthOf, mostGrowth, type Sample } from "./memory.js"
import { type Progress, runLoad } from "./run.js"

const { values } = parseArgs({
  options: {
    watchers: { type: "string", default: "1000" },
    objects: { type: "string", default: "10000" },
    seconds: { type: "string", default: "600" },
    clients: { type: "string", default: "8" },
    seed: { type: "string", default: "1" },
    policies: { type: "string", default: "0" },
    faults: { type: "string" },
  },
})
const [watchers, objects, seconds, clients, seed] = [
  Number(values.watchers),
  Number(values.objects),
  Number(values.seconds),
  Number(values.clients),
  Number(values.seed),
]
/** The seconds between two samples of the memory. */
const interval = Math.max(1, Math.round(seconds / 60))

const program = fileURLToPath(new URL("./server-program.js", import.meta.url))
const server = fork(program, [values.policies], { execArgv: ["--expose-gc"] })
const [url] = (await once(server, "message")) as [string]
const samples: Sample[] = []
let start = 0
let last: Progress = { writes: 0, events: 0 }

const faults = values.faults === undefined ? undefined : readFileSync(values.faults, "utf8")
const begun = Date.now()
const result = await runLoad({
  url,
  watchers,
  objects,
  clients,
  seed,
  stalled: Math.ceil(watchers / 100),
  goesOn: () => {
    if (start === 0) start = Date.now()
    return Date.now() - start < seconds * 1000
  },
  report,
  ...(faults !== undefined && { faults }),
})
const grown = growthOf(samples)
const openWatches = await openWatchesAtTheEnd()
server.disconnect()

print(`started in ${((start - begun) / 1000).toFixed(0)} s`)
print(
  `${result.writes} writes (${(result.writes / seconds).toFixed(0)} a second), ${result.lost} that others were faster than`,
)
print(
  `${result.events} events (${(result.events / seconds).toFixed(0)} a second) at ${watchers} watches, ${result.resumptions} resumptions`,
)
if (faults !== undefined) {
  const counts = [...result.injected].map(([fault, count]) => `${count} ${fault}`)
  print(`${result.refused} writes refused by faults, ${result.unanswered} without a response`)
  print(`the last faults: ${counts.join(", ")}`)
}
print(`heap: ${grown > 0 ? "+" : ""}${(grown * 100).toFixed(1)} % after the warm-up`)
const problems = [...result.problems]
if (grown > mostGrowth) problems.push(`the heap has grown by more than ${mostGrowth * 100} %`)
if (openWatches > 0) problems.push(`${openWatches} watches are open whose clients are gone`)
for (const problem of problems) print(`FAILED ${problem}`)
print(
  problems.length === 0
    ? "no acknowledged write and no event was lost, and no event was repeated or out of order"
    : `${problems.length} problems`,
)
process.exitCode = problems.length === 0 ? 0 : 1

async function report(progress: Progress): Promise<void> {
  const second = Math.round((Date.now() - start) / 1000)
  if (second < (samples.at(-1)?.second ?? 0) + interval) return
  server.send("memory")
  const [memory] = (await once(server, "message")) as [NodeJS.MemoryUsage]
  const sample = { second, heap: memory.heapUsed / 2 ** 20, resident: memory.rss / 2 ** 20 }
  samples.push(sample)
  const [writes, events] = [progress.writes - last.writes, progress.events - last.events]
  last = progress
  const sizes = `heap ${sample.heap.toFixed(1)} MB, process ${sample.resident.toFixed(0)} MB`
  print(`${second} s: ${writes} writes, ${events} events; ${sizes}`)
}

/** Waits up to ten seconds after the clients disconnected for the server to end their watches. Returns the number of open watches. */
async function openWatchesAtTheEnd(): Promise<number> {
  let open = await countWatches()
  for (let tries = 0; tries < 20 && open > 0; tries++) {
    await new Promise(resolve => setTimeout(resolve, 500))
    open = await countWatches()
  }
  return open
}

async function countWatches(): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const found = text.matchAll(/^apiserver_longrunning_requests\{.*\} (\d+)$/gm)
  return [...found].reduce((sum, [, count]) => sum + Number(count), 0)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
