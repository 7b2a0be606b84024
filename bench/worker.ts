// Runs cases for bench compare: requests on standard input, replies on standard output (see protocol.ts). The Go peer
// (oracle/cmd/bench) does the same for the reference.
import { createHash } from "node:crypto"
import { createInterface } from "node:readline"
import { prepare } from "./cases/case.js"
import type { Runnable } from "./cases/runnable.js"
import { collectGarbage, countBytes, median, timeCalls } from "./measure.js"
import { makePlan } from "./plan.js"
import type { PeerReply, PeerRequest } from "./protocol.js"

const plan = makePlan()
const cases = new Map(plan.cases.map(each => [each.name, each]))
let current: { readonly name: string; readonly runnable: Runnable } | undefined

function answer({ name, do: action, iterations = 1 }: PeerRequest): PeerReply {
  if (current?.name !== name) {
    current = undefined
    current = { name, runnable: load(name) }
    collectGarbage()
  }
  const { runnable } = current
  if (action === "answer") return { hash: createHash("sha256").update(runnable.answer()).digest("hex") }
  if (action === "bytes") return { bytes: countBytes(runnable, iterations) }
  if (action === "fresh")
    return { nanoseconds: median(Array.from({ length: iterations }, () => timeCalls(load(name), 1))) }
  const before = process.cpuUsage()
  const nanoseconds = timeCalls(runnable, iterations)
  const { user, system } = process.cpuUsage(before)
  return { nanoseconds, cpuNanoseconds: (user + system) * 1000 }
}

function load(name: string): Runnable {
  const found = cases.get(name)
  if (found === undefined) throw new Error(`no case ${name}`)
  return prepare(plan, found)
}

for await (const line of createInterface({ input: process.stdin })) {
  let reply: PeerReply
  try {
    reply = answer(JSON.parse(line) as PeerRequest)
  } catch (error) {
    reply = { error: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
  process.stdout.write(`${JSON.stringify(reply)}\n`)
}
