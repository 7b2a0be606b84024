/** A law of faults: whatever goes wrong between a client and the server, a write that the server has acknowledged is in its store. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { type ApiAnswer, type ApiServer, createApiServer, type FaultRule } from "../../src/apiserver/index.js"
import { metaText } from "../../src/schema/metadata.js"
import { runs } from "../support/budget.js"
import { type Step, session, sessionOptions } from "./random-session.js"

const faults: readonly FaultRule[] = [
  { match: { verb: ["create", "update", "patch", "delete"], chance: 0.1 }, inject: { status: 503 } },
  { match: { chance: 0.1 }, inject: { status: 429, retryAfter: 1 } },
  { match: { chance: 0.1 }, inject: { truncateBody: 40 } },
  { match: { chance: 0.1 }, inject: { latency: [1, 500], truncateBody: 0 } },
  { match: { chance: 0.2 }, inject: { latency: [1, 2000] } },
  { match: { chance: 0.3 }, inject: { conflictStorm: true } },
  { match: { chance: 0.05 }, inject: { restart: 3000 } },
]

/** A Kubernetes object, as a client reads it. */
interface Read {
  readonly metadata: { readonly uid: string; readonly name: string; readonly resourceVersion: string }
  readonly details?: { readonly uid?: string }
}

/** Sends a request, and lets the time of its latency pass. Returns the object; undefined unless it arrived whole and is no refusal. */
async function acknowledged(server: ApiServer, step: Exclude<Step, { wait: number }>): Promise<Read | undefined> {
  let isAnswered = false
  const answering = readWhole(server.answer(step)).finally(() => {
    isAnswered = true
  })
  let seen = server.injectedFaults.length
  while (!isAnswered) {
    await new Promise(resolve => setImmediate(resolve))
    for (; seen < server.injectedFaults.length; seen++) {
      const [name, milliseconds] = server.injectedFaults[seen]?.fault.split(" ") ?? []
      if (name === "latency") server.clock.advance(Number(milliseconds))
    }
  }
  return answering
}

async function readWhole(answering: Promise<ApiAnswer>): Promise<Read | undefined> {
  try {
    const { status, body } = await answering
    if (status >= 300) return undefined
    if (typeof body === "string") return JSON.parse(body)
    let text = ""
    for await (const chunk of body as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(chunk)
    return JSON.parse(text)
  } catch (error) {
    // The connection broke.
    if (error instanceof TypeError && error.message.startsWith("fetch failed: ")) return undefined
    throw error
  }
}

/** Checks that the state which the response to a write names has the object of the response. */
async function expectStored(server: ApiServer, { method, path }: { method: string; path: string }, read: Read) {
  if (method === "DELETE") {
    const uid = read.details?.uid
    if (uid !== undefined) expect(server.snapshot().some(object => metaText(object, "uid") === uid)).toBe(false)
    return
  }
  const address = path.split("?")[0]
  const object = method === "POST" ? `${address}/${read.metadata.name}` : address
  const state = server.at(read.metadata.resourceVersion)
  state.setFaults([])
  const { body } = await state.answer({ method: "GET", path: object ?? "" })
  expect(JSON.parse(body as string)).toEqual(read)
}

const isWrite = (step: Step): step is Exclude<Step, { wait: number }> => !("wait" in step) && step.method !== "GET"

it("a session with faults never loses a write that the server has acknowledged, and repeats itself with the seed", async () => {
  let writes = 0
  const kinds = new Set<string>()
  const play = async (seed: number, steps: readonly Step[]) => {
    const server = createApiServer({ ...sessionOptions(seed), faults })
    const reads: (Read | undefined)[] = []
    for (const step of steps) {
      if ("wait" in step) server.clock.advance(step.wait)
      else if (isWrite(step)) {
        const read = await acknowledged(server, step)
        reads.push(read)
        if (read === undefined) server.clock.advance(1500)
        else await expectStored(server, step, read)
      }
    }
    return { reads, injected: server.injectedFaults }
  }
  await fc.assert(
    fc.asyncProperty(fc.integer(), session, async (seed, steps) => {
      const first = await play(seed, steps)
      writes += first.reads.filter(read => read !== undefined).length
      for (const { fault } of first.injected) kinds.add(fault.split(" ")[0] ?? "")
      expect(await play(seed, steps)).toEqual(first)
    }),
    runs(100),
  )
  expect(writes).toBeGreaterThan(20)
  expect([...kinds].sort()).toEqual(["conflictStorm", "latency", "restart", "status", "truncateBody"])
})
