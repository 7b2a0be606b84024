// npm run bench -- apiserver [NAME ...] [--against DIST ...] [--beside URL] [--clients N] [--milliseconds N] [--save]
//
// Measures how many requests per second the test API server answers to this program over loopback, and the server's processor time for each
// request. A node:http server that only parses and prints, and other builds of the package (--against names their folders `dist`) get
// the same requests in turns. --beside or KUBE_APISERVER_URL (with KUBE_APISERVER_TOKEN) adds a real kube-apiserver.
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { MapValue } from "../src/value/value.js"
import { Client } from "../test/apiserver/load/client.js"
import { root } from "./build.js"
import { calibrate, median } from "./measure.js"
import { describeMachine, replaceTables, table } from "./report.js"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: "string", multiple: true, default: [] },
    beside: { type: "string" },
    clients: { type: "string", default: "8" },
    milliseconds: { type: "string", default: "1000" },
    save: { type: "boolean" },
  },
})
const clients = Number(values.clients)
const nanoseconds = Number(values.milliseconds) * 1e6
const rounds = 5
/** The number of calls of each operation before timing starts, since an engine is slow until it has compiled the code. */
const warmUp = 1_000
const newline = 10
/** Lists have their own namespaces, and so have created objects. */
const namespaces = {
  applied: "bench",
  created: "bench-created",
  hundred: "bench-100",
  fiveHundred: "bench-500",
  fiveThousand: "bench-5000",
}
const path = (namespace: string) => `/api/v1/namespaces/${namespace}/configmaps`
const collection = path(namespaces.applied)

/** The unit that is timed: one request, or one event of a watch. */
interface Operation {
  readonly name: string
  /** Makes this many calls, from all clients together. */
  readonly run: (calls: number) => Promise<void>
  /** The least number of calls. */
  readonly least: number
  /** Whether the node:http server has this operation. */
  readonly isBare: boolean
}

/** A server that is measured. */
interface Column {
  readonly name: string
  readonly client: Client
  readonly child: ChildProcess | undefined
  /** Calls per second, and microseconds of processor time of each call, by operation. */
  readonly rates: Map<string, number>
  readonly costs: Map<string, number>
}

const columns: Column[] = [
  await started("node:http"),
  await started("this server", fileURLToPath(new URL("../src", import.meta.url))),
]
for (const build of values.against) columns.push(await started(build, resolve(build)))
const beside = values.beside ?? process.env.KUBE_APISERVER_URL
if (beside !== undefined) columns.push(columnOf("kube-apiserver", beside, process.env.KUBE_APISERVER_TOKEN ?? ""))

const names = await measureAll()
const when = new Date().toISOString().slice(0, 10)
const tables = `${describeMachine()} ${clients} clients, ${when}.\n\n${tablesOf(names)}`
process.stdout.write(`${tables}\n`)
const file = `${root}bench/README.md`
if (values.save === true) writeFileSync(file, replaceTables(readFileSync(file, "utf8"), tables, "apiserver"))
for (const { child, client } of columns) {
  client.close()
  child?.disconnect()
}

async function started(name: string, build?: string): Promise<Column> {
  const program = fileURLToPath(new URL("apiserver-program.js", import.meta.url))
  const child = fork(program, build === undefined ? [] : [build])
  const [url] = (await once(child, "message")) as [string]
  return { ...columnOf(name, url, ""), child }
}

function columnOf(name: string, url: string, token: string): Column {
  const client = new Client(url, token === "" ? {} : { headers: { authorization: `Bearer ${token}` } })
  return { name, client, child: undefined, rates: new Map(), costs: new Map() }
}

/** Measures the operations of every server, in turns. Returns their names. */
async function measureAll(): Promise<readonly string[]> {
  const all = await Promise.all(columns.map(prepared))
  const chosen = (all[1] ?? []).filter(isChosen)
  for (const { name } of chosen) {
    const runs = columns.flatMap((column, i) => {
      const { run, least = 1 } = all[i]?.find(operation => operation.name === name) ?? {}
      return run === undefined ? [] : [{ column, run, times: [] as number[], costs: [] as number[], calls: least }]
    })
    for (const each of runs)
      each.calls = Math.max(each.calls, await calibrate(calls => timed(each.run, calls), nanoseconds))
    for (let round = 0; round < rounds; round++) {
      for (const { column, run, times, costs, calls } of runs) {
        const before = await processorTime(column)
        times.push((await timed(run, calls)) / calls)
        costs.push(((await processorTime(column)) - before) / calls)
      }
    }
    for (const { column, times, costs } of runs) {
      column.rates.set(name, 1e9 / median(times))
      if (column.child !== undefined) column.costs.set(name, Math.min(...costs))
    }
  }
  return chosen.map(({ name }) => name)
}

