// npm run bench:apiserver [-- --beside URL] [-- --clients N]
//
// How many requests per second the test API server answers, over loopback, to one program: this one. Where a real kube-apiserver is
// given, by --beside or KUBE_APISERVER_URL (with KUBE_APISERVER_TOKEN), it gets the same requests in the same run.
import { fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { MapValue } from "../src/value/value.js"
import { Client } from "../test/apiserver/load/client.js"
import { root } from "./build.js"
import { calibrate, median } from "./measure.js"
import { describeMachine, replaceTables, table } from "./report.js"

const { values } = parseArgs({
  options: { beside: { type: "string" }, clients: { type: "string", default: "8" }, save: { type: "boolean" } },
})
const clients = Number(values.clients)
const rounds = 5
const nanoseconds = 1e9
/** How many calls of each operation are made before any is timed: an engine is slow until it has compiled what it runs. */
const warmUp = 1_000
const newline = 10
/** What is created has a namespace of its own, so that lists stay short. */
const namespaces = { applied: "bench", created: "bench-created" }
const collection = `/api/v1/namespaces/${namespaces.applied}/configmaps`

/** What is timed: one request, or one event of a watch. */
interface Operation {
  readonly name: string
  /** Makes so many calls, from all clients. */
  readonly run: (calls: number) => Promise<void>
}

const program = fileURLToPath(new URL("../test/apiserver/load/server-program.js", import.meta.url))
const server = fork(program, { execArgv: ["--expose-gc"] })
const [ours] = (await once(server, "message")) as [string]
const columns = [{ name: "this server", rates: await measure(ours, "") }]
server.disconnect()
const beside = values.beside ?? process.env.KUBE_APISERVER_URL
if (beside !== undefined) {
  columns.push({ name: "kube-apiserver", rates: await measure(beside, process.env.KUBE_APISERVER_TOKEN ?? "") })
}
const names = [...(columns[0]?.rates.keys() ?? [])]
const head = ["per second", ...columns.map(({ name }) => name)]
const rows = names.map(name => [name, ...columns.map(({ rates }) => (rates.get(name) ?? 0).toFixed(0))])
const when = new Date().toISOString().slice(0, 10)
const tables = `${describeMachine()} ${clients} clients, ${when}.\n\n${table(head, rows)}`
process.stdout.write(`${tables}\n`)
const file = `${root}bench/README.md`
if (values.save === true) writeFileSync(file, replaceTables(readFileSync(file, "utf8"), tables, "apiserver"))

/** The calls per second of each operation. */
async function measure(url: string, token: string): Promise<Map<string, number>> {
  const client = new Client(url, token === "" ? {} : { headers: { authorization: `Bearer ${token}` } })
  const rates = new Map<string, number>()
  for (const name of Object.values(namespaces)) {
    await expectDone(
      client.send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } }),
    )
  }
  const all = operations(client)
  for (const { run } of all) await run(warmUp)
  for (const { name, run } of all) {
    const time = async (calls: number): Promise<number> => {
      const start = process.hrtime.bigint()
      await run(calls)
      return Number(process.hrtime.bigint() - start)
    }
    const calls = await calibrate(time, nanoseconds)
    const times: number[] = []
    for (let round = 0; round < rounds; round++) times.push((await time(calls)) / calls)
    rates.set(name, 1e9 / median(times))
  }
  for (const name of Object.values(namespaces)) await client.send("DELETE", `/api/v1/namespaces/${name}`)
  client.close()
  return rates
}

function operations(client: Client): Operation[] {
  let step = 0
  const create = () =>
    expectDone(
      client.send("POST", `/api/v1/namespaces/${namespaces.created}/configmaps`, configMap(`object-${step}`, step++)),
    )
  const apply = () => {
    const name = `object-${step % 100}`
    const path = `${collection}/${name}?fieldManager=bench`
    return expectDone(client.send("PATCH", path, configMap(name, step++), "application/apply-patch+yaml"))
  }
  return [
    { name: "create", run: calls => inParallel(calls, create) },
    { name: "apply", run: calls => inParallel(calls, apply) },
    {
      name: "get",
      run: calls => inParallel(calls, i => expectDone(client.send("GET", `${collection}/object-${i % 100}`))),
    },
    {
      name: "list of 100 objects",
      run: calls => inParallel(calls, () => expectDone(client.send("GET", collection))),
    },
    { name: "events of 10 watches", run: calls => watchEvents(client, calls, apply) },
  ]
}

/** Makes as many changes as bring so many events to ten watches, and waits until all have come. */
async function watchEvents(client: Client, calls: number, change: () => Promise<void>): Promise<void> {
  const watches = 10
  const changes = Math.ceil(calls / watches)
  const { metadata } = (await client.send("GET", `${collection}?limit=1`)).body as { readonly metadata: MapValue }
  const query = `?watch=true&resourceVersion=${metadata.resourceVersion}`
  const seen = Array.from({ length: watches }, async () => {
    const response = await client.watch(collection + query)
    let lines = 0
    for await (const part of response) {
      for (const byte of part as Uint8Array) if (byte === newline) lines++
      if (lines >= changes) return
    }
    throw new Error(`a watch ended after ${lines} of ${changes} events`)
  })
  await inParallel(changes, change)
  await Promise.all(seen)
}

/** Makes the calls, each client one at a time. */
async function inParallel(calls: number, call: (i: number) => Promise<void>): Promise<void> {
  let next = 0
  const client = async () => {
    while (next < calls) await call(next++)
  }
  await Promise.all(Array.from({ length: clients }, client))
}

async function expectDone(answer: Promise<{ readonly status: number; readonly body: MapValue }>): Promise<void> {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status}: ${String(body.message)}`)
}

function configMap(name: string, step: number): MapValue {
  const data = { step: String(step), text: "some text ".repeat(10) }
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, labels: { group: "bench" } }, data }
}
