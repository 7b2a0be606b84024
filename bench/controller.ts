// npm run bench -- controller
//
// Compares the cost for an Applier of finding that an apply would change nothing with the cost of the request: to the test API server in
// this program, and over loopback. The figures are processor time of both sides, which other programs on the machine do not change. A real
// API server, with its storage, costs more.
import { createApiServer } from "../src/apiserver/index.js"
import { listen } from "../src/apiserver/node/listen.js"
import { kubernetesTypes } from "../src/kubernetes/index.js"
import { Applier, type Send, sendByFetch } from "../src/tools/controller/index.js"
import { deployment } from "../test/tools/controller/fleet.js"
import { calibrate, median } from "./measure.js"
import { describeMachine, table } from "./report.js"

const rounds = 9
const nanoseconds = 2e8
/** Calls of each case before timing starts, since an engine is slow until it has compiled the code. */
const warmUp = 300
const config = deployment(1, 1)

/** Returns calls of an Applier that sends with `send`. It finds nothing to send, unless it is configured to send everything. */
async function applies(send: Send, sendsAll: boolean): Promise<() => Promise<unknown>> {
  const types = sendsAll ? { find: () => undefined } : kubernetesTypes
  const applier = new Applier({ manager: "bench", types, send, rememberFor: 0 })
  const { object, sent } = await applier.apply((await applier.apply(undefined, config)).object, config)
  if (sent !== sendsAll) throw new Error("the Applier does not do what is timed")
  return () => applier.apply(object, config)
}

const listening = await listen()
const inMemory = sendByFetch("http://test", { fetch: createApiServer().fetch })
const cases = new Map([
  ["check that finds nothing to send", await applies(inMemory, false)],
  ["request without a network", await applies(inMemory, true)],
  ["request over loopback", await applies(sendByFetch(listening.url), true)],
])
const time = async (run: () => Promise<unknown>, calls: number): Promise<number> => {
  const start = process.cpuUsage()
  for (let i = 0; i < calls; i++) await run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) * 1e3
}
const calls = new Map<string, number>()
for (const run of cases.values()) await time(run, warmUp)
for (const [name, run] of cases) calls.set(name, await calibrate(calls => time(run, calls), nanoseconds))
const times = new Map([...cases.keys()].map(name => [name, [] as number[]]))
// The cases take turns, so that other load on the machine affects all of them.
for (let round = 0; round < rounds; round++) {
  for (const [name, run] of cases) {
    const count = calls.get(name) ?? 1
    times.get(name)?.push((await time(run, count)) / count)
  }
}
await listening.close()
const rows = [...times].map(([name, all]) => [
  name,
  (median(all) / 1e3).toFixed(0),
  (Math.min(...all) / 1e3).toFixed(0),
])
process.stdout.write(`${describeMachine()}\n\n${table(["CPU time", "median µs", "least µs"], rows)}\n`)