async function timed(run: Operation["run"], calls: number): Promise<number> {
  const start = process.hrtime.bigint()
  await run(calls)
  return Number(process.hrtime.bigint() - start)
}

/** Returns the processor time that a server has used so far, in microseconds. */
async function processorTime({ child }: Column): Promise<number> {
  if (child === undefined) return 0
  child.send("")
  const [{ user, system }] = (await once(child, "message")) as [NodeJS.CpuUsage]
  return user + system
}

/** Prepares a server, runs each operation once, and returns the operations. */
async function prepared({ name, client }: Column): Promise<readonly Operation[]> {
  for (const namespace of Object.values(namespaces)) {
    const object = { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } }
    await expectDone(client.send("POST", "/api/v1/namespaces", object))
  }
  const { hundred, fiveHundred, fiveThousand } = namespaces
  for (const [namespace, count] of [
    [hundred, 100] as const,
    [fiveHundred, 500] as const,
    [fiveThousand, 5000] as const,
  ]) {
    await inParallel(count, i => expectDone(client.send("POST", path(namespace), configMap(`object-${i}`, i))))
  }
  const all = operations(client).filter(({ isBare }) => isBare || name !== "node:http")
  for (const operation of all) {
    // Other operations read or watch the objects that applies change.
    if (!isChosen(operation) && operation.name !== "apply, changed") continue
    await operation.run(operation.name.includes("5,000") ? warmUp / 100 : warmUp)
  }
  return all
}

function isChosen({ name }: Operation): boolean {
  return positionals.length === 0 || positionals.some(part => name.includes(part))
}

function operations(client: Client): Operation[] {
  let step = 0
  const apply = (name: string, given: number) => {
    const object = configMap(name, given)
    const address = `${collection}/${name}?fieldManager=bench`
    return expectDone(client.send("PATCH", address, object, "application/apply-patch+yaml"))
  }
  const create = () => expectDone(client.send("POST", path(namespaces.created), configMap(`object-${step}`, step++)))
  const applyNew = () => {
    const name = `applied-${step}`
    const address = `${path(namespaces.created)}/${name}?fieldManager=bench`
    return expectDone(client.send("PATCH", address, configMap(name, step++), "application/apply-patch+yaml"))
  }
  const applyChanged = () => apply(`object-${step % 100}`, step++)
  const list =
    (namespace: string, query = "") =>
    () =>
      expectDone(client.send("GET", path(namespace) + query))
  const requests: readonly (readonly [string, (i: number) => Promise<void>])[] = [
    ["create", create],
    ["apply, new", applyNew],
    ["apply, changed", applyChanged],
    ["apply, unchanged", i => apply(`same-${i % 100}`, 0)],
    ["get", i => expectDone(client.send("GET", `${collection}/object-${i % 100}`))],
    ["list of 100 objects", list(namespaces.hundred)],
    ["list of 500 objects", list(namespaces.fiveHundred)],
    ["list of 5,000 objects", list(namespaces.fiveThousand)],
    ["page of 500 objects", list(namespaces.fiveThousand, "?limit=500")],
  ]
  return [
    ...requests.map(([name, call]) => ({
      name,
      isBare: true,
      least: 1,
      run: (calls: number) => inParallel(calls, call),
    })),
    ...[10, 200].map(watches => ({
      name: `events of ${watches} watches`,
      isBare: false,
      // Opening the watches takes as long as many events.
      least: watches * 100,
      run: (calls: number) => watchEvents(client, watches, calls, applyChanged),
    })),
  ]
}

/** Makes enough changes for this many events at the watches, and waits until all have arrived. */
async function watchEvents(client: Client, watches: number, calls: number, change: () => Promise<void>): Promise<void> {
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

/** Makes the calls. Each client makes one call at a time. */
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

function tablesOf(names: readonly string[]): string {
  const cells = (of: (column: Column) => Map<string, number>, digits: number) =>
    names.map(name => [name, ...columns.map(column => of(column).get(name)?.toFixed(digits) ?? "")])
  const heads = columns.map(({ name }) => name)
  const rates = table(
    ["per second", ...heads],
    cells(({ rates }) => rates, 0),
  )
  return `${rates}\n\n${table(
    ["µs of processor time", ...heads],
    cells(({ costs }) => costs, 1),
  )}`
}
