// The load test: many watches, many objects, and clients that write all the time. At the end, the events of every watch are compared with
// the writes.
import type { IncomingMessage } from "node:http"
import { groupBy } from "../../../src/value/groups.js"
import { Random } from "../../fuzz/random.js"
import { Client } from "./client.js"
import { type Beginning, type Listed, list, Watcher } from "./watcher.js"
import { type Filter, groups, History, namespaces, pathOf } from "./world.js"
import { Writer } from "./writer.js"

export interface LoadOptions {
  readonly url: string
  readonly watchers: number
  readonly objects: number
  readonly clients: number
  readonly seed: number
  /** Returns whether to go on after this many writes. */
  readonly goesOn: (writes: number) => boolean
  /** The number of watches whose client never reads. */
  readonly stalled?: number
  /** The text of a document of faults, which are injected while clients write. */
  readonly faults?: string
  /** Called every second while clients write. */
  readonly report?: (progress: Progress) => Promise<void>
}

export interface Progress {
  readonly writes: number
  readonly events: number
}

export interface LoadResult extends Progress {
  /** Writes that lost a race: conflicts, and objects that already existed or no longer existed. */
  readonly lost: number
  /** Requests that faults refused, and requests without a response. */
  readonly refused: number
  readonly unanswered: number
  /** How often watches were resumed after their last event. */
  readonly resumptions: number
  /** How often each fault was injected, as far as the log of the server remembers. */
  readonly injected: ReadonlyMap<string, number>
  /** The errors of the server. */
  readonly problems: readonly string[]
}

/** How many watches are opened at the same time. */
const startAtOnce = 8

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { url, objects, clients, seed, goesOn, stalled = 0, report, faults } = options
  const client = new Client(url)
  const history = new History()
  const writers = Array.from(
    { length: clients },
    (_, i) => new Writer(client, history, objects, new Random(seed, "writer", i), faults !== undefined),
  )
  await createAll(client, writers, objects)
  const watchers = await openWatchers(client, history, options)
  const unread = await Promise.all(Array.from({ length: stalled }, () => openUnread(client)))
  const writes = () => writers.reduce((sum, writer) => sum + writer.writes, 0)
  const events = () => watchers.reduce((sum, { watcher }) => sum + watcher.events, 0)
  const before = writes()
  if (faults !== undefined) await setFaults(url, faults)

  let running = true
  const writing = Promise.all(
    writers.map(async writer => {
      while (goesOn(writes() - before)) await writer.write()
    }),
  ).finally(() => {
    running = false
  })
  const random = new Random(seed, "watches", 0)
  for (let next = Date.now() + 1000; running; next += 1000) {
    await Promise.race([writing, new Promise(resolve => setTimeout(resolve, next - Date.now()))])
    for (const { beginning, watcher } of watchers) {
      if (beginning === "resumed" && random.chance(0.2)) watcher.breakOff()
    }
    await report?.({ writes: writes() - before, events: events() })
  }
  await writing
  const injected = faults === undefined ? new Map<string, number>() : await endFaults(url)

  const all = watchers.map(({ watcher }) => watcher)
  await untilAll(all, history, objects)
  const replay = history.replay(objects)
  for (const watcher of all) watcher.verify(replay)
  const problems = [...history.problems, ...all.flatMap(watcher => watcher.problems)]
  if (history.lostDeletions > 0) problems.push(`${history.lostDeletions} acknowledged deletions are lost`)
  const [{ versions }, last] = [await list(client, {}, objects), replay.state({})]
  const wrong = last.findIndex((version, index) => version !== versions[index])
  if (wrong >= 0)
    problems.push(`object-${wrong} is at ${versions[wrong]} in the end, and its last write is ${last[wrong]}`)
  for (const watcher of all) watcher.close()
  for (const response of unread) response.destroy()
  client.close()
  return {
    writes: writes() - before,
    events: events(),
    lost: writers.reduce((sum, writer) => sum + writer.lost, 0),
    refused: writers.reduce((sum, writer) => sum + writer.refusedByFault, 0),
    unanswered: writers.reduce((sum, writer) => sum + writer.unanswered, 0),
    injected,
    resumptions: all.reduce((sum, watcher) => sum + watcher.resumptions, 0),
    problems,
  }
}

const faultsPath = "/structured-merge-diff/faults"

async function setFaults(url: string, text: string): Promise<void> {
  const answer = await fetch(url + faultsPath, { method: "PUT", body: text })
  if (answer.status !== 200) throw new Error(await answer.text())
}

/** Ends all faults, and returns how often each was injected. */
async function endFaults(url: string): Promise<ReadonlyMap<string, number>> {
  const answer = await fetch(url + faultsPath, { method: "DELETE" })
  const { injected } = (await answer.json()) as { readonly injected: readonly { readonly fault: string }[] }
  const byName = groupBy(injected, ({ fault }) => fault.split(" ")[0] ?? "")
  return new Map(Array.from(byName, ([name, some]) => [name, some.length]))
}

async function createAll(client: Client, writers: readonly Writer[], objects: number): Promise<void> {
  for (let i = 0; i < namespaces; i++) {
    const metadata = { name: `load-${i}` }
    await client.send("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata })
  }
  let next = 0
  await Promise.all(
    writers.map(async writer => {
      while (next < objects) await writer.createWhole(next++)
    }),
  )
}

interface Opened {
  readonly beginning: Beginning
  readonly watcher: Watcher
}

async function openWatchers(client: Client, history: History, options: LoadOptions): Promise<Opened[]> {
  const { watchers, objects } = options
  const lists = new Map<string, Promise<Listed>>()
  const listed = (filter: Filter): Promise<Listed> => {
    const key = pathOf(filter)
    const known = lists.get(key) ?? list(client, filter, objects)
    lists.set(key, known)
    return known
  }
  const opened: Opened[] = []
  const open = async (i: number) => {
    const beginning = beginningOf(i)
    const filter = filterOf(i)
    const start = beginning === "watch-list" ? undefined : await listed(filter)
    const watcher = new Watcher(client, filter, history, objects, start, options.faults !== undefined)
    await watcher.open()
    opened.push({ beginning, watcher })
  }
  for (let i = 0; i < watchers; i += startAtOnce) {
    const some = Array.from({ length: Math.min(startAtOnce, watchers - i) }, (_, k) => open(i + k))
    await Promise.all(some)
  }
  return opened
}

/** Out of ten watches, one is for all objects, four for a namespace, four for a group, and one for a group in a namespace. */
function filterOf(i: number): Filter {
  const namespace = Math.floor(i / 10) % namespaces
  const group = Math.floor(i / 10) % groups
  if (i % 10 === 0) return {}
  if (i % 10 < 5) return { namespace: (namespace + (i % 10)) % namespaces }
  return i % 10 < 9 ? { group: (group + (i % 10)) % groups } : { namespace, group }
}

/** Out of seven watches, five begin after a list, one is interrupted now and then, and one begins with initial events. */
function beginningOf(i: number): Beginning {
  if (i % 7 === 5) return "resumed"
  return i % 7 === 6 ? "watch-list" : "list"
}

/** Opens a watch of all objects that nobody reads. */
async function openUnread(client: Client): Promise<IncomingMessage> {
  const response = await client.watch(`${pathOf({})}&watch=true`)
  response.on("error", () => undefined)
  response.pause()
  return response
}

/** Waits until every watch has its last event, or no watch has had an event for a while. */
async function untilAll(watchers: readonly Watcher[], history: History, objects: number): Promise<void> {
  const events = () => watchers.reduce((sum, watcher) => sum + watcher.events, 0)
  for (let before = -1, quiet = 0; quiet < 20; ) {
    const replay = history.replay(objects)
    if (watchers.every(watcher => watcher.hasAll(replay))) return
    await new Promise(resolve => setTimeout(resolve, 250))
    quiet = events() === before ? quiet + 1 : 0
    before = events()
  }
}
